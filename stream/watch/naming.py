"""What an incident is called after: the segment that carries the change, and what was released then. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stream.watch.records import COLUMNS, Mark, Measure, SegmentKey

CARRIES: Final = 0.7
"""Share of the excess that a segment must hold to be the one that carries it."""
_ALIKE: Final = 1.3
"""Two segments whose traffic differs by less are the same traffic under two names."""
_BEFORE_S: Final = 6 * 3_600.0
_AFTER_S: Final = 30.0
"""The onset is an estimate: a release so long after it may still be what it comes from."""
_TOGETHER_S: Final = 30.0
"""Marks so close to each other are one release."""
_PARTS: Final = ("prompt", "index", "generator", "reranker", "embedding_model")
"""The version of the app comes last: it changes with all others."""


@dataclass(slots=True, frozen=True)
class Share:
    """What a segment did since the onset, in traces that could be compared with what is usual for them."""

    segment: SegmentKey
    traces: float
    value: float
    usual: float

    @property
    def excess(self) -> float:
        """Bad traces beyond what is usual."""
        return self.traces * (self.value - self.usual)

    def facts(self, whole: float) -> dict[str, Any]:
        """For the table's JSON."""
        return {
            "segment": self.segment.text,
            "traces": round(self.traces),
            "value": round(self.value, 4),
            "usual": round(self.usual, 4),
            "excess": round(self.excess, 1),
            "share": round(self.excess / whole, 3) if whole > 0 else None,
        }


def carrier(shares: Iterable[Share], within: SegmentKey) -> SegmentKey:
    """The smallest segment that holds most of the excess; of the same traffic under two names, not a release.

    `within`: the segment whose change is explained; it names itself where nothing smaller explains it.
    """
    shares = list(shares)
    whole = max((share.excess for share in shares if related(share.segment, within)), default=0.0)
    carrying = [
        share
        for share in shares
        if related(share.segment, within) and share.traces > 0 and share.excess >= CARRIES * whole > 0
    ]
    if not carrying:
        return within
    least = min(share.traces for share in carrying)
    smallest = [share for share in carrying if share.traces <= _ALIKE * least]
    return min(smallest, key=lambda share: (_rank(share.segment), share.traces)).segment


def related(one: SegmentKey, other: SegmentKey) -> bool:
    """Whether they may share traffic: one holds the other, or both are parts of the same app."""
    return overlap(one, other) or one.value("app") == other.value("app")


def overlap(one: SegmentKey, other: SegmentKey) -> bool:
    """Whether a trace may lie in both: they name no column differently."""
    mine, theirs = dict(one.parts), dict(other.parts)
    return all(mine[column] == theirs[column] for column in mine.keys() & theirs.keys())


def releases_before(marks: Iterable[Mark], onset: float, app: str) -> list[Mark]:
    """The release nearest to the onset that may be its cause: all its marks, the most telling first."""
    near = [
        mark
        for mark in marks
        if -_BEFORE_S <= mark.at - onset <= _AFTER_S and mark.part != "scorer" and app in ("", mark.app)
    ]
    if not near:
        return []
    nearest = min(near, key=lambda mark: abs(mark.at - onset))
    together = [mark for mark in near if abs(mark.at - nearest.at) <= _TOGETHER_S]
    return sorted(together, key=lambda mark: (mark.source != "manual", _part(mark.part), mark.at))


def summarise(
    measure: Measure,
    segment: SegmentKey,
    baseline: float | None,
    value: float | None,
    release: Sequence[Mark],
) -> str:
    """One sentence for whoever is woken."""
    name = measure.value.replace("_", " ")
    where = segment.text or "all traffic"
    usual = f" from {baseline:.1%}" if baseline is not None else ""
    now = f" to {value:.1%}" if value is not None else ""
    direction = "fell" if measure is Measure.FAITHFULNESS else "rose"
    after = f", after the release of {', '.join(mark.text for mark in release)}" if release else ""
    return f"{name} of {where} {direction}{usual}{now}{after}".capitalize()


def _rank(segment: SegmentKey) -> int:
    """Smaller names better: a tenant or a language tells more than the release, which is named beside it."""
    return max((COLUMNS.index(column) for column, _ in segment.parts), default=len(COLUMNS))


def _part(part: str) -> int:
    return _PARTS.index(part) if part in _PARTS else len(_PARTS)


__all__ = ["CARRIES", "Share", "carrier", "overlap", "related", "releases_before", "summarise"]
