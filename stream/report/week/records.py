"""What a weekly report knows. Plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from judges.clustering import Gaps
from judges.intervals import Interval
from stream.report.compare import Comparison, Mean
from stream.watch.records import Incident, Mark, Measure

DAYS: Final = 7
DAY_S: Final = 86_400


@dataclass(slots=True, frozen=True)
class Count:
    """Traces of one kind."""

    day: int
    """From 0; the first half is the week before."""
    app: str
    tenant: str
    language: str
    failure: str
    """A class, or `healthy`."""
    coverage: str
    traces: int


@dataclass(slots=True, frozen=True)
class Spent:
    """What one judge did and cost."""

    judge: str
    model: str
    judged: int
    failed: int
    over_budget: int
    cost_usd: float
    without_price: int
    """Verdicts whose cost nobody knows."""
    calls: int


@dataclass(slots=True, frozen=True)
class Same:
    """How often judge and scorer name the same class, weighted back to the traffic."""

    judge: str
    model: str
    value: float
    interval: Interval
    n: int
    """Verdicts."""


@dataclass(slots=True, frozen=True)
class Kappa:
    """Agreement with people, as last measured."""

    judge: str
    model: str
    measure: str
    language: str
    """Nothing: all of them."""
    value: float | None
    low: float | None
    high: float | None
    n: int
    calibrated: bool
    at: float


@dataclass(slots=True, frozen=True)
class Judges:
    """All of it."""

    spent: tuple[Spent, ...] = ()
    same: tuple[Same, ...] = ()
    kappas: tuple[Kappa, ...] = ()


@dataclass(slots=True, frozen=True)
class Week:
    """One week, and the one before it."""

    before: datetime
    """When the week before began."""
    since: datetime
    until: datetime
    app: str | None
    counts: tuple[Count, ...]
    measures: Mapping[Measure, Mean | None]
    """Of this week, whatever its mix; badness, as all that follow."""
    days: Mapping[int, Mapping[Measure, Mean | None]]
    comparisons: tuple[Comparison, ...]
    """This week against the week before."""
    apps: Mapping[str, Mapping[Measure, Mean | None]]
    strata: tuple[str, ...]
    incidents: tuple[Incident, ...]
    """That lasted at some time of the week, the first first; parts of others are left out."""
    marks: tuple[Mark, ...]
    """Of both weeks."""
    dead: Mapping[str, int]
    """Dead letters of this week by reason, of all apps: they cannot be told apart."""
    judges: Judges
    gaps: Gaps
    budgets: Mapping[Measure, float]


__all__ = ["DAYS", "DAY_S", "Count", "Judges", "Kappa", "Same", "Spent", "Week"]
