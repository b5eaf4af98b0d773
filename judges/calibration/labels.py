"""What people said of a trace, and what a judge said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from schemas.taxonomy import FAILURES, HEALTHY, Failure

CLASSES: Final = (*(failure.value for failure in FAILURES), HEALTHY)
IMPLIED: Final = {Failure.HALLUCINATION.value: True, HEALTHY: False}
"""What a class says of hallucination. The others do not say."""


@dataclass(slots=True, frozen=True)
class Label:
    """What one annotator said of one trace. Null is not asked, or not known."""

    trace_id: str
    annotator: str = ""
    failure: str | None = None
    """A failure class, or `healthy`."""
    hallucination: bool | None = None
    context_sufficient: bool | None = None
    refusal: bool | None = None
    """Whether the answer declines, in part or altogether."""
    ratings: Mapping[str, int] = field(default_factory=dict)
    """1 to 5 by name."""
    weight: float = 1.0
    """Of the annotator, above 0."""
    language: str = ""
    """Of the trace; empty where the label does not say."""


@dataclass(slots=True, frozen=True)
class JudgeKey:
    """Who judged by what. A judge under another model or rubric is another judge."""

    judge: str
    model: str
    rubric: str
    rubric_version: str

    def __str__(self) -> str:
        return f"{self.judge} ({self.model or 'no model'}, {self.rubric} {self.rubric_version})"


@dataclass(slots=True, frozen=True)
class Said:
    """What one judge said of one trace. Null is not measured."""

    trace_id: str
    key: JudgeKey
    failure: str | None = None
    hallucination: float | None = None
    context_sufficiency: float | None = None
    refusal: bool | None = None
    ratings: Mapping[str, int] = field(default_factory=dict)
    language: str = ""
    sample_probability: float | None = None
    """With which the trace was chosen to be judged, above 0 and up to 1; null where nobody knows."""


@dataclass(slots=True, frozen=True)
class About:
    """What is known of a trace beside what was said of it."""

    language: str = ""
    conversation: str = ""
    sheet_probability: float | None = None
    """With which it was drawn for a sheet of annotators; null where it was on none."""


__all__ = ["CLASSES", "IMPLIED", "About", "JudgeKey", "Label", "Said"]
