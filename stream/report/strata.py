"""Sums by kind of traffic: at the finest that is read, and coarser. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from stream.report.compare import Stratum
from stream.watch.records import Floats

FINEST: Final = ("app", "tenant", "language", "intent", "hour", "scorer_version")
"""Columns that strata are made of. The hour is that in which the conversation, or its part, began."""


def coarser(sums: Mapping[Stratum, Floats], columns: Sequence[str]) -> dict[Stratum, Floats]:
    """The same by fewer columns (of FINEST)."""
    total: dict[Stratum, Floats] = {}
    for stratum, one in sums.items():
        kept = keep(stratum, columns)
        total[kept] = total[kept] + one if kept in total else one.copy()
    return total


def coarser_counts(counts: Mapping[Stratum, int], columns: Sequence[str]) -> dict[Stratum, int]:
    """The same of counts."""
    total: dict[Stratum, int] = {}
    for stratum, one in counts.items():
        kept = keep(stratum, columns)
        total[kept] = total.get(kept, 0) + one
    return total


def keep(stratum: Stratum, columns: Iterable[str]) -> Stratum:
    """Of a stratum at its finest, the values of these columns."""
    return tuple(stratum[FINEST.index(column)] for column in columns)


__all__ = ["FINEST", "coarser", "coarser_counts", "keep"]
