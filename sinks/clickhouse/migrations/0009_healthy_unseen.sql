-- How many of a minute's healthy traces nobody could look at: no context, no answer, a language that is not
-- read. They have no failure because nothing was measured, so a rate of health is best taken over
-- `healthy - healthy_unseen` and `traces - healthy_unseen`.
ALTER TABLE minute_rollup {{on_cluster}}
    ADD COLUMN IF NOT EXISTS healthy_unseen UInt64 AFTER healthy;

CREATE OR REPLACE VIEW minute_rates {{on_cluster}} AS
SELECT * EXCEPT (marker, version, computed_at)
FROM minute_rollup FINAL
QUALIFY version = max(version) OVER (PARTITION BY minute) AND marker = 0;
