-- What the judges said. One row a trace, judge, model and rubric; the last one wins.
CREATE TABLE IF NOT EXISTS verdicts {{on_cluster}}
(
    trace_id String CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') COMMENT 'of the trace',
    app LowCardinality(String),
    tenant LowCardinality(String),
    judge LowCardinality(String),
    model LowCardinality(String),
    rubric LowCardinality(String),
    rubric_version LowCardinality(String),
    failure LowCardinality(String),
    failure_confidence Nullable(Float32),
    faithfulness Nullable(Float32),
    hallucination Nullable(Float32),
    answer_relevance Nullable(Float32),
    context_relevance Nullable(Float32),
    context_sufficiency Nullable(Float32),
    citation_precision Nullable(Float32),
    refusal Nullable(Bool),
    rationale String CODEC(ZSTD(3)),
    claims String CODEC(ZSTD(3)) COMMENT 'JSON',
    sample_probability Float64 COMMENT 'with which the trace was chosen: rates are weighted back by it',
    sample_reasons Array(LowCardinality(String)),
    input_tokens Nullable(Int64),
    output_tokens Nullable(Int64),
    cost_usd Nullable(Float64),
    latency_ms Nullable(Float64),
    error Nullable(String) CODEC(ZSTD(1)),
    created_at DateTime64(3, 'UTC'),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
    INDEX by_timestamp timestamp TYPE minmax GRANULARITY 1
)
ENGINE = {{replicated}}ReplacingMergeTree(created_at)
PARTITION BY toYYYYMM(inserted_at)
ORDER BY (trace_id, judge, model, rubric, rubric_version)
SETTINGS non_replicated_deduplication_window = 1000;
