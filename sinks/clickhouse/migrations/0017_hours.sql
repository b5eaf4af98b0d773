-- So that dashboards answer within a second over a week of much traffic: hours beside the minutes, more counts
-- in both, and the sampled traces by themselves.
--
-- Minutes that were computed before have none of the new counts.
ALTER TABLE minute_rollup {{on_cluster}}
    ADD COLUMN IF NOT EXISTS eligible UInt64 COMMENT 'for judges' AFTER coverage,
    ADD COLUMN IF NOT EXISTS ineligible Map(LowCardinality(String), UInt64) COMMENT 'traces by why not' AFTER eligible,
    ADD COLUMN IF NOT EXISTS capped UInt64 COMMENT 'kept from the judges by a limit alone' AFTER ineligible,
    ADD COLUMN IF NOT EXISTS expected_samples Float64 COMMENT 'sum of the probabilities to be sampled' AFTER sampled,
    ADD COLUMN IF NOT EXISTS retrieval_states Map(LowCardinality(String), UInt64) COMMENT 'traces by state' AFTER thumbs_down,
    ADD COLUMN IF NOT EXISTS retrieval_latency Map(Int16, UInt64) COMMENT 'traces by n: so many ms are 1.1 to the power of n, rounded' AFTER retrieval_states,
    ADD COLUMN IF NOT EXISTS chunks_measured UInt64 COMMENT 'traces that say how many chunks they had' AFTER retrieval_latency,
    ADD COLUMN IF NOT EXISTS chunks_sum UInt64 AFTER chunks_measured,
    ADD COLUMN IF NOT EXISTS evidence_chunks_sum UInt64 COMMENT 'different chunks that hold evidence' AFTER chunks_sum,
    ADD COLUMN IF NOT EXISTS gold_measured UInt64 AFTER evidence_chunks_sum,
    ADD COLUMN IF NOT EXISTS hit_at_k_sum Float64 AFTER gold_measured,
    ADD COLUMN IF NOT EXISTS mrr_sum Float64 AFTER hit_at_k_sum,
    ADD COLUMN IF NOT EXISTS recall_at_k_sum Float64 AFTER mrr_sum,
    ADD COLUMN IF NOT EXISTS ndcg_sum Float64 AFTER recall_at_k_sum,
    ADD INDEX IF NOT EXISTS by_version version TYPE minmax GRANULARITY 1;

-- `minute` is when the hour begins. Computed from the minutes, each hour as a whole, as the minutes are.
CREATE TABLE IF NOT EXISTS hour_rollup {{on_cluster}} AS minute_rollup
ENGINE = {{replicated}}ReplacingMergeTree(version)
PARTITION BY toYear(minute)
ORDER BY (
    minute, app, tenant, environment, release_app, release_prompt, release_index, release_embedding_model,
    release_reranker, release_generator, language, intent, marker
);

CREATE OR REPLACE VIEW minute_rates {{on_cluster}} AS
SELECT * EXCEPT (marker, version, computed_at), toUInt32(60) AS span_s
FROM minute_rollup FINAL
QUALIFY version = max(version) OVER (PARTITION BY minute) AND marker = 0;

CREATE OR REPLACE VIEW hour_rates {{on_cluster}} AS
SELECT * EXCEPT (marker, version, computed_at), toUInt32(3600) AS span_s
FROM hour_rollup FINAL
QUALIFY version = max(version) OVER (PARTITION BY minute) AND marker = 0;

-- What verdicts are joined with: few of all traces, and none of their texts. The draw is a hash of the trace_id,
-- so a trace that was chosen once stays chosen, under the last probability that it was chosen with.
CREATE TABLE IF NOT EXISTS sampled_traces {{on_cluster}}
(
    trace_id String CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    scored_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    kept_from DateTime('UTC') CODEC(Delta, ZSTD(1)),
    app LowCardinality(String),
    tenant LowCardinality(String),
    environment LowCardinality(String),
    intent LowCardinality(String),
    language LowCardinality(String),
    release_app LowCardinality(String),
    release_prompt LowCardinality(String),
    release_index LowCardinality(String),
    release_embedding_model LowCardinality(String),
    release_reranker LowCardinality(String),
    release_generator LowCardinality(String),
    conversation_id String CODEC(ZSTD(1)),
    sample_probability Float64,
    sample_reasons Array(LowCardinality(String)),
    failure LowCardinality(String),
    hallucination Nullable(Float32),
    faithfulness Nullable(Float32),
    INDEX by_timestamp timestamp TYPE minmax GRANULARITY 1
)
ENGINE = {{replicated}}ReplacingMergeTree(scored_at)
PARTITION BY toYYYYMM(kept_from)
ORDER BY (app, toStartOfHour(timestamp), trace_id);

CREATE MATERIALIZED VIEW IF NOT EXISTS sampled_traces_of_traces {{on_cluster}} TO sampled_traces AS
SELECT
    trace_id, timestamp, scored_at,
    if(received_at >= '2020-01-01 00:00:00' AND received_at <= inserted_at + INTERVAL 1 DAY, received_at, inserted_at)
        AS kept_from,
    app, tenant, environment, intent, language, release_app, release_prompt, release_index,
    release_embedding_model, release_reranker, release_generator, conversation_id, sample_probability,
    sample_reasons, failure, hallucination, faithfulness
FROM traces
WHERE sampled AND sample_probability > 0;

INSERT INTO sampled_traces
SELECT
    trace_id, timestamp, scored_at, kept_from, app, tenant, environment, intent, language, release_app,
    release_prompt, release_index, release_embedding_model, release_reranker, release_generator, conversation_id,
    sample_probability, sample_reasons, failure, hallucination, faithfulness
FROM traces
WHERE sampled AND sample_probability > 0;

CREATE OR REPLACE VIEW weighted_verdicts {{on_cluster}} AS
SELECT
    trace_id, timestamp, app,
    trace.tenant AS tenant, trace.language AS language, trace.environment AS environment,
    trace.intent AS intent, trace.release_app AS release_app, trace.release_prompt AS release_prompt,
    trace.release_index AS release_index, trace.release_embedding_model AS release_embedding_model,
    trace.release_reranker AS release_reranker, trace.release_generator AS release_generator,
    if(trace.conversation_id = '', trace_id, trace.conversation_id) AS conversation,
    trace.sample_probability AS probability,
    1 / trace.sample_probability AS weight,
    trace.sample_reasons AS reasons,
    trace.failure AS scored_failure,
    trace.hallucination AS scored_hallucination,
    trace.faithfulness AS scored_faithfulness,
    verdict.judge AS judge, verdict.model AS model, verdict.rubric AS rubric,
    verdict.rubric_version AS rubric_version,
    verdict.failure AS failure,
    verdict.hallucination AS hallucination,
    verdict.faithfulness AS faithfulness,
    verdict.created_at AS created_at
FROM (SELECT * FROM verdicts FINAL WHERE role = 'verdict' AND error IS NULL) AS verdict
INNER JOIN
(
    SELECT
        timestamp, app, trace_id, tenant, language, environment, intent, release_app, release_prompt,
        release_index, release_embedding_model, release_reranker, release_generator, conversation_id,
        sample_probability, sample_reasons, failure, hallucination, faithfulness
    FROM sampled_traces FINAL
) AS trace
    USING (timestamp, app, trace_id);
