-- Cases worth an annotator's hour, and what annotators say beyond a class.

-- One row a case. `payload` is what an annotator sees: no name, number or address of a person is in it, nor a way
-- back to them. What became of a case is not stored here: it follows from the rows of `annotations`.
CREATE TABLE IF NOT EXISTS annotation_items {{on_cluster}}
(
    item_id String,
    trace_id String CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') COMMENT 'of the trace',
    app LowCardinality(String),
    tenant LowCardinality(String),
    language LowCardinality(String),
    intent LowCardinality(String),
    failure LowCardinality(String) COMMENT 'as scored; nothing is healthy',
    first_failed_stage LowCardinality(String),
    scorer_version LowCardinality(String),
    reason LowCardinality(String) COMMENT 'the policy that chose it',
    reasons Array(LowCardinality(String)) COMMENT 'all policies that would have',
    value Float32 COMMENT '0 to 1: how much an hour spent here is worth',
    because String CODEC(ZSTD(1)) COMMENT 'the value in words',
    control Bool COMMENT 'drawn by chance alone',
    probability Float64 COMMENT 'with which a control was drawn; 1 for all others',
    cluster String COMMENT 'near-duplicates share it',
    duplicates UInt32 COMMENT 'further traces that say nearly the same',
    duplicate_ids Array(String) COMMENT 'of them, at most a hundred',
    votes_wanted UInt8,
    payload String CODEC(ZSTD(3)) COMMENT 'JSON, redacted: trace, scores, evidence, verdicts',
    redactions Map(LowCardinality(String), UInt32) COMMENT 'what was taken out, by kind',
    withdrawn LowCardinality(String) COMMENT 'why it left unsettled, such as crowded_out; nothing while it is in',
    created_at DateTime64(3, 'UTC'),
    updated_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
    INDEX by_created_at created_at TYPE minmax GRANULARITY 1
)
ENGINE = {{replicated}}ReplacingMergeTree(updated_at)
PARTITION BY toYYYYMM(created_at)
ORDER BY item_id;

ALTER TABLE annotations {{on_cluster}}
    ADD COLUMN IF NOT EXISTS item_id String AFTER trace_id,
    ADD COLUMN IF NOT EXISTS role LowCardinality(String) DEFAULT 'vote' COMMENT 'vote, arbitration, skip' AFTER annotator,
    ADD COLUMN IF NOT EXISTS claims String CODEC(ZSTD(3)) COMMENT 'JSON: claim by claim, whether it is supported' AFTER spans,
    ADD COLUMN IF NOT EXISTS gold_chunk_ids Array(String) COMMENT 'chunks that hold the answer' AFTER claims,
    ADD COLUMN IF NOT EXISTS should_refuse Nullable(Bool) AFTER gold_chunk_ids,
    ADD COLUMN IF NOT EXISTS reference_answer String CODEC(ZSTD(3)) AFTER should_refuse,
    ADD COLUMN IF NOT EXISTS seconds Nullable(Float32) COMMENT 'from claim to label' AFTER guideline,
    ADD COLUMN IF NOT EXISTS source LowCardinality(String) COMMENT 'console, command, import, sheet' AFTER seconds;
