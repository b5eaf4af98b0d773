"""Traces counted by few seconds and by what they have in common: all that the rest of the watch looks at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from schemas.taxonomy import Coverage
from stream.watch.betting import BUCKETS, EDGES
from stream.watch.measures import badness
from stream.watch.records import COLUMNS, Batch, Floats, Measure, SegmentKey

Combo = tuple[str, ...]
"""One value for each of COLUMNS, and the scorer's version at the end."""

BIN_S: Final = 5.0
MEASURES: Final = tuple(Measure)
COVERAGES: Final = tuple(coverage.value for coverage in Coverage)
_PLACE: Final = {name: place for place, name in enumerate(COLUMNS)}


@dataclass(slots=True, frozen=True)
class Bin:
    """The traces of few seconds, by combination of their columns."""

    at: float
    """When the bin begins."""
    combos: tuple[Combo, ...]
    counts: Floats
    """Traces by measure, combination and bucket of its badness."""
    sums: Floats
    """By measure and combination: measured traces, sum of their badness, sum of its squares."""
    traces: Floats
    """By combination, measured or not."""
    coverage: Floats
    """Traces by combination and COVERAGES."""


def bins_of(batch: Batch, width_s: float = BIN_S) -> Iterator[Bin]:
    """A batch, bin by bin in order of time."""
    numbers = np.floor(batch.timestamp / width_s)
    for number in np.unique(numbers):
        yield _bin(batch.take(numbers == number), float(number) * width_s)


def belongs(combo: Combo, segment: SegmentKey) -> bool:
    """Whether traces with these values lie in the segment."""
    return all(combo[_PLACE[column]] == value for column, value in segment.parts)


def value_of(combo: Combo, column: str) -> str:
    """Its value of this column."""
    return combo[_PLACE[column]]


def _bin(batch: Batch, at: float) -> Bin:
    places: dict[Combo, int] = {}
    columns = [batch.columns[name] for name in COLUMNS]
    rows = zip(*columns, batch.scorer_version, strict=True)
    which = np.array([places.setdefault(row, len(places)) for row in rows], dtype=np.intp)
    size = len(places)
    counts = np.zeros((len(MEASURES), size, BUCKETS))
    sums = np.zeros((len(MEASURES), size, 3))
    for number, measure in enumerate(MEASURES):
        counts[number], sums[number] = _counted(badness(batch, measure), which, size)
    coverage = np.zeros((size, len(COVERAGES)))
    for number, name in enumerate(COVERAGES):
        coverage[:, number] = np.bincount(which[batch.coverage == name], minlength=size)
    traces = np.bincount(which, minlength=size).astype(np.float64)
    weight = batch.weight
    return Bin(at, tuple(places), counts * weight, sums * weight, traces * weight, coverage * weight)


def _counted(
    values: Floats, which: np.ndarray[tuple[int], np.dtype[np.intp]], size: int
) -> tuple[Floats, Floats]:
    known = ~np.isnan(values)
    p, group = values[known], which[known]
    bucket = np.clip(np.searchsorted(EDGES, p, side="right") - 1, 0, BUCKETS - 1)
    counts = np.bincount(group * BUCKETS + bucket, minlength=size * BUCKETS).reshape(size, BUCKETS)
    columns = [np.bincount(group, weights=w, minlength=size) for w in (np.ones_like(p), p, p * p)]
    return counts.astype(np.float64), np.stack(columns, axis=1)


__all__ = ["BIN_S", "COVERAGES", "MEASURES", "Bin", "Combo", "belongs", "bins_of", "value_of"]
