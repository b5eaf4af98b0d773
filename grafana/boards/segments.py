"""Segments: where is it bad? One row a value of each segment, coloured by how bad it is."""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard

from grafana import parts
from grafana.queries import RATES, RELEASES, SEEN, SEGMENTS, share, where, wilson

UID = "ragpulse-segments"
LEAST: int = 30
"""Traces of which a rate is shown at all: of fewer, the interval says next to nothing."""

_RATES = {
    "failed": ("sum(traces) - sum(healthy)", SEEN, 0.4),
    "hallucination": ("sum(hallucination_decided)", "sum(hallucination_measured)", 0.2),
    "over refusal": ("sum(over_refusal)", SEEN, 0.1),
    "empty recall": ("sum(empty_recall)", SEEN, 0.05),
    "poor retrieval": ("sum(poor_retrieval)", SEEN, 0.2),
    "rewrite failure": ("sum(rewrite_failure)", SEEN, 0.1),
    "system error": ("sum(system_error)", SEEN, 0.05),
}


def build() -> dashboard.Dashboard:
    """One heat table for each part of a segment."""
    made = parts.board(
        UID,
        "ragpulse / Segments",
        "Where is it bad? Each value of each segment beside the others.",
        since="now-24h",
    )
    for name in (*SEGMENTS, *RELEASES):
        made = made.with_panel(_heat(name).span(24).height(8))
    return made.with_panel(_lines().span(24).height(10))


def _heat(name: str) -> parts.Table:
    label = parts.label_of(name)
    columns = ",\n    ".join(
        f'{share(f"({k})", f"({n})")} AS "{title}"' for title, (k, n, _) in _RATES.items()
    )
    hits, of, _ = _RATES["hallucination"]
    text = f"""SELECT {name} AS "{label}", sum(traces) AS "all traces",
    {columns},
    {wilson(hits, of, upper=False)} AS "hallucination from",
    {wilson(hits, of, upper=True)} AS "hallucination to",
    {share("sum(faithfulness_sum)", "sum(faithfulness_measured)")} AS faithfulness,
    sum(faithfulness_measured) / sum(traces) AS measured
FROM {RATES}
WHERE {where()}
GROUP BY {name}
HAVING sum(traces) >= {LEAST}
ORDER BY sum(traces) DESC
LIMIT 50"""
    panel = parts.rows(
        f"By {label}",
        f"Shares over the time shown; values with fewer than {LEAST} traces are left out. "
        "Columns from and to are the 95 % interval of the hallucination rate.",
        text,
    )
    for title, (_, _, bad) in _RATES.items():
        panel = parts.as_heat(panel, [title], bad=bad)
    return parts.as_shares(panel, ["hallucination from", "hallucination to", "faithfulness", "measured"])


def _lines() -> parts.TimeSeries:
    hits, of, _ = _RATES["hallucination"]
    text = f"""SELECT $__timeInterval(minute) AS time, concat(app, ' / ', language) AS segment,
    {share(hits, of)} AS hallucination
FROM {RATES}
WHERE {where()}
GROUP BY time, segment
HAVING sum(hallucination_measured) >= 10
ORDER BY time"""
    return parts.chart(
        "Hallucination rate by app and language",
        "Points out of fewer than 10 measured traces are left out.",
        parts.sql(text),
    )


__all__ = ["LEAST", "UID", "build"]
