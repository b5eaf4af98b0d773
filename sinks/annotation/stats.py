"""How many cases are where, and what annotators have done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Any

from judges.annotation.votes import SETTLED, State
from schemas.annotation import ItemRole
from schemas.taxonomy import HEALTHY
from sinks.annotation.leases import Lease
from sinks.annotation.reading import Case


@dataclass(slots=True)
class Stats:
    """The queue in numbers. `states` counts all cases; `by_…` only those that are open."""

    states: Counter[str] = field(default_factory=Counter)
    """`open`, `agreed`, `conflict`, `arbitrated`, `undecidable`, and `withdrawn` for what left unsettled."""
    held: int = 0
    begun: int = 0
    """Open cases that have a vote."""
    by_reason: Counter[str] = field(default_factory=Counter)
    by_stage: Counter[str] = field(default_factory=Counter)
    by_language: Counter[str] = field(default_factory=Counter)
    controls: int = 0
    """Open controls."""
    oldest_s: float | None = None
    """Age of the oldest open case."""
    annotators: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By annotator: votes, skips, arbitrations, median seconds a case, cases held now."""
    settled_by_class: Counter[str] = field(default_factory=Counter)
    controls_settled: int = 0
    controls_failing: int = 0
    """Of the settled controls: what people found wrong. Their share is that of the traffic."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as JSON takes them."""
        return {
            "states": dict(self.states),
            "held": self.held,
            "begun": self.begun,
            "by_reason": dict(self.by_reason),
            "by_stage": dict(self.by_stage),
            "by_language": dict(self.by_language),
            "controls": self.controls,
            "oldest_s": self.oldest_s,
            "annotators": self.annotators,
            "settled_by_class": dict(self.settled_by_class),
            "controls_settled": self.controls_settled,
            "controls_failing": self.controls_failing,
        }


def count_up(cases: Iterable[Case], leases: Sequence[Lease], now: datetime) -> Stats:
    """Count them."""
    stats = Stats(held=len(leases))
    work = _Work()
    for case in cases:
        outcome, item = case.outcome, case.item
        withdrawn = bool(item.withdrawn) and outcome.state is State.OPEN
        stats.states["withdrawn" if withdrawn else outcome.state.value] += 1
        work.add(case)
        if outcome.state is State.OPEN and not withdrawn:
            _count_open(stats, case, now)
        elif outcome.state in SETTLED and outcome.label is not None:
            failure = outcome.label.failure
            stats.settled_by_class[failure or ""] += 1
            if item.control and failure is not None:
                stats.controls_settled += 1
                stats.controls_failing += failure != HEALTHY
    stats.annotators = work.summed_up(leases)
    return stats


def _count_open(stats: Stats, case: Case, now: datetime) -> None:
    item = case.item
    stats.by_reason[item.reason] += 1
    stats.by_stage[item.first_failed_stage or HEALTHY] += 1
    stats.by_language[item.language] += 1
    stats.controls += item.control
    stats.begun += any(vote.said for vote in case.votes)
    age_s = (now - item.created_at).total_seconds()
    stats.oldest_s = age_s if stats.oldest_s is None else max(stats.oldest_s, age_s)


class _Work:
    """What each annotator did."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[ItemRole]] = {}
        self._seconds: dict[str, list[float]] = {}

    def add(self, case: Case) -> None:
        for vote in case.votes:
            self._counts.setdefault(vote.annotator, Counter())[vote.role] += 1
        for annotator, seconds in case.seconds:
            self._seconds.setdefault(annotator, []).append(seconds)

    def summed_up(self, leases: Sequence[Lease]) -> dict[str, dict[str, Any]]:
        held = Counter(lease.annotator for lease in leases)
        return {
            name: {
                "votes": counts[ItemRole.VOTE],
                "skips": counts[ItemRole.SKIP],
                "arbitrations": counts[ItemRole.ARBITRATION],
                "median_seconds": median(self._seconds[name]) if name in self._seconds else None,
                "held": held[name],
            }
            for name in sorted({*self._counts, *held})
            for counts in [self._counts.get(name, Counter())]
        }


__all__ = ["Stats", "count_up"]
