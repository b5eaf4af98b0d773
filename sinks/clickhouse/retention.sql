-- How long things are kept. Applied again whenever a setting changes its text.
ALTER TABLE traces {{on_cluster}}
    MODIFY COLUMN question TTL kept_from + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN rewritten_query TTL kept_from + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN answer TTL kept_from + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN history TTL kept_from + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN chunks TTL kept_from + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN prompt_context TTL kept_from + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN feedback_comment TTL kept_from + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN evidence TTL kept_from + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN extra TTL kept_from + INTERVAL {{text_retention_days}} DAY,
    MODIFY TTL kept_from + INTERVAL {{retention_days}} DAY;

ALTER TABLE feedback {{on_cluster}}
    MODIFY COLUMN comment TTL kept_from + INTERVAL {{text_retention_days}} DAY,
    MODIFY TTL kept_from + INTERVAL {{retention_days}} DAY;

ALTER TABLE evaluations {{on_cluster}}
    MODIFY COLUMN comment TTL kept_from + INTERVAL {{text_retention_days}} DAY,
    MODIFY TTL kept_from + INTERVAL {{retention_days}} DAY;

ALTER TABLE sampled_traces {{on_cluster}}
    MODIFY TTL kept_from + INTERVAL {{retention_days}} DAY;

ALTER TABLE scores {{on_cluster}}
    MODIFY TTL kept_from + INTERVAL {{retention_days}} DAY;

ALTER TABLE verdicts {{on_cluster}}
    MODIFY COLUMN root_cause TTL toDateTime(inserted_at) + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN suggested_fix TTL toDateTime(inserted_at) + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN rationale TTL toDateTime(inserted_at) + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN claims TTL toDateTime(inserted_at) + INTERVAL {{text_retention_days}} DAY,
    MODIFY TTL toDateTime(inserted_at) + INTERVAL {{retention_days}} DAY;

ALTER TABLE annotations {{on_cluster}}
    MODIFY COLUMN spans TTL toDateTime(inserted_at) + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN claims TTL toDateTime(inserted_at) + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN reference_answer TTL toDateTime(inserted_at) + INTERVAL {{text_retention_days}} DAY,
    MODIFY COLUMN note TTL toDateTime(inserted_at) + INTERVAL {{text_retention_days}} DAY,
    MODIFY TTL toDateTime(inserted_at) + INTERVAL {{retention_days}} DAY;

ALTER TABLE annotation_items {{on_cluster}}
    MODIFY COLUMN payload TTL toDateTime(created_at) + INTERVAL {{text_retention_days}} DAY,
    MODIFY TTL toDateTime(created_at) + INTERVAL {{retention_days}} DAY;

ALTER TABLE dead_letters {{on_cluster}}
    MODIFY TTL toDateTime(inserted_at) + INTERVAL {{retention_days}} DAY;

ALTER TABLE minute_rollup {{on_cluster}}
    MODIFY TTL computed_at + INTERVAL {{rollup_retention_days}} DAY;

ALTER TABLE hour_rollup {{on_cluster}}
    MODIFY TTL computed_at + INTERVAL {{rollup_retention_days}} DAY;

ALTER TABLE rates {{on_cluster}}
    MODIFY TTL at + INTERVAL {{rollup_retention_days}} DAY;

ALTER TABLE release_marks {{on_cluster}}
    MODIFY TTL toDateTime(at) + INTERVAL {{rollup_retention_days}} DAY;

ALTER TABLE incidents {{on_cluster}}
    MODIFY TTL toDateTime(detected_at) + INTERVAL {{rollup_retention_days}} DAY;

ALTER TABLE judge_calibration {{on_cluster}}
    MODIFY TTL toDateTime(at) + INTERVAL {{rollup_retention_days}} DAY;

ALTER TABLE judge_probes {{on_cluster}}
    MODIFY TTL toDateTime(at) + INTERVAL {{rollup_retention_days}} DAY;
