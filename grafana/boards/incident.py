"""Incident: the story of one alert. What changed, where, since when, what was released, and ten cases."""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard

from grafana import parts
from grafana.queries import RATES, wilson

UID = "ragpulse-incident"

_ONE = "(SELECT * FROM incidents FINAL WHERE incident_id IN (${incident:singlequote}))"

_ITS_RATES = f"""(
    SELECT * FROM rates FINAL
    WHERE $__timeFilter(at) AND (measure, segment) IN (SELECT measure, segment FROM {_ONE})
)"""


def build() -> dashboard.Dashboard:
    """One incident, chosen by a variable that links from alerts fill in."""
    made = parts.board(
        UID,
        "ragpulse / Incident",
        "One alert: what changed, where, since when, what was released then, and ten cases.",
        names=(),
    )
    chosen = (
        dashboard.QueryVariable("incident")
        .label("incident")
        .datasource(parts.CLICKHOUSE)
        .query(
            "SELECT incident_id FROM incidents FINAL WHERE $__timeFilter(onset) OR status = 'open' "
            "ORDER BY onset DESC LIMIT 200"
        )
        .refresh(parts.ON_TIME_RANGE)
    )
    made = made.with_variable(chosen).with_variable(parts.console_address())
    made = made.with_panel(_summary().span(24).height(5))
    made = made.with_panel(_rate().span(16).height(9)).with_panel(_evidence().span(8).height(9))
    made = made.with_panel(_split().span(12).height(9)).with_panel(_releases().span(12).height(9))
    return made.with_panel(_cases().span(24).height(11)).with_panel(_open().span(24).height(8))


def _summary() -> parts.Table:
    text = f"""SELECT summary, status, severity, measure, segment, onset, detected_at, resolved_at,
    baseline, value, low, high, release, explained_by AS "carried by",
    JSONExtractString(explanation, 'text') AS explanation
FROM {_ONE}"""
    panel = parts.rows("What happened", "", text)
    return parts.as_shares(panel, ["baseline", "value", "low", "high"])


def _rate() -> parts.TimeSeries:
    text = f"""SELECT rates.at AS time, rates.low AS low, rates.value AS rate, rates.high AS high,
    rates.baseline AS usual
FROM {_ITS_RATES} AS rates
WHERE rates.window_s = (SELECT min(window_s) FROM {_ITS_RATES})
ORDER BY time"""
    return parts.as_band(
        parts.chart(
            "The rate, and what is usual at this time of day", "The band is a 95 % interval.", parts.sql(text)
        )
    )


def _evidence() -> parts.TimeSeries:
    text = f"""SELECT rates.at AS time, rates.evidence AS evidence
FROM {_ITS_RATES} AS rates
WHERE rates.evidence IS NOT NULL
ORDER BY time"""
    return parts.chart(
        "Evidence",
        "Logarithm of the wealth of a bet that the rate is as usual: it grows only when it is not.",
        parts.sql(text),
        unit="short",
    )


def _split() -> parts.Table:
    hits, of = "sum(hallucination_decided)", "sum(hallucination_measured)"
    text = f"""SELECT language, tenant, release_prompt AS prompt, release_index AS "index",
    release_generator AS generator,
    sum(traces) AS "all traces", sum(hallucinated) AS hallucinations,
    {wilson(hits, of, upper=False)} AS "from", {wilson(hits, of, upper=True)} AS "to"
FROM {RATES} AS rates
WHERE minute + toIntervalSecond(span_s) > (SELECT min(onset) FROM {_ONE})
    AND ((SELECT any(app) FROM {_ONE}) IN ('', rates.app))
GROUP BY language, tenant, prompt, "index", generator
ORDER BY hallucinations DESC
LIMIT 30"""
    panel = parts.rows("Where, since the onset", "Traces of the app by what may explain it.", text)
    return parts.as_shares(panel, ["from", "to"])


def _releases() -> parts.Table:
    text = f"""SELECT at, dateDiff('second', at, (SELECT min(onset) FROM {_ONE})) AS "seconds before",
    app, part, previous, release_marks.value AS value, source, note
FROM release_marks FINAL
WHERE at BETWEEN (SELECT min(onset) FROM {_ONE}) - INTERVAL 6 HOUR AND (SELECT max(detected_at) FROM {_ONE})
ORDER BY abs("seconds before")
LIMIT 20"""
    return parts.rows("Released around then", "The nearest first.", text)


def _cases() -> parts.Table:
    text = f"""SELECT timestamp, failure, round(hallucination, 2) AS p, language, tenant,
    release_prompt AS prompt, question, answer, trace_id
FROM traces FINAL
WHERE trace_id IN (SELECT arrayJoin(cases) FROM {_ONE})
ORDER BY indexOf((SELECT any(cases) FROM {_ONE}), trace_id)"""
    return parts.link_to_case(
        parts.rows("Cases", "The worst first. The link opens the case.", text), "trace_id"
    )


def _open() -> parts.Table:
    text = """SELECT incident_id, status, severity, measure, segment, onset, resolved_at, summary
FROM incidents FINAL
WHERE ($__timeFilter(onset) OR status = 'open') AND status != 'absorbed'
ORDER BY status = 'open' DESC, onset DESC
LIMIT 50"""
    panel = parts.rows("All incidents", "Open ones first.", text)
    return parts.link_column(
        panel,
        "incident_id",
        "its story",
        f"/d/{UID}?var-incident=${{__value.raw:percentencode}}&${{__url_time_range}}",
    )


__all__ = ["UID", "build"]
