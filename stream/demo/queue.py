"""The annotation queue against what was injected: what its next cases hold, and what chance would find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from judges.annotation.alike import likeness, shingles
from schemas.annotation import AnnotationItem
from schemas.taxonomy import HEALTHY
from sinks.annotation import AnnotationQueue, LeaseBook
from sinks.clickhouse.client import ClickHouse
from stream.annotation.filler import Filler
from stream.annotation.opening import rules_of
from stream.demo.traffic import Truth
from stream.settings import AnnotationSettings

NEXT: Final = 20
_NEARLY: Final = 0.5
"""Likeness of two questions from which on they count as near-duplicates here: stricter than the queue is."""


@dataclass(frozen=True, slots=True)
class Queued:
    """What waits for people."""

    open: int
    by_reason: Mapping[str, int]
    merged: int
    """Traces that cases stand for, beside their own."""
    next_cases: int
    injected: Mapping[str, int]
    """Of the next cases, how many have which failure injected; healthy ones are left out."""
    near_duplicates: int
    """Of the next cases, those whose question is nearly that of one before."""
    controls: int
    base_rate: float
    """Share of all traces with a failure injected: what picking by chance would find."""

    def facts(self) -> dict[str, Any]:
        """As the demo's JSON object has it."""
        return {
            "open": self.open,
            "by_reason": dict(self.by_reason),
            "merged": self.merged,
            "next": {
                "cases": self.next_cases,
                "injected_failures": sum(self.injected.values()),
                "classes": len(self.injected),
                "by_class": dict(self.injected),
                "near_duplicates": self.near_duplicates,
                "controls": self.controls,
            },
            "base_rate": round(self.base_rate, 4),
        }

    def sentence(self) -> str:
        """For people."""
        return (
            f"{self.open} cases wait, which stand for {self.merged} traces more; of the next "
            f"{self.next_cases}, {sum(self.injected.values())} are injected failures of {len(self.injected)} "
            f"classes (by chance: {self.base_rate * self.next_cases:.0f}), "
            f"{self.near_duplicates} near-duplicates"
        )


def fill_and_look(store: ClickHouse, truths: Mapping[str, Truth]) -> Queued:
    """Fill in what came last, and hold the queue against the truth. Raises SinkError."""
    settings = AnnotationSettings()
    Filler(store, settings).turn(slack_s=0.0)
    queue = AnnotationQueue(store, LeaseBook(None), rules=rules_of(settings))
    return compare_queue(queue, truths)


def compare_queue(queue: AnnotationQueue, truths: Mapping[str, Truth]) -> Queued:
    """What the next cases are, by what was injected. Raises SinkError."""
    stats, items = queue.stats(), queue.next_items(NEXT)
    found = [truths[item.trace_id].failure for item in items if item.trace_id in truths]
    failures = sum(truth.failure != HEALTHY for truth in truths.values())
    return Queued(
        open=stats.states["open"],
        by_reason=stats.by_reason,
        merged=sum(case.item.duplicates for case in queue.cases()),
        next_cases=len(items),
        injected=Counter(str(failure) for failure in found if failure != HEALTHY),
        near_duplicates=count_near_duplicates(items),
        controls=sum(item.control for item in items),
        base_rate=failures / len(truths) if truths else 0.0,
    )


def count_near_duplicates(items: Sequence[AnnotationItem]) -> int:
    """Cases whose question is nearly that of one before them."""
    asked = [shingles(str(item.trace.get("question") or "")) for item in items]
    return sum(
        any(likeness(text, before) >= _NEARLY for before in asked[:place]) for place, text in enumerate(asked)
    )


__all__ = ["NEXT", "Queued", "compare_queue", "count_near_duplicates", "fill_and_look"]
