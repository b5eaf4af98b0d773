-- Counts and sums a minute, for dashboards over long spans.
--
-- A minute is always computed anew, as a whole, from `traces FINAL`; every row of it carries the
-- `version` of that computation, and so does one row of zeros, the `marker`. Readers use `minute_rates`,
-- which takes each minute's newest version alone. That is why rows inserted twice, late rows, late
-- feedback and two sinks at once cannot make it wrong.
CREATE TABLE IF NOT EXISTS minute_rollup {{on_cluster}}
(
    minute DateTime('UTC'),
    app LowCardinality(String),
    tenant LowCardinality(String),
    environment LowCardinality(String),
    release_app LowCardinality(String),
    release_prompt LowCardinality(String),
    release_index LowCardinality(String),
    release_embedding_model LowCardinality(String),
    release_reranker LowCardinality(String),
    release_generator LowCardinality(String),
    language LowCardinality(String),
    intent LowCardinality(String),
    marker UInt8,
    version UInt64 COMMENT 'milliseconds since 1970 at the start of the computation',
    computed_at DateTime('UTC') DEFAULT now('UTC'),
    traces UInt64,
    healthy UInt64,
    system_error UInt64,
    rewrite_failure UInt64,
    empty_recall UInt64,
    poor_retrieval UInt64,
    over_refusal UInt64,
    hallucinated UInt64 COMMENT 'traces whose failure is hallucination',
    refusals UInt64,
    correct_refusals UInt64 COMMENT 'refused, and the context did not hold an answer',
    parametric_leaks UInt64,
    faithfulness_measured UInt64,
    faithfulness_sum Float64,
    hallucination_measured UInt64,
    hallucination_sum Float64,
    hallucination_decided UInt64 COMMENT 'probability of 0.5 and above, whatever the failure class',
    answer_relevance_measured UInt64,
    answer_relevance_sum Float64,
    context_relevance_measured UInt64,
    context_relevance_sum Float64,
    context_sufficiency_measured UInt64,
    context_sufficiency_sum Float64,
    citation_precision_measured UInt64,
    citation_precision_sum Float64,
    coverage Map(LowCardinality(String), UInt64) COMMENT 'traces by coverage: why something is not measured',
    sampled UInt64,
    feedback UInt64,
    thumbs_up UInt64,
    thumbs_down UInt64,
    generation_latency_measured UInt64,
    generation_latency_ms_sum Float64,
    input_tokens_sum UInt64,
    output_tokens_sum UInt64,
    cost_usd_sum Float64
)
ENGINE = {{replicated}}ReplacingMergeTree(version)
PARTITION BY toYear(minute)
ORDER BY (
    minute, app, tenant, environment, release_app, release_prompt, release_index, release_embedding_model,
    release_reranker, release_generator, language, intent, marker
);

CREATE OR REPLACE VIEW minute_rates {{on_cluster}} AS
SELECT * EXCEPT (marker, version, computed_at)
FROM minute_rollup FINAL
QUALIFY version = max(version) OVER (PARTITION BY minute) AND marker = 0;

-- How far the rollup has come: rows inserted before the greatest watermark are counted.
CREATE TABLE IF NOT EXISTS rollup_state {{on_cluster}}
(
    name LowCardinality(String),
    watermark DateTime64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(watermark)
ORDER BY name;
