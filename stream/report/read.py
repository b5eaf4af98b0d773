"""What a comparison of releases is made from: sums by stratum, out of table `traces`. Raises SinkError."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from sinks.clickhouse.client import ClickHouse
from stream.report.choose import choose_strata
from stream.report.compare import STRATA, Arms, Stratum
from stream.report.strata import coarser_counts
from stream.report.sums import BADNESS, read_sums
from stream.report.sums import Found as Part
from stream.rescore.items import CONDITION, Period
from stream.watch.records import RELEASE_PARTS

_VALUES: Final = f"""
SELECT COLUMN AS value, count() AS traces FROM traces FINAL
WHERE {CONDITION} AND COLUMN != '' GROUP BY value ORDER BY traces DESC, value LIMIT 10
"""


@dataclass(slots=True)
class Release:
    """What is stored of one release in the period."""

    value: str
    traces: int = 0
    first: datetime | None = None
    last: datetime | None = None
    mix: dict[Stratum, int] = field(default_factory=dict)
    """Traces by stratum, measured or not."""


@dataclass(slots=True, frozen=True)
class Found:
    """Both releases, and their sums."""

    a: Release
    b: Release
    arms: Arms
    strata: tuple[str, ...] = STRATA
    """Columns that strata are made of, as fine as both have them in common."""


def read_releases(client: ClickHouse, part: str, a: str, b: str, period: Period) -> Found:
    """Traces of a period whose release part (of RELEASE_PARTS) has the one or the other value."""
    column = _of_part("COLUMN", part)
    where = f"{CONDITION} AND {column} IN ({{a:String}}, {{b:String}})"
    sums, found = read_sums(client, column, where, {**period.parameters, "a": a, "b": b})
    strata, arms = choose_strata(sums.get(a, {}), sums.get(b, {}))
    return Found(_release(a, found, strata), _release(b, found, strata), arms, strata)


def read_values(client: ClickHouse, part: str, period: Period) -> dict[str, int]:
    """The busiest values of a release part, and how many traces each has."""
    rows = client.query(_of_part(_VALUES, part), period.parameters)
    return {str(row["value"]): int(row["traces"]) for row in rows}


def _of_part(sql: str, part: str) -> str:
    if part not in RELEASE_PARTS:
        raise ValueError(f"{part!r} is no part of a release")
    return sql.replace("COLUMN", f"release_{part}")


def _release(value: str, found: dict[str, Part], strata: tuple[str, ...]) -> Release:
    own = found.get(value, Part())
    return Release(value, own.traces, own.first, own.last, coarser_counts(own.mix, strata))


__all__ = ["BADNESS", "Found", "Release", "read_releases", "read_values"]
