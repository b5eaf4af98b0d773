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
    """Whether the cases are others than the parent's."""
    aims_anew: bool
    """Whether something else is wanted of the same cases."""


def build(client: ClickHouse, parent: GoldenSet | None, plan: Plan) -> Built:
    """Gather what people agreed on, grow the parent by it, store the version. Raises SinkError.

    Where nothing new is agreed on, the parent stays the newest version; what is wanted may change still.
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
    aims_anew = bool(before.cases) and not is_new and growth.golden.wanted != before.wanted
    if plan.keep and is_new:
        GoldenStore(client).save(growth.golden)
    elif plan.keep and aims_anew:
        GoldenStore(client).aim(plan.name, growth.golden.version, growth.golden.wanted)
    return Built(gathered, growth, is_new, aims_anew)


__all__ = ["Built", "Plan", "build"]
