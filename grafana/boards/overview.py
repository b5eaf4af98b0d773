"""Overview: is it well now? Live faithfulness and refusals, failure classes, what was not measured, cost."""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard

from grafana import parts
from grafana.queries import FAILURES, RATES, SEEN, share, where

UID = "ragpulse-overview"

_CASES = f"""
SELECT timestamp, failure, first_failed_stage, round(hallucination, 2) AS hallucination,
    app, tenant, language,
    release_index, release_prompt, trace_id
FROM traces FINAL
WHERE {where("timestamp")} AND failure != 'healthy' AND timestamp >=
(
    SELECT min(timestamp)
    FROM
    (
        SELECT timestamp FROM traces
        WHERE {where("timestamp")} AND failure != 'healthy'
        ORDER BY timestamp DESC
        LIMIT 100
    )
)
ORDER BY timestamp DESC
LIMIT 50"""


def build() -> dashboard.Dashboard:
    """The dashboard that people leave open."""
    made = parts.board(
        UID, "ragpulse / Overview", "Is it well now? Rates with their intervals, and what failed."
    )
    for panel in (*_now(), *_rates(), *_flow()):
        made = made.with_panel(panel)
    cases = parts.rows(
        "Latest failures", "The newest 50 traces with a failure. The link opens the case.", _CASES
    )
    cases = parts.link_to_case(cases, "trace_id")
    return made.with_variable(parts.console_address()).with_panel(cases.span(24).height(9))


def _now() -> list[parts.AnyPanel]:
    return [
        parts.number(
            "Hallucination",
            "Answers with at least one claim that the chunks do not support, of those that were measured.",
            parts.sql(_total("sum(hallucination_decided)", "sum(hallucination_measured)")),
        )
        .span(4)
        .height(4),
        parts.number(
            "Faithfulness",
            "Supported claims of all claims, mean over the answers that were measured.",
            parts.sql(_total("sum(faithfulness_sum)", "sum(faithfulness_measured)")),
        )
        .span(4)
        .height(4),
        parts.number(
            "Refusals",
            "Answers that decline, rightly or not.",
            parts.sql(_total("sum(refusals)", "sum(traces)")),
        )
        .span(4)
        .height(4),
        parts.number(
            "Over-refusals",
            "Answers that decline although the chunks hold an answer, of the traces that could be looked at.",
            parts.sql(_total("sum(over_refusal)", SEEN)),
        )
        .span(4)
        .height(4),
        parts.number(
            "Traces",
            "In the time shown.",
            parts.sql(f"SELECT now() AS time, sum(traces) AS value FROM {RATES} WHERE {where()}"),
            unit="short",
        )
        .span(4)
        .height(4),
        parts.number(
            "Measured",
            "Traces whose faithfulness was measured. What was not measured is no evidence of health.",
            parts.sql(_total("sum(faithfulness_measured)", "sum(traces)")),
        )
        .span(4)
        .height(4),
    ]


def _rates() -> list[parts.AnyPanel]:
    return [
        parts.band(
            "Hallucination rate",
            "Answers with an unsupported claim, of those that were measured.",
            "sum(hallucination_decided)",
            "sum(hallucination_measured)",
            "hallucination",
        )
        .span(12)
        .height(8),
        parts.band(
            "Faithfulness",
            "Supported claims of all claims: the mean over answers.",
            "sum(faithfulness_sum)",
            "sum(faithfulness_measured)",
            "faithfulness",
        )
        .span(12)
        .height(8),
        parts.band(
            "Refusal rate",
            "Answers that decline, rightly or not.",
            "sum(refusals)",
            "sum(traces)",
            "refusal rate",
        )
        .span(12)
        .height(8),
        parts.band(
            "Over-refusal rate",
            "Answers that decline although the chunks hold an answer.",
            "sum(over_refusal)",
            SEEN,
            "over-refusals",
        )
        .span(12)
        .height(8),
        parts.stacked(
            "Failures by class",
            "Share of the traces that could be looked at, by the first stage that failed.",
            parts.sql(_classes()),
        )
        .span(16)
        .height(9),
        parts.stacked(
            "Not measured",
            "Traces by why they were measured in part or not at all.",
            parts.sql(_coverage()),
        )
        .span(8)
        .height(9),
    ]


def _flow() -> list[parts.AnyPanel]:
    return [
        parts.chart("Traffic", "Traces a second.", parts.sql(_traffic()), unit="cps").span(8).height(7),
        parts.chart(
            "Cost",
            "What the models cost, where traces say so, an hour.",
            parts.sql(_hourly("sum(cost_usd_sum)", "cost")),
            unit="currencyUSD",
        )
        .span(8)
        .height(7),
        parts.band(
            "Thumbs down", "Of the traces with feedback.", "sum(thumbs_down)", "sum(feedback)", "thumbs down"
        )
        .span(8)
        .height(7),
    ]


def _total(hits: str, of: str) -> str:
    return f"SELECT now() AS time, {share(hits, f'({of})')} AS value FROM {RATES} WHERE {where()}"


def _classes() -> str:
    columns = ",\n    ".join(
        f'if({SEEN} > 0, sum({column}) / ({SEEN}), NULL) AS "{name}"' for name, column in FAILURES.items()
    )
    return f"""SELECT $__timeInterval(minute) AS time,
    {columns}
FROM {RATES}
WHERE {where()}
GROUP BY time
ORDER BY time"""


def _coverage() -> str:
    return f"""SELECT time, tupleElement(entry, 1) AS coverage, tupleElement(entry, 2) / total AS share
FROM
(
    SELECT $__timeInterval(minute) AS time, sumMap(coverage) AS counts, sum(traces) AS total
    FROM {RATES}
    WHERE {where()}
    GROUP BY time
)
ARRAY JOIN CAST(counts, 'Array(Tuple(String, UInt64))') AS entry
WHERE coverage != 'full'
ORDER BY time"""


def _traffic() -> str:
    return f"""SELECT $__timeInterval(minute) AS time, app, sum(traces) / greatest($__interval_s, any(span_s))
    AS "traces a second"
FROM {RATES}
WHERE {where()}
GROUP BY time, app
ORDER BY time"""


def _hourly(amount: str, name: str) -> str:
    return f"""SELECT $__timeInterval(minute) AS time, {amount} * 3600 / greatest($__interval_s, any(span_s))
    AS "{name}"
FROM {RATES}
WHERE {where()}
GROUP BY time
ORDER BY time"""
