"""Is a change more than noise? Paired by case, all metrics and strata of a layer at once.

Were candidate and baseline the same system, each difference of a case could as well have come out the other
way round. So the signs of the differences are flipped at random, one coin a case for all of its metrics, and
the greatest of all statistics is looked at each time: Westfall and Young (1993), "Resampling-Based Multiple
Testing", chapter 2 (max-T). A change counts where it is greater than chance makes the greatest. This is exact
for any noise that does not know which of the two runs it is in, however many metrics and strata there are.

The statistic is T = Σd / √Σd², which flipping keeps on one scale (Efron 1969, "Student's t-test under
symmetry conditions"); the interval is made of all shifts δ of which T(d - δ) stays within the limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FLIPS: Final = 20_000
_BLOCK: Final = 1_000
_TIE: Final = 1e-4
"""Statistics are sums of single precision: nearer than this they are one."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What chance makes of the greatest statistic: beyond `value` it goes in `alpha` of all runs at most."""

    value: float
    greatest: Floats
    """Of each flip, sorted."""

    def chance(self, statistic: float) -> float:
        """How often chance makes one as great (0..1), all metrics and strata together."""
        as_great = len(self.greatest) - int(np.searchsorted(self.greatest, statistic - _TIE))
        return (1 + as_great) / (1 + len(self.greatest))


def limit_of(differences: Floats, alpha: float, *, seed: int = 0, flips: int = FLIPS) -> Limit:
    """The limit for `differences` (cases × tests), nan where a case is no part of a test."""
    moved = np.nan_to_num(differences)
    moved = moved[np.any(moved != 0, axis=1)][:, np.any(moved != 0, axis=0)]
    allowed = math.floor(alpha * (flips + 1))
    if allowed < 1:
        raise ValueError(f"{flips} flips cannot show a chance of {alpha}")
    if not moved.size:
        return Limit(0.0, np.zeros(flips))
    greatest = np.sort(_flip(moved / np.sqrt((moved**2).sum(axis=0)), seed, flips))
    return Limit(float(greatest[-allowed]) + _TIE, greatest)


def _flip(scaled: Floats, seed: int, flips: int) -> Floats:
    """The greatest statistic of each flip; `scaled` columns have the length 1."""
    random = np.random.default_rng(seed)
    greatest = np.empty(flips)
    columns = scaled.astype(np.float32)
    for start in range(0, flips, _BLOCK):
        size = min(_BLOCK, flips - start)
        signs = random.integers(0, 2, size=(size, len(columns)), dtype=np.int8).astype(np.float32) * 2 - 1
        greatest[start : start + size] = (signs @ columns).max(axis=1)
    return greatest


def statistic(drops: Floats) -> float:
    """T = Σd / √Σd² of the drops of a test's cases; 0 where nothing moved."""
    length = float(np.sqrt((drops**2).sum()))
    return float(drops.sum()) / length if length else 0.0


def interval(drops: Floats, limit: float) -> tuple[float, float]:
    """From where to where the true mean drop may lie, all tests of the limit together; within -1..1.

    With too few cases nothing can be told: everything may be.
    """
    n, mean = len(drops), float(drops.mean())
    squares = float(((drops - mean) ** 2).sum())
    if not np.any(drops):
        return 0.0, 0.0
    if n <= limit**2:
        return -1.0, 1.0
    half = limit * math.sqrt(squares / (n * (n - limit**2)))
    return max(-1.0, mean - half), min(1.0, mean + half)


def least_lost(cases: int, limit: float, allowed: float) -> int | None:
    """How many of `cases` must be lost, and none gained, to be seen; null where all of them are too few."""
    if cases <= limit**2:
        return None
    lost = np.arange(1, cases + 1, dtype=np.float64)
    mean = lost / cases
    seen = mean - limit * np.sqrt(lost * (1 - mean) / (cases * (cases - limit**2))) > allowed
    return int(lost[seen][0])


__all__ = ["FLIPS", "Floats", "Limit", "interval", "least_lost", "limit_of", "statistic"]
