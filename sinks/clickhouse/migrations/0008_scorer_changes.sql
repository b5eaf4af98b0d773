-- Which scorer served each app, and when it changed: one row for each time that a scorer took over, so that
-- a chart can mark the break. Coming back to an earlier scorer is a change like any other.
--
-- Of each minute (of scoring, by our clock) the scorer of most traces counts: while several workers change
-- over, they disagree for some seconds, and that is one change, not many.
CREATE OR REPLACE VIEW scorer_changes {{on_cluster}} AS
SELECT
    app,
    any(scorer_version) AS scorer_version,
    argMin(previous, minute) AS previous_version,
    min(first_scored) AS first_seen,
    max(last_scored) AS last_seen,
    sum(scored) AS traces
FROM
(
    SELECT
        *,
        sum(scorer_version != previous) OVER
            (PARTITION BY app ORDER BY minute ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS turn
    FROM
    (
        SELECT
            *,
            lagInFrame(scorer_version, 1, '') OVER
                (PARTITION BY app ORDER BY minute ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS previous
        FROM
        (
            SELECT app, toStartOfMinute(scored_at) AS minute, scorer_version,
                min(scored_at) AS first_scored, max(scored_at) AS last_scored, count() AS scored
            FROM traces
            GROUP BY app, minute, scorer_version
            ORDER BY scored DESC, first_scored DESC
            LIMIT 1 BY app, minute
        )
    )
)
GROUP BY app, turn
ORDER BY app, first_seen;
