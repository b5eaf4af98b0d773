"""Judges: are they asked, what do they cost, and can they be believed?"""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard

from grafana import parts
from grafana.queries import RATES, filters, share, where

UID = "ragpulse-judges"
_SEGMENTS = ("app", "tenant", "language")
_STEPS = f"""(
    SELECT at, step.1 AS stage, step.2 AS reason, step.3 AS n
    FROM
    (
        SELECT minute AS at, sumMap(ineligible) AS others, arrayConcat(
            [('seen', '', sum(traces)), ('eligible', '', sum(eligible)), ('capped', '', sum(capped)),
                ('selected', '', sum(sampled))],
            arrayMap((why, n) -> ('ineligible', CAST(why, 'String'), n), mapKeys(others), mapValues(others))
        ) AS steps
        FROM {RATES}
        WHERE {where(names=_SEGMENTS)}
        GROUP BY minute
    )
    ARRAY JOIN steps AS step
    WHERE n > 0
    UNION ALL
    SELECT toStartOfMinute(timestamp) AS at,
        multiIf(is_judged, 'judged', last_error = 'over_budget', 'over_budget', 'failed') AS stage,
        if(stage = 'failed', last_error, '') AS reason, count() AS n
    FROM
    (
        SELECT timestamp, app, trace_id, any(tenant) AS tenant, countIf(error IS NULL) > 0 AS is_judged,
            ifNull(argMax(error, created_at), '') AS last_error
        FROM verdicts FINAL
        WHERE $__timeFilter(timestamp) AND role = 'verdict'
        GROUP BY timestamp, app, trace_id
    ) AS verdict
    ANY INNER JOIN
    (
        SELECT timestamp, app, trace_id, language FROM sampled_traces WHERE $__timeFilter(timestamp)
    ) AS trace
        USING (timestamp, app, trace_id)
    WHERE {filters(_SEGMENTS)}
    GROUP BY at, stage, reason
    UNION ALL
    SELECT toStartOfMinute(timestamp) AS at, 'failed' AS stage, CAST(reason, 'String') AS reason, count() AS n
    FROM (SELECT *, '' AS app, '' AS tenant, '' AS language FROM dead_letters FINAL WHERE by = 'judge')
    WHERE {where("timestamp", _SEGMENTS)}
    GROUP BY at, reason
)"""
"""As view `judge_funnel` has it, out of counts instead of traces."""


def build() -> dashboard.Dashboard:
    """From the funnel to agreement with people."""
    made = parts.board(
        UID, "ragpulse / Judges", "Are they asked, what do they cost, can they be believed?", since="now-24h"
    ).with_variable(parts.console_address())
    made = made.with_panel(_funnel().span(12).height(8)).with_panel(_lost().span(12).height(8))
    for panel in (*_spending(), *_saying()):
        made = made.with_panel(panel.span(12).height(8))
    return made.with_panel(_kappa().span(24).height(8)).with_panel(_disputed().span(24).height(9))


def _funnel() -> parts.TimeSeries:
    text = f"""SELECT $__timeInterval(at) AS time, stage, sum(n) AS "traces there"
FROM {_STEPS}
WHERE stage IN ('eligible', 'selected', 'judged', 'over_budget', 'failed')
GROUP BY time, stage
ORDER BY time"""
    return parts.chart(
        "The way to the judges",
        "Traces at each step. Selected and not yet judged: on their way.",
        parts.sql(text),
        unit="short",
    )


def _lost() -> parts.Table:
    text = f"""SELECT stage, reason, sum(n) AS "traces there"
FROM {_STEPS}
GROUP BY stage, reason
ORDER BY indexOf(['seen', 'ineligible', 'eligible', 'capped', 'selected', 'judged', 'over_budget',
    'failed'], stage),
    sum(n) DESC"""
    return parts.rows(
        "Step by step",
        "Why a trace was not judged. A dead letter knows no app: it is under no segment.",
        text,
    )


