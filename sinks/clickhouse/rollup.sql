-- Compute whole minutes anew: every group that `traces` holds now.
INSERT INTO minute_rollup
(
    minute, app, tenant, environment, release_app, release_prompt, release_index, release_embedding_model,
    release_reranker, release_generator, language, intent, version,
    traces, healthy, healthy_unseen, system_error, rewrite_failure, empty_recall, poor_retrieval, over_refusal, hallucinated,
    refusals, correct_refusals, parametric_leaks,
    faithfulness_measured, faithfulness_sum,
    hallucination_measured, hallucination_sum, hallucination_decided,
    answer_relevance_measured, answer_relevance_sum,
    context_relevance_measured, context_relevance_sum,
    context_sufficiency_measured, context_sufficiency_sum,
    citation_precision_measured, citation_precision_sum,
    coverage, eligible, ineligible, capped, sampled, expected_samples, feedback, thumbs_up, thumbs_down,
    retrieval_states, retrieval_latency, chunks_measured, chunks_sum, evidence_chunks_sum,
    gold_measured, hit_at_k_sum, mrr_sum, recall_at_k_sum, ndcg_sum,
    generation_latency_measured, generation_latency_ms_sum, input_tokens_sum, output_tokens_sum, cost_usd_sum
)
WITH
    arrayMap(second -> toDateTime(second, 'UTC'), {minutes:Array(UInt32)}) AS minutes,
    wanted AS
    (
        -- What lies outside 0..1 is no measurement: sinks/clickhouse/measured.py writes it.
        SELECT * REPLACE ({measured})
        FROM traces FINAL
        WHERE toStartOfHour(timestamp) IN (SELECT toStartOfHour(arrayJoin(minutes)))
          AND toStartOfMinute(timestamp) IN (SELECT arrayJoin(minutes))
    ),
    late AS
    (
        SELECT trace_id, rating, 1 AS is_late
        FROM feedback FINAL
        WHERE trace_id IN
        (
            SELECT trace_id
            FROM traces
            WHERE toStartOfHour(timestamp) IN (SELECT toStartOfHour(arrayJoin(minutes)))
              AND toStartOfMinute(timestamp) IN (SELECT arrayJoin(minutes))
        )
    ),
    judged AS
    (
        SELECT wanted.*, if(late.is_late = 1, late.rating, wanted.feedback_rating) AS rating
        FROM wanted
        LEFT JOIN late ON late.trace_id = wanted.trace_id
    )
SELECT
    toStartOfMinute(timestamp) AS minute, app, tenant, environment, release_app, release_prompt, release_index,
    release_embedding_model, release_reranker, release_generator, language, intent,
    {version:UInt64} AS version,
    count(),
    countIf(failure = 'healthy'),
    countIf(
        failure = 'healthy'
        AND coverage IN ('no_context', 'not_recorded', 'no_answer', 'unsupported_language', 'scorer_error')
    ),
    countIf(failure = 'system_error'),
    countIf(failure = 'rewrite_failure'),
    countIf(failure = 'empty_recall'),
    countIf(failure = 'poor_retrieval'),
    countIf(failure = 'over_refusal'),
    countIf(failure = 'hallucination'),
    countIf(refusal),
    countIf(refusal AND quadrant = 'honest'),
    countIf(parametric_leak),
    count(faithfulness), ifNull(sum(faithfulness), 0),
    count(hallucination), ifNull(sum(hallucination), 0), countIf(hallucination >= 0.5),
    count(answer_relevance), ifNull(sum(answer_relevance), 0),
    count(context_relevance), ifNull(sum(context_relevance), 0),
    count(context_sufficiency), ifNull(sum(context_sufficiency), 0),
    count(citation_precision), ifNull(sum(citation_precision), 0),
    sumMap(map(coverage, toUInt64(1))),
    countIf(sample_probability > 0),
    sumMap(if(sample_probability > 0, map(), map(sample_reasons[1], toUInt64(1)))),
    countIf(has(sample_reasons, 'capped')),
    countIf(sampled), sum(sample_probability),
    count(rating), countIf(rating > 0), countIf(rating < 0),
    sumMap(map(retrieval_state, toUInt64(1))),
    -- Buckets of a tenth each; 0.01 ms and less, and a day and more, share the outermost ones.
    sumMap(if(
        isNull(retrieval_latency_ms) OR isNaN(assumeNotNull(retrieval_latency_ms)),
        map(),
        map(toInt16(round(log(least(greatest(assumeNotNull(retrieval_latency_ms), 0.01), 86400000)) / log(1.1))), toUInt64(1))
    )),
    count(chunk_count), ifNull(sum(chunk_count), 0),
    sumIf(
        length(arrayDistinct(arrayFilter(
            id -> id != '', JSONExtract(evidence, 'Array(Tuple(chunk_id String))').chunk_id
        ))),
        chunk_count IS NOT NULL
    ),
    count(hit_at_k), ifNull(sum(hit_at_k), 0), ifNull(sumIf(mrr, hit_at_k IS NOT NULL), 0),
    ifNull(sumIf(recall_at_k, hit_at_k IS NOT NULL), 0), ifNull(sumIf(ndcg, hit_at_k IS NOT NULL), 0),
    -- A measure may hold any number that a client wrote: absurd ones are no measurement.
    countIf(generation_latency_ms BETWEEN 0 AND 86400000),
    sumIf(assumeNotNull(generation_latency_ms), generation_latency_ms BETWEEN 0 AND 86400000),
    sumIf(assumeNotNull(input_tokens), input_tokens BETWEEN 0 AND 100000000),
    sumIf(assumeNotNull(output_tokens), output_tokens BETWEEN 0 AND 100000000),
    sumIf(assumeNotNull(cost_usd), cost_usd BETWEEN 0 AND 1000000)
FROM judged
GROUP BY
    minute, app, tenant, environment, release_app, release_prompt, release_index, release_embedding_model,
    release_reranker, release_generator, language, intent;

-- A minute that holds nothing any more must not keep its old numbers.
INSERT INTO minute_rollup (minute, marker, version)
SELECT toDateTime(arrayJoin({minutes:Array(UInt32)}), 'UTC'), 1, {version:UInt64};
