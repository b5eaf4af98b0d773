"""Counts before and since a moment, and how far what came since exceeds what was to be expected. Pure.

Each kind of traffic (app, tenant, language, intent, under one scorer) is expected to do what it did before,
so that more of a difficult kind is no excess. What is known of a narrow kind is mixed with what is known of
wider ones, the more so the fewer its traces.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stream.watch.bins import MEASURES, Bin, Combo, belongs, value_of
from stream.watch.places import STRATUM
from stream.watch.records import COLUMNS, Floats, Measure, SegmentKey

_PRIOR: Final = 20.0
"""Traces of a wider kind that stand beside those of a narrow one, where it has few."""


@dataclass(slots=True, frozen=True)
class Cells:
    """Traces by combination of their columns: how many were measured, sum of badness, sum of squares."""

    combos: tuple[Combo, ...]
    sums: Floats

    def within(self, segment: SegmentKey) -> Cells:
        """Those that lie in the segment."""
        chosen = np.array([belongs(combo, segment) for combo in self.combos], dtype=np.bool_)
        kept = tuple(combo for combo, take in zip(self.combos, chosen, strict=True) if take)
        return Cells(kept, self.sums[chosen])

    def mean(self) -> float | None:
        """Of badness; null where nothing was measured."""
        n = float(self.sums[:, 0].sum())
        return float(self.sums[:, 1].sum()) / n if n else None

    def shares(self, column: str) -> dict[str, float]:
        """Share of the measured traces by value of a column; nothing where there are none."""
        found: dict[str, float] = defaultdict(float)
        for combo, n in zip(self.combos, self.sums[:, 0], strict=True):
            found[value_of(combo, column)] += float(n)
        whole = sum(found.values())
        return {value: n / whole for value, n in found.items()} if whole else {}


def cells_of(bins: Iterable[Bin], measure: Measure) -> Cells:
    """Bins of a period, summed up for one measure."""
    number = MEASURES.index(measure)
    sums: dict[Combo, Floats] = defaultdict(lambda: np.zeros(3))
    for one in bins:
        for combo, values in zip(one.combos, one.sums[number], strict=True):
            sums[combo] = sums[combo] + values
    return Cells(tuple(sums), np.array(list(sums.values())).reshape(-1, 3))


class Excess:
    """By combination since the onset: traces, bad ones beyond what is expected (`d`), and its variance."""

    def __init__(self, before: Cells, since: Cells) -> None:
        self.combos = since.combos
        usual = _Usual(before)
        self.n = since.sums[:, 0]
        expected = np.array([usual.of(combo) for combo in since.combos]).reshape(-1, 3)
        self.bad = since.sums[:, 1]
        self.usual = expected[:, 0]
        self.d = self.bad - self.n * expected[:, 0]
        self._columns = np.array([combo[: len(COLUMNS)] for combo in since.combos], dtype=np.object_)
        self._columns = self._columns.reshape(-1, len(COLUMNS))
        numbers: dict[tuple[str, ...], int] = {}
        strata = [numbers.setdefault(_stratum(combo), len(numbers)) for combo in since.combos]
        self._strata = np.array(strata, dtype=np.intp)
        first = np.unique(self._strata, return_index=True)[1]
        self._spread, self._known = expected[first, 1], np.maximum(expected[first, 2], _PRIOR)

    def members(self, segment: SegmentKey) -> NDArray[np.bool_]:
        """Which combinations lie in the segment."""
        chosen = np.ones(len(self.combos), dtype=np.bool_)
        for column, value in segment.parts:
            chosen &= self._columns[:, COLUMNS.index(column)] == value
        return chosen

    def fit(self, inside: NDArray[np.bool_]) -> float:
        """D² / 2V: how much better a rise there alone fits than no rise; below 0 for a fall."""
        n = np.bincount(self._strata[inside], weights=self.n[inside], minlength=len(self._spread))
        variance = float((self._spread * n * (1.0 + n / self._known)).sum())
        d = float(self.d[inside].sum())
        return d * abs(d) / (2.0 * variance) if variance > 0 else 0.0


class _Usual:
    """What each kind of traffic did before; where little is known of it, wider kinds help out."""

    def __init__(self, before: Cells) -> None:
        self._sums: dict[tuple[str, ...], Floats] = defaultdict(lambda: np.zeros(3))
        for combo, values in zip(before.combos, before.sums, strict=True):
            for kind in _kinds(combo):
                self._sums[kind] = self._sums[kind] + values

    def of(self, combo: Combo) -> tuple[float, float, float]:
        """Mean, variance of one trace, traces that it is known from."""
        mean, square, n = 0.0, 0.0, 0.0
        for kind in _kinds(combo):
            n, total, squares = self._sums.get(kind, np.zeros(3))
            prior = _PRIOR if kind else 1e-9
            mean = (float(total) + prior * mean) / (float(n) + prior)
            square = (float(squares) + prior * square) / (float(n) + prior)
        return mean, max(square - mean * mean, 1e-4), float(n)


def _kinds(combo: Combo) -> list[tuple[str, ...]]:
    """From all traffic to the stratum, the wider first."""
    app, language, version = value_of(combo, "app"), value_of(combo, "language"), combo[-1]
    return [(), (version,), (version, app), (version, app, language), _stratum(combo)]


def _stratum(combo: Combo) -> tuple[str, ...]:
    return (*(value_of(combo, column) for column in STRATUM), combo[-1])


__all__ = ["Cells", "Excess", "cells_of"]
