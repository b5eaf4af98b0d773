"""Labels as they are said, and examples as they are learned from: one trace, one label, one weight.

People come first: where a person has labelled a trace, what judges say of it is not looked at. Several
voices of one kind are weighed against each other; where they cancel out, there is no label.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from judges.distilled.reading.language import detect, normalise
from schemas.taxonomy import HEALTHY, Failure
from schemas.trace import Trace

MAX_INVERSE: Final = 20.0
"""A trace that was chosen with a small probability stands for many others, but for no more than these."""
CLASSES: Final = (*(f.value for f in Failure), HEALTHY)
IMPLIED: Final = {Failure.HALLUCINATION.value: 1.0, HEALTHY: 0.0}
"""What a class says of hallucination. The others do not say."""


class Source(StrEnum):
    """Who gave a label, the most trusted first."""

    HUMAN = "human"
    FILE = "file"
    JUDGE = "judge"


Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Vote:
    """What one annotator or judge said of one trace."""

    by: Source
    who: str = ""
    """Name of the annotator, or of judge and model; empty where nobody is named."""
    hallucination: float | None = None
    """Chance that the answer holds an unsupported claim, 0..1; people say 0 or 1."""
    failure: str | None = None
    """A failure class or `healthy`; null where it was not asked."""
    weight: float = 1.0
    """Of the annotator, or the judge's confidence in its class: 0 and above."""
    sample_probability: float = 1.0
    """With which the trace was chosen to be judged, above 0 and up to 1."""
    spans: Spans | None = None
    """What in the answer is wrong, as offsets; null where nobody marked anything."""


@dataclass(frozen=True, slots=True)
class Label:
    """What is taken to be true of one trace."""

    hallucination: bool | None
    failure: str | None
    weight: float
    by: Source
    who: tuple[str, ...] = ()
    spans: Spans | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """One labelled trace."""

    trace: Trace
    label: Label
    group: str | None = None
    """What a label file says belongs together, such as a source document."""
    also: float | None = None
    """What judges said of a trace that people labelled: how far the two agree is worth knowing."""

    @property
    def language(self) -> str:
        """`en`, `zh`, another code, or nothing where it cannot be told."""
        return language_of(self.trace)

    @property
    def tenant(self) -> str:
        """The tenant, or nothing."""
        return self.trace.tenant or ""

    @property
    def at(self) -> datetime | None:
        """When it happened."""
        return self.trace.timestamp


def language_of(trace: Trace) -> str:
    """The language of a trace as scoring reads it, or nothing."""
    found = detect(trace.question, trace.answer, trace.rewritten_query)
    return found or normalise(trace.language) or ""


def combine_votes(votes: Sequence[Vote]) -> Label | None:
    """One label from all that was said of one trace; null where nothing was, or the voices cancel out."""
    for source in Source:
        heard = [v for v in votes if v.by is source]
        if heard:
            return _weigh(heard, source)
    return None


def judged_beside(votes: Sequence[Vote]) -> float | None:
    """What judges said of a trace that a person labelled as well; null unless both spoke."""
    if not any(v.by is Source.HUMAN for v in votes):
        return None
    return _mean([v for v in votes if v.by is Source.JUDGE])[0]


def level_weights(labels: Mapping[str, Label]) -> dict[str, Label]:
    """The labels by trace_id, those of judges brought to a mean weight of at most one.

    Undoing the selection makes weights large; how large is a matter of the sampling rate, and must not
    let a hundred judged traces outweigh a thousand that people labelled.
    """
    weights = [label.weight for label in labels.values() if label.by is Source.JUDGE]
    mean = sum(weights) / len(weights) if weights else 0.0
    if mean <= 1.0:
        return dict(labels)
    return {
        trace_id: replace(label, weight=label.weight / mean) if label.by is Source.JUDGE else label
        for trace_id, label in labels.items()
    }


def _weigh(votes: Sequence[Vote], source: Source) -> Label | None:
    chance, standing = _mean(votes)
    failure, backing = _most_said(votes)
    agreement = abs(2.0 * chance - 1.0) if chance is not None else backing
    if agreement == 0.0:
        return None
    inverse = max(1.0 / max(v.sample_probability, 1e-9) for v in votes) if source is Source.JUDGE else 1.0
    weight = agreement * (standing if chance is not None else 1.0) * min(inverse, MAX_INVERSE)
    if weight <= 0.0:
        return None
    return Label(
        hallucination=None if chance is None else chance >= 0.5,
        failure=failure,
        weight=weight,
        by=source,
        who=tuple(sorted({v.who for v in votes if v.who})),
        spans=next((v.spans for v in votes if v.spans is not None), None),
    )


def _mean(votes: Iterable[Vote]) -> tuple[float | None, float]:
    """The weighted mean of what was said of hallucination, and the mean weight of those who said it."""
    said = [(c, v.weight) for v in votes if (c := _chance(v)) is not None and v.weight > 0]
    if not said:
        return None, 0.0
    total = sum(w for _, w in said)
    return sum(c * w for c, w in said) / total, total / len(said)


def _chance(vote: Vote) -> float | None:
    if vote.hallucination is not None:
        return vote.hallucination
    return IMPLIED.get(vote.failure or "")


def _most_said(votes: Iterable[Vote]) -> tuple[str | None, float]:
    """The class with the most weight behind it, and its lead over all others as a share (0..1)."""
    by_class: defaultdict[str, float] = defaultdict(float)
    for vote in votes:
        if vote.failure in CLASSES:
            by_class[vote.failure] += vote.weight
    total = sum(by_class.values())
    if total <= 0:
        return None, 0.0
    best = max(by_class, key=lambda name: (by_class[name], -CLASSES.index(name)))
    lead = 2 * by_class[best] / total - 1
    return (best, lead) if lead > 0 else (None, 0.0)


__all__ = [
    "CLASSES", "MAX_INVERSE", "Example", "Label", "Source", "Spans", "Vote", "combine_votes", "judged_beside",
    "language_of", "level_weights",
]  # fmt: skip
