"""Rates by measure over time, from the minutes that the sink keeps; of the last minutes from the traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from console.drawing.spark import Point
from console.figures import NOT_MEASURED, Figure, known, share
from console.queries.period import Period
from console.queries.segment import WITHIN, Segment
from schemas.taxonomy import FAILURES, HEALTHY, UNSEEN
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import all_measured

_SEEN: Final = "seen"
MEASURES: Final = {
    "hallucination": ("hallucination_decided", "hallucination_measured"),
    "faithfulness": ("faithfulness_sum", "faithfulness_measured"),
    "answer_relevance": ("answer_relevance_sum", "answer_relevance_measured"),
    "context_sufficiency": ("context_sufficiency_sum", "context_sufficiency_measured"),
    "citation_precision": ("citation_precision_sum", "citation_precision_measured"),
    "refusal": ("refusals", "traces"),
    "correct_refusal": ("correct_refusals", "traces"),
    "parametric_leak": ("parametric_leaks", "traces"),
    "thumbs_down": ("thumbs_down", "feedback"),
}
"""What is shown as a rate: the count (or sum of numbers in 0..1), and what it is a count of."""
GOOD: Final = frozenset({"faithfulness", "answer_relevance", "context_sufficiency", "citation_precision"})
"""Of these, more is better."""
CLASSES: Final = (HEALTHY, *(failure.value for failure in FAILURES))
"""As tables name them; the counts of hallucinations are called `hallucinated` there."""

_COUNTED: Final = (
    "traces", "unseen", "healthy", "system_error", "rewrite_failure", "empty_recall", "poor_retrieval",
    "over_refusal", "hallucinated", *dict.fromkeys(name for pair in MEASURES.values() for name in pair),
)  # fmt: skip
_COLUMNS: Final = tuple(dict.fromkeys(_COUNTED))
_UNSEEN: Final = ", ".join(f"'{coverage.value}'" for coverage in sorted(UNSEEN))

_FROM_MINUTES: Final = f"""
SELECT intDiv(toUnixTimestamp(minute), {{step:UInt32}}) * {{step:UInt32}} AS at,
    {", ".join(f"sum({'healthy_unseen' if c == 'unseen' else c}) AS {c}_" for c in _COLUMNS)}
FROM minute_rates
WHERE minute >= toDateTime({{since:UInt32}}, 'UTC') AND minute < toDateTime({{until:UInt32}}, 'UTC') AND
{WITHIN}
GROUP BY at ORDER BY at
"""

_MEAN: Final = ("faithfulness", "answer_relevance", "context_sufficiency", "citation_precision")
_FROM_TRACES: Final = f"""
SELECT intDiv(toUnixTimestamp(timestamp), {{step:UInt32}}) * {{step:UInt32}} AS at,
    count() AS traces_,
    countIf(failure = 'healthy' AND coverage IN ({_UNSEEN})) AS unseen_,
    {
    ", ".join(
        f"countIf(failure = '{c}') AS {'hallucinated' if c == 'hallucination' else c}_" for c in CLASSES
    )
},
    countIf(hallucination >= 0.5) AS hallucination_decided_,
    count(hallucination) AS hallucination_measured_,
    {", ".join(f"sum({c}) AS {c}_sum_, count({c}) AS {c}_measured_" for c in _MEAN)},
    countIf(refusal) AS refusals_,
    countIf(refusal AND quadrant = 'honest') AS correct_refusals_,
    countIf(parametric_leak) AS parametric_leaks_,
    countIf(if(late.was_late, late.rating, feedback_rating) < 0) AS thumbs_down_,
    countIf(if(late.was_late, late.rating, feedback_rating) IS NOT NULL) AS feedback_
FROM
(
    SELECT * REPLACE ({all_measured()}) FROM traces FINAL
    WHERE timestamp >= toDateTime64({{since:UInt32}}, 3, 'UTC')
        AND timestamp < toDateTime64({{until:UInt32}}, 3, 'UTC') AND {WITHIN}
) AS trace
LEFT JOIN
(
    SELECT trace_id, rating, true AS was_late FROM feedback FINAL
    WHERE received_at >= toDateTime64({{since:UInt32}}, 3, 'UTC') - INTERVAL 1 DAY
) AS late ON late.trace_id = trace.trace_id
GROUP BY at ORDER BY at
"""

_CORRECTED: Final = """
SELECT measure, value, low, high, judged, method, toUnixTimestamp(at) AS seen_at
FROM rates
WHERE segment = {segment:String} AND method != 'cheap' AND window_s <= 3600
    AND at >= toDateTime({until:UInt32}, 'UTC') - INTERVAL 2 HOUR
ORDER BY at DESC, window_s DESC, computed_at DESC
LIMIT 1 BY measure
"""


@dataclass(frozen=True, slots=True)
class Counts:
    """What was counted in one step of time (or in all of them): by column."""

    at: float
    by: Mapping[str, float]

    @property
    def seen(self) -> float:
        """Traces that could have shown a failure: those that nobody could look at are no evidence of
        health."""
        return self.by["traces"] - self.by["unseen"]

    def figure(self, measure: str) -> Figure:
        """A measure as a share, or a class of it."""
        hits, of = MEASURES[measure]
        return share(self.by[hits], self.by[of])

    def of_class(self, name: str) -> float:
        """Traces of a class. Those that nobody could look at are not healthy, only not known to be anything
        else."""
        if name == HEALTHY:
            return self.by["healthy"] - self.by["unseen"]
        return self.by["hallucinated" if name == "hallucination" else name]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A rate that verdicts of calibrated judges correct, as the watch computed it last."""

    figure: Figure
    judged: int
    method: str
    at: float


@dataclass(frozen=True, slots=True)
class Rates:
    """A period in steps, and as a whole."""

    period: Period
    steps: tuple[Counts, ...]
    whole: Counts
    corrected: Mapping[str, Corrected] = field(default_factory=dict)

    def points(self, measure: str) -> list[Point]:
        """A measure over time; a step without any traffic was not measured."""
        half = self.period.step / 2
        by_start = {step.at: step for step in self.steps}
        return [
            Point(at + half, by_start[at].figure(measure) if at in by_start else NOT_MEASURED)
            for at in self.period.starts
        ]


def read_rates(client: ClickHouse, asked: Period, part: Segment) -> Rates:
    """Count the traces of a period. Raises SinkError."""
    parameters = asked.parameters | part.parameters
    rows = client.query(_FROM_TRACES if asked.step < 60 else _FROM_MINUTES, parameters)
    steps = tuple(_counts(row, float(row["at"])) for row in rows)
    whole = {name: sum(step.by[name] for step in steps) for name in _COLUMNS}
    corrected = client.query(_CORRECTED, {"segment": part.text, "until": asked.parameters["until"]})
    return Rates(
        asked, steps, Counts(asked.since, whole), {str(row["measure"]): _corrected(row) for row in corrected}
    )


def _counts(row: Mapping[str, Any], at: float) -> Counts:
    return Counts(at, {name: float(row[f"{name}_"] or 0) for name in _COLUMNS})


def _corrected(row: Mapping[str, Any]) -> Corrected:
    figure = known(row["value"], row["low"], row["high"], float(row["judged"]))
    return Corrected(figure, int(row["judged"]), str(row["method"]), float(row["seen_at"]))


__all__ = ["CLASSES", "GOOD", "MEASURES", "Corrected", "Counts", "Rates", "read_rates"]
