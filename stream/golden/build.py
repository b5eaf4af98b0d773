"""A new version of a golden set, out of labels, on top of the version before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from judges.golden import GoldenSet, Kind
from judges.golden.grow import Growth, grow
from sinks.clickhouse.client import ClickHouse
from sinks.golden import GoldenStore
from stream.distill.from_store import Period
from stream.golden.from_store import Gathered, gather


@dataclass(frozen=True, slots=True)
class Plan:
    """What to build."""

    name: str
    period: Period
    least: int
    """Annotators who must say the same, where no arbitrator had the last word."""
    who: str
    when: datetime
    why: str
    wanted: Mapping[Kind, int]
    refresh: bool = False
    keep: bool = True
    """Whether the version is stored."""


@dataclass(frozen=True, slots=True)
class Built:
    """What came of it."""

    gathered: Gathered
    growth: Growth
    is_new: bool
    """Whether the cases, or what is wanted of them, are others than the parent's."""


def build(client: ClickHouse, parent: GoldenSet | None, plan: Plan) -> Built:
    """Gather what people agreed on, grow the parent by it, store the version. Raises SinkError.

    Where nothing new is agreed on, the parent stays the newest version and nothing is stored.
    """
    gathered = gather(client, plan.period, plan.least)
    before = parent or GoldenSet(plan.name, ())
    growth = grow(
        before,
        gathered.cases,
        who=plan.who,
        when=plan.when,
        why=plan.why,
        wanted=plan.wanted,
        refresh=plan.refresh,
    )
    is_new = growth.golden.version != before.version
    if is_new and plan.keep:
        GoldenStore(client).save(growth.golden)
    return Built(gathered, growth, is_new)


__all__ = ["Built", "Plan", "build"]
