-- What people say of a trace. One row a trace and annotator; the last one wins.
CREATE TABLE IF NOT EXISTS annotations {{on_cluster}}
(
    trace_id String CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') COMMENT 'of the trace',
    app LowCardinality(String),
    tenant LowCardinality(String),
    language LowCardinality(String),
    annotator LowCardinality(String),
    annotated_at DateTime64(3, 'UTC'),
    failure LowCardinality(String) COMMENT 'a failure class, healthy, or nothing where it was not asked',
    hallucination Nullable(Bool),
    context_sufficient Nullable(Bool),
    refusal LowCardinality(String) COMMENT 'full, partial, none, or nothing where it was not asked',
    spans String CODEC(ZSTD(3)) COMMENT 'JSON: what in the answer is wrong',
    note String CODEC(ZSTD(3)),
    weight Float32 DEFAULT 1,
    guideline LowCardinality(String) COMMENT 'by which version of the guideline',
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
    INDEX by_timestamp timestamp TYPE minmax GRANULARITY 1
)
ENGINE = {{replicated}}ReplacingMergeTree(annotated_at)
PARTITION BY toYYYYMM(inserted_at)
ORDER BY (trace_id, annotator)
SETTINGS non_replicated_deduplication_window = 1000;
