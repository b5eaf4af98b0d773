-- How far traces come on their way to the judges, so that nobody wonders why nothing was judged: one row a
-- minute, app, tenant, language, stage and reason (empty where there is none).
--
-- * seen; ineligible (no_answer, excluded); eligible; capped, kept back by a limit alone; selected
-- * judged; over_budget; failed, with the reason. Selected and none of these: still on its way
--
-- `expected` is the number that the recorded probabilities choose, of those eligible. The minute is that of the
-- trace. A dead letter knows neither app nor trace: its minute is that of its message, its app empty; one that
-- was replayed and judged counts under both.
CREATE OR REPLACE VIEW judge_funnel {{on_cluster}} AS
SELECT
    toStartOfMinute(timestamp) AS minute, app, tenant, language,
    step.1 AS stage, step.2 AS reason, count() AS traces,
    sumIf(sample_probability, step.1 = 'eligible') AS expected
FROM
(
    SELECT
        timestamp, app, tenant, language, sample_probability,
        arrayJoin(arrayConcat(
            [('seen', '')],
            [if(sample_probability > 0, ('eligible', ''), ('ineligible', CAST(sample_reasons[1], 'String')))],
            if(has(sample_reasons, 'capped'), [('capped', '')], []),
            if(sampled, [('selected', '')], [])
        )) AS step
    FROM traces FINAL
)
GROUP BY minute, app, tenant, language, stage, reason
UNION ALL
SELECT
    toStartOfMinute(timestamp) AS minute, app, tenant, language,
    multiIf(is_judged, 'judged', last_error = 'over_budget', 'over_budget', 'failed') AS stage,
    if(stage = 'failed', last_error, '') AS reason,
    count() AS traces, toFloat64(0) AS expected
FROM
(
    SELECT
        timestamp, app, trace_id, any(tenant) AS tenant, countIf(error IS NULL) > 0 AS is_judged,
        ifNull(argMax(error, created_at), '') AS last_error
    FROM verdicts FINAL
    WHERE role = 'verdict'
    GROUP BY timestamp, app, trace_id
) AS verdict
ANY INNER JOIN (SELECT timestamp, app, trace_id, language FROM traces) AS trace USING (timestamp, app, trace_id)
GROUP BY minute, app, tenant, language, stage, reason
UNION ALL
SELECT
    toStartOfMinute(timestamp) AS minute, '' AS app, '' AS tenant, '' AS language,
    'failed' AS stage, CAST(reason, 'String') AS reason, count() AS traces, toFloat64(0) AS expected
FROM dead_letters FINAL
WHERE by = 'judge'
GROUP BY minute, reason;

-- Each verdict with what its trace was, and the weight that makes the sample speak for all traffic.
--
-- The probability is that of the trace, not of the verdict: a trace that was delivered twice was drawn twice,
-- and its row is the draw that counts. Verdicts on traces outside of the sample (a period judged again) are
-- left out. Where several judges or rubrics speak, choose one: each is a row.
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
        sampled, sample_probability, sample_reasons, failure, hallucination, faithfulness
    FROM traces FINAL
    WHERE sampled AND sample_probability > 0
) AS trace
    USING (timestamp, app, trace_id);
