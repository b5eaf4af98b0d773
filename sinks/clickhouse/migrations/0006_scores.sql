-- Scores of a trace by another scorer than the one that served: a candidate in the shadow, a later scorer
-- on a replayed period, the encoder. They never touch what is in `traces`.
--
-- One row a trace, scorer and role (`shadow`, `rescore`, `encoder`); the one scored last wins. `timestamp`
-- and `received_at` are those of the trace, so that key, partition and retention are the same as there.
CREATE TABLE IF NOT EXISTS scores {{on_cluster}}
(
    trace_id String CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    app LowCardinality(String),
    tenant LowCardinality(String),
    language LowCardinality(String),
    role LowCardinality(String),
    scorer_version LowCardinality(String),
    failure LowCardinality(String),
    failure_confidence Float32,
    first_failed_stage LowCardinality(String),
    faithfulness Nullable(Float32),
    hallucination Nullable(Float32),
    answer_relevance Nullable(Float32),
    context_relevance Nullable(Float32),
    context_sufficiency Nullable(Float32),
    citation_precision Nullable(Float32),
    refusal Bool,
    refusal_kind LowCardinality(String),
    parametric_leak Bool,
    coverage LowCardinality(String),
    scored_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    kept_from DateTime('UTC') MATERIALIZED if(
        received_at >= '2020-01-01 00:00:00' AND received_at <= inserted_at + INTERVAL 1 DAY,
        received_at,
        inserted_at
    ) CODEC(Delta, ZSTD(1)),
    INDEX by_trace_id trace_id TYPE bloom_filter(0.01) GRANULARITY 4,
    INDEX by_timestamp timestamp TYPE minmax GRANULARITY 1
)
ENGINE = {{replicated}}ReplacingMergeTree(scored_at)
PARTITION BY toYYYYMM(kept_from)
ORDER BY (app, toStartOfHour(timestamp), trace_id, scorer_version, role)
SETTINGS non_replicated_deduplication_window = 1000;

-- Each score beside what the serving scorer said of the same trace. A trace whose serving row is gone, or
-- not there yet, is left out. The time is part of what is joined on, so that a condition on it is one on
-- both tables.
CREATE OR REPLACE VIEW score_comparison {{on_cluster}} AS
SELECT
    trace_id, timestamp, app,
    other.tenant AS tenant,
    other.language AS language,
    other.role AS role,
    other.scorer_version AS scorer_version,
    serving.scorer_version AS serving_version,
    other.failure AS failure,
    serving.failure AS serving_failure,
    other.failure = serving.failure AS same_failure,
    other.hallucination AS hallucination,
    serving.hallucination AS serving_hallucination,
    other.hallucination - serving.hallucination AS hallucination_change,
    other.faithfulness AS faithfulness,
    serving.faithfulness AS serving_faithfulness,
    other.answer_relevance AS answer_relevance,
    serving.answer_relevance AS serving_answer_relevance,
    other.context_relevance AS context_relevance,
    serving.context_relevance AS serving_context_relevance,
    other.context_sufficiency AS context_sufficiency,
    serving.context_sufficiency AS serving_context_sufficiency,
    other.citation_precision AS citation_precision,
    serving.citation_precision AS serving_citation_precision,
    other.refusal AS refusal,
    serving.refusal AS serving_refusal,
    other.parametric_leak AS parametric_leak,
    serving.parametric_leak AS serving_parametric_leak,
    other.coverage AS coverage,
    serving.coverage AS serving_coverage,
    other.scored_at AS scored_at
FROM (SELECT * FROM scores FINAL) AS other
INNER JOIN
(
    SELECT
        app, timestamp, trace_id, scorer_version, failure, hallucination, faithfulness, answer_relevance,
        context_relevance, context_sufficiency, citation_precision, refusal, parametric_leak, coverage
    FROM traces FINAL
) AS serving
    USING (app, timestamp, trace_id);
