"""What the parts of `ragpulse watch` hand to each other. Plain records, no behaviour beyond reading them.

reader → Batch → measures by segment → Findings → Incidents → tables and receivers. Times are seconds since
1970, rates and probabilities 0 to 1; NaN in arrays means not measured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Names = NDArray[np.object_]

RELEASE_PARTS: Final = ("app", "prompt", "index", "embedding_model", "reranker", "generator")
COLUMNS: Final = (
    "app", "tenant", "language", "intent", "environment", *(f"release_{part}" for part in RELEASE_PARTS)
)  # fmt: skip
"""What a segment may be made of: columns of table `traces`."""

Kind = Literal["change", "objective", "budget"]
Severity = Literal["page", "ticket"]
Status = Literal["open", "resolved", "absorbed"]

_PART = re.compile(rf"(?:^|,)({'|'.join(COLUMNS)})=")


class Measure(StrEnum):
    """What is watched. Each is a number in 0..1 of a trace; more of it is worse, but for faithfulness."""

    HALLUCINATION = "hallucination"
    """The scorer's probability of an unsupported claim; where it is not measured, nothing."""
    FAITHFULNESS = "faithfulness"
    """Supported claims of all claims: bets are on 1 - faithfulness, rates tell faithfulness itself."""
    REFUSAL = "refusal"
    CORRECT_REFUSAL = "correct_refusal"
    OVER_REFUSAL = "over_refusal"
    SYSTEM_ERROR = "system_error"
    REWRITE_FAILURE = "rewrite_failure"
    EMPTY_RECALL = "empty_recall"
    POOR_RETRIEVAL = "poor_retrieval"


@dataclass(slots=True, frozen=True, order=True)
class SegmentKey:
    """A part of the traffic: those traces with these values. No parts: all traffic."""

    parts: tuple[tuple[str, str], ...] = ()
    """Column (of COLUMNS) and value, sorted by column."""

    @classmethod
    def of(cls, **parts: str) -> Self:
        """`SegmentKey.of(app="helpdesk", language="zh")`."""
        return cls(tuple(sorted(parts.items())))

    @classmethod
    def parse(cls, text: str) -> Self:
        """The other way from `text`; a value may hold commas, as long as no column's name follows one."""
        found = list(_PART.finditer(text))
        ends = [match.start() for match in found[1:]] + [len(text)]
        values = [text[match.end() : end] for match, end in zip(found, ends, strict=True)]
        return cls(tuple(sorted(zip((match[1] for match in found), values, strict=True))))

    @property
    def text(self) -> str:
        """`app=helpdesk,language=zh`; empty for all traffic. As the tables have it."""
        return ",".join(f"{name}={value}" for name, value in self.parts)

    def value(self, column: str) -> str:
        """Its value of this column; empty where it does not say."""
        return dict(self.parts).get(column, "")

    def holds(self, other: SegmentKey) -> bool:
        """Whether all of `other` lies within this one (which is true of itself)."""
        return set(self.parts) <= set(other.parts)


@dataclass(slots=True, frozen=True)
class Batch:
    """Traces, one entry of each array a trace, in order of their timestamps. Each trace comes once."""

    trace_id: Names
    conversation: Names
    """Its id; that of the trace where it is in none."""
    timestamp: Floats
    columns: Mapping[str, Names]
    """By each of COLUMNS; empty text where the trace says nothing."""
    hallucination: Floats
    """The probability."""
    faithfulness: Floats
    failure: Names
    """`healthy` or a class of the taxonomy."""
    refusal: NDArray[np.bool_]
    quadrant: Names
    coverage: Names
    scorer_version: Names
    weight: float = 1.0
    """So many traces each of these stands for: the past may be thinned out."""

    def __len__(self) -> int:
        return len(self.timestamp)

    def take(self, chosen: NDArray[Any]) -> Batch:
        """Those traces alone: a mask, or positions."""
        return replace(
            self,
            columns={name: values[chosen] for name, values in self.columns.items()},
            **{
                name: getattr(self, name)[chosen]
                for name in (
                    "trace_id", "conversation", "timestamp", "hallucination", "faithfulness", "failure",
                    "refusal", "quadrant", "coverage", "scorer_version",
                )
            },
        )  # fmt: skip

    def within(self, segment: SegmentKey) -> NDArray[np.bool_]:
        """Which traces belong to the segment."""
        chosen = np.ones(len(self), dtype=np.bool_)
        for column, value in segment.parts:
            chosen &= self.columns[column] == value
        return chosen


@dataclass(slots=True, frozen=True)
class Finding:
    """What a test says of one segment and measure at this look: it fires, or it did and still may."""

    segment: SegmentKey
    measure: Measure
    kind: Kind
    at: float
    """When it was looked at."""
    onset: float
    """When the change began, as far as this test tells."""
    evidence: float
    """Logarithm of the bet's wealth; for budgets, the burn rate."""
    threshold: float
    firing: bool
    """The evidence reached the threshold, with the minimum of traces behind it."""
    calm: bool
    """The last minutes are as usual again: what counts towards resolving. Neither firing nor calm: wait."""
    baseline: float | None
    """What is usual, or what the objective allows; null where it is not known."""
    value: float
    """Mean of the measure since the onset."""
    low: float
    high: float
    traces: int
    """Measured in the segment since the onset."""
    severity: Severity

    @property
    def change(self) -> float:
        """How much worse than usual, in units of the measure; positive is worse."""
        return self.value - (self.baseline or 0.0)


@dataclass(slots=True, frozen=True)
class Mark:
    """From when on something ran that did not before (table `release_marks`)."""

    at: float
    app: str
    part: str
    """One of RELEASE_PARTS, `scorer`, or another."""
    value: str
    previous: str = ""
    source: Literal["manual", "detected"] = "manual"
    note: str = ""
    made_by: str = ""

    @property
    def text(self) -> str:
        """`index=kb-42`."""
        return f"{self.part}={self.value}"


@dataclass(slots=True, frozen=True)
class Incident:
    """What on-call hears of: one a cause. A row of table `incidents`. Never holds the text of a trace."""

    incident_id: str
    status: Status
    severity: Severity
    kind: Kind
    measure: Measure
    segment: SegmentKey
    onset: float
    detected_at: float
    updated_at: float
    resolved_at: float | None = None
    baseline: float | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    traces: int = 0
    evidence: float = 0.0
    parent: str = ""
    """The incident that this one is part of."""
    explained_by: SegmentKey | None = None
    """The segment that carries the change."""
    release: str = ""
    """Text of the mark nearest before the onset."""
    summary: str = ""
    explanation: Mapping[str, Any] = field(default_factory=dict)
    """For JSON: the split by segment, release marks, what was absorbed."""
    cases: tuple[str, ...] = ()
    """trace_ids of the worst cases, the worst first."""
    notifications: int = 0
    notified_at: float | None = None
    calm_since: float | None = None
    """Since when its findings are calm; not kept in the table."""


__all__ = [
    "COLUMNS",
    "RELEASE_PARTS",
    "Batch",
    "Finding",
    "Floats",
    "Incident",
    "Kind",
    "Mark",
    "Measure",
    "Names",
    "SegmentKey",
    "Severity",
    "Status",
]
