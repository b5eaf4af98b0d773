-- Golden sets: cases that people agreed on, by version. A version never changes once it is written, and is kept.

-- The row of a set is written behind its cases: where it stands, they are all there.
CREATE TABLE IF NOT EXISTS golden_sets {{on_cluster}}
(
    name LowCardinality(String),
    version String COMMENT 'hash of the content',
    parent String COMMENT 'the version that it grew from; empty for the first',
    cases UInt32,
    made_by LowCardinality(String),
    made_at DateTime64(3, 'UTC'),
    why String CODEC(ZSTD(1)),
    have Map(LowCardinality(String), UInt32) COMMENT 'cases by kind',
    wanted Map(LowCardinality(String), UInt32) COMMENT 'how many there should be, by kind',
    languages Map(LowCardinality(String), UInt32) COMMENT 'cases by language'
)
ENGINE = {{replicated}}ReplacingMergeTree(made_at)
ORDER BY (name, version);

CREATE TABLE IF NOT EXISTS golden_cases {{on_cluster}}
(
    name LowCardinality(String),
    version String,
    case_id String,
    case_hash String COMMENT 'of its content',
    kind LowCardinality(String) COMMENT 'single_hop, multi_hop, unanswerable, conflicting, permission, long_document',
    language LowCardinality(String),
    intent LowCardinality(String),
    trace_id String CODEC(ZSTD(1)) COMMENT 'where it came from',
    content String CODEC(ZSTD(3)) COMMENT 'JSON, redacted',
    added_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(added_at)
ORDER BY (name, version, case_id);

ALTER TABLE annotations {{on_cluster}}
    ADD COLUMN IF NOT EXISTS kind LowCardinality(String) COMMENT 'of golden case, where somebody said it' AFTER reference_answer;
