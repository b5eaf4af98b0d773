"""Which rule of the settings a trace falls under."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from schemas.scored import Judged
from stream.sampling.thinning import Bucket
from stream.settings.sampling import SamplingRule, SamplingSettings


@dataclass(slots=True)
class Segment:
    """What holds for the traces of one rule, or for those of none."""

    rate: float
    excluded: bool
    bucket: Bucket | None
    """Its own limit; null where it has none."""


def language_of(judged: Judged) -> str:
    """As in the row: what the scorer saw, else what the trace says."""
    return judged.scores.language or judged.trace.language or ""


def segments(settings: SamplingSettings) -> Callable[[Judged], Segment]:
    """A function that finds the segment of a trace: the first rule that fits, else that of all others."""
    others = Segment(settings.base_rate, False, None)
    rules = [(list(rule.named().items()), _segment(rule)) for rule in settings.rules]

    def find(judged: Judged) -> Segment:
        for named, segment in rules:
            if all(_READ[name](judged) == value for name, value in named):
                return segment
        return others

    return find


def _segment(rule: SamplingRule) -> Segment:
    return Segment(rule.rate, rule.excluded, Bucket(rule.per_minute) if rule.per_minute else None)


def _of_trace(name: str) -> Callable[[Judged], str]:
    return lambda judged: getattr(judged.trace, name) or ""


def _of_release(part: str) -> Callable[[Judged], str]:
    return lambda judged: (judged.trace.release and getattr(judged.trace.release, part)) or ""


_READ: Final[dict[str, Callable[[Judged], str]]] = {
    **{name: _of_trace(name) for name in ("app", "tenant", "environment", "intent")},
    **{
        f"release_{part}": _of_release(part)
        for part in ("app", "prompt", "index", "embedding_model", "reranker", "generator")
    },
    "language": language_of,
}


__all__ = ["Segment", "language_of", "segments"]
