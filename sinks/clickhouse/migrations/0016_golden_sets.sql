-- Golden sets: cases that people agreed on, by version. A version never changes once it is written.
CREATE TABLE IF NOT EXISTS golden_sets {{on_cluster}}
(
    name LowCardinality(String),
    version String COMMENT 'hash of the content',
    parent String COMMENT 'the version that it grew from; empty for the first',
    cases UInt32,
    made_by LowCardinality(String),
    made_at DateTime64(3, 'UTC'),
    why String CODEC(ZSTD(1)),
    quotas Map(LowCardinality(String), UInt32) COMMENT 'cases by kind'
)
ENGINE = {{replicated}}ReplacingMergeTree(made_at)
ORDER BY (name, version);

CREATE TABLE IF NOT EXISTS golden_cases {{on_cluster}}
(
    case_hash String COMMENT 'of its content',
    case_id String,
    name LowCardinality(String),
    version String,
    kind LowCardinality(String) COMMENT 'single_hop, multi_hop, unanswerable, conflicting, permission, long_document',
    language LowCardinality(String),
    intent LowCardinality(String),
    content String CODEC(ZSTD(3)) COMMENT 'JSON, redacted',
    added_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(added_at)
ORDER BY (name, version, case_id);
