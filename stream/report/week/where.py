"""Where it failed: each app, tenant and language, this week against the week before. Pure."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from judges.intervals import Interval, wilson
from schemas.taxonomy import HEALTHY
from stream.report.week.records import DAYS, Count

LEAST: Final = 30
"""Traces of this week, before a place is told."""


@dataclass(slots=True, frozen=True)
class Place:
    """One app, tenant and language."""

    app: str
    tenant: str
    language: str
    traces: int
    failed: float
    interval: Interval
    before: float | None
    """Null where it had too few traces the week before."""
    low: float | None
    high: float | None
    """The interval of the difference at 95 %."""
    worse: bool
    """Whether the difference is above 0 so surely that it holds for all places together (Bonferroni)."""
    mostly: tuple[tuple[str, int], ...]
    """Failure classes of this week, the most first."""


def places(counts: Iterable[Count]) -> list[Place]:
    """The worst first: by the lower end of the share that failed."""
    this: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    before: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for one in counts:
        (this if one.day >= DAYS else before)[one.app, one.tenant, one.language][one.failure] += one.traces
    told = [key for key in sorted(this) if this[key].total() >= LEAST]
    level = 1.0 - 0.05 / max(1, len(told))
    found = [_place(key, this[key], before[key], level) for key in told]
    return sorted(found, key=lambda one: (-one.interval.low, one.app, one.tenant, one.language))


def _place(key: tuple[str, str, str], this: Counter[str], before: Counter[str], level: float) -> Place:
    n, failed = this.total(), this.total() - this[HEALTHY]
    old_n, old_failed = before.total(), before.total() - before[HEALTHY]
    known = old_n >= LEAST
    low, high = difference(old_failed, old_n, failed, n) if known else (None, None)
    surely = difference(old_failed, old_n, failed, n, level)[0] if known else 0.0
    classes = sorted(
        ((name, count) for name, count in this.items() if name != HEALTHY), key=lambda one: (-one[1], one[0])
    )
    return Place(
        *key, traces=n, failed=failed / n, interval=wilson(failed, n),
        before=old_failed / old_n if known else None, low=low, high=high, worse=surely > 0,
        mostly=tuple(classes),
    )  # fmt: skip


def difference(a: int, n_a: int, b: int, n_b: int, level: float = 0.95) -> tuple[float, float]:
    """The interval of b/n_b - a/n_a: square and add (Newcombe 1998)."""
    of_a, of_b = wilson(a, n_a, level), wilson(b, n_b, level)
    rate_a, rate_b = a / n_a, b / n_b
    down = math.hypot(rate_b - of_b.low, of_a.high - rate_a)
    up = math.hypot(of_b.high - rate_b, rate_a - of_a.low)
    return rate_b - rate_a - down, rate_b - rate_a + up


__all__ = ["LEAST", "Place", "difference", "places"]
