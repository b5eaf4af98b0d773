"""What is told of an incident, whoever it is told to. Without samples it holds no text of any trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Event = Literal["opened", "changed", "reminder", "resolved"]


@dataclass(slots=True, frozen=True)
class Sample:
    """One of the worst cases, in words: only where sending text is allowed."""

    trace_id: str
    question: str
    answer: str


@dataclass(slots=True, frozen=True)
class News:
    """An incident as it is now. Times are seconds since 1970; rates 0 to 1, null where not known."""

    event: Event
    incident_id: str
    status: str
    severity: str
    kind: str
    measure: str
    segment: str
    app: str
    tenant: str
    language: str
    onset: float
    detected_at: float
    resolved_at: float | None
    baseline: float | None
    value: float | None
    low: float | None
    high: float | None
    traces: int
    explained_by: str
    release: str
    summary: str
    description: str = ""
    """What explains it, in a few sentences."""
    cases: tuple[str, ...] = ()
    link: str = ""
    samples: tuple[Sample, ...] = ()


__all__ = ["Event", "News", "Sample"]