def _spending() -> list[parts.TimeSeries]:
    spent = f"""SELECT $__timeInterval(created_at) AS time, judge, sum(cost_usd) AS spent
FROM verdicts FINAL
WHERE $__timeFilter(created_at) AND {filters(("app", "tenant"))} AND cost_usd IS NOT NULL
GROUP BY time, judge
ORDER BY time"""
    latency = f"""SELECT $__timeInterval(created_at) AS time, quantile(0.5)(latency_ms) AS median,
    quantile(0.95)(latency_ms) AS p95
FROM verdicts FINAL
WHERE $__timeFilter(created_at) AND {filters(("app", "tenant"))} AND latency_ms IS NOT NULL
GROUP BY time
ORDER BY time"""
    return [
        parts.chart(
            "Spend", "US dollars, by judge, where a price is known.", parts.sql(spent), unit="currencyUSD"
        ),
        parts.chart(
            "Budget",
            "Share of each budget that is spent. At 1 nothing more is judged until its window ends.",
            parts.prom(
                "ragpulse_judge_spent / on (window, unit) ragpulse_judge_budget", "{{window}} {{unit}}"
            ),
        ),
        parts.chart(
            "Time a verdict",
            "Milliseconds of all questions about a trace together.",
            parts.sql(latency),
            unit="ms",
        ),
        parts.chart(
            "Requests that fail",
            "A minute, by judge and why.",
            parts.prom(
                'sum by (judge, outcome) (rate(ragpulse_judge_requests_total{outcome!="ok"}[5m])) * 60',
                "{{judge}} {{outcome}}",
            ),
            unit="short",
        ),
    ]


def _saying() -> list[parts.TimeSeries]:
    weighted = f"""SELECT $__timeInterval(timestamp) AS time,
    {share("sumIf(weight, failure = 'hallucination')", "sum(weight)")} AS "judges, weighted back",
    {share("sumIf(weight, scored_failure = 'hallucination')", "sum(weight)")} AS "scorer, same traces"
FROM weighted_verdicts
WHERE {where("timestamp")} AND failure != ''
GROUP BY time
ORDER BY time"""
    same = f"""SELECT $__timeInterval(timestamp) AS time, judge,
    {share("sumIf(weight, failure = scored_failure)", "sum(weight)")} AS "same class"
FROM weighted_verdicts
WHERE {where("timestamp")} AND failure != ''
GROUP BY time, judge
ORDER BY time"""
    disagreement = f"""SELECT $__timeInterval(created_at) AS time, avg(disagreement) AS "within panels"
FROM verdicts FINAL
WHERE $__timeFilter(created_at) AND {filters(("app", "tenant"))} AND disagreement IS NOT NULL
GROUP BY time
ORDER BY time"""
    probes = """SELECT at AS time, concat(judge, ' ', language) AS probes, avg(said = expected) AS "right"
FROM judge_probes FINAL
WHERE $__timeFilter(at) AND error = ''
GROUP BY time, probes
ORDER BY time"""
    return [
        parts.chart(
            "Hallucination, as judges see it",
            "Weighted back to all traffic by the probability of each sample.",
            parts.sql(weighted),
        ),
        parts.chart(
            "Scorer and judge say the same",
            "Same failure class, weighted back to all traffic.",
            parts.sql(same),
        ),
        parts.chart(
            "Disagreement within panels",
            "0: all say the same; 1: as divided as can be.",
            parts.sql(disagreement),
        ),
        parts.chart(
            "Probe set",
            "Share of known cases that each judge gets right. A fall: its model changed.",
            parts.sql(probes),
        ),
    ]


def _kappa() -> parts.Table:
    text = """SELECT judge, model, rubric, rubric_version AS version,
    if(language = '', 'all', language) AS "of language", measure,
    n AS labels, kappa, low, high, traffic_kappa AS "kappa, weighted back", ac1,
    calibrated, reason, at
FROM judge_calibration FINAL
WHERE $__timeFilter(at) OR at > now() - INTERVAL 90 DAY
ORDER BY at DESC
LIMIT 1 BY judge, model, rubric, rubric_version, measure, language
LIMIT 100"""
    return parts.rows(
        "Agreement with people",
        "Cohen's kappa of the newest calibration, with a 95 % interval. Verdicts of a judge that is not "
        "calibrated correct no rate.",
        text,
    )


def _disputed() -> parts.Table:
    text = f"""SELECT timestamp, app, language, scored_failure AS scorer, failure AS "judge says", judge,
    round(scored_hallucination, 2) AS "p, scorer", round(hallucination, 2) AS "p, judge", trace_id
FROM weighted_verdicts
WHERE {where("timestamp")} AND failure != '' AND failure != scored_failure
ORDER BY abs(ifNull(scored_hallucination, 0.5) - ifNull(weighted_verdicts.hallucination, 0.5)) DESC
LIMIT 50"""
    panel = parts.rows("Where scorer and judge differ most", "Candidates for annotation.", text)
    return parts.link_to_case(panel, "trace_id")


__all__ = ["UID", "build"]
