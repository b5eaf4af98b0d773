"""How well probabilities fit binary labels, with intervals that respect groups.

Every measure takes a matrix of weights, one line for each resampling of the data, and gives one value a
line: the measure itself and its bootstrap come from the same code. NaN where it is not defined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Measure = Callable[[Floats, Floats, Floats], Floats]
"""(labels (rows,), probabilities (rows,), weights (draws, rows)) → (draws,)."""

DECIDES: Final = 0.5
BINS: Final = 10
DRAWS: Final = 400


def auroc(labels: Floats, chances: Floats, weights: Floats) -> Floats:
    """Chance that a random positive is ranked above a random negative; ties count half."""
    order = np.argsort(chances, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(chances[order]) > 0])
    y, w = labels[order], weights[:, order]
    positive = np.add.reduceat(w * y, starts, axis=1)
    negative = np.add.reduceat(w * (1 - y), starts, axis=1)
    below = np.cumsum(negative, axis=1) - negative / 2
    return _share((positive * below).sum(axis=1), positive.sum(axis=1) * negative.sum(axis=1))


def balanced_accuracy(labels: Floats, chances: Floats, weights: Floats) -> Floats:
    """Mean of the shares of positives and of negatives that are decided rightly at 0.5."""
    said = chances >= DECIDES
    found = _share(weights @ (labels * said), weights @ labels)
    spared = _share(weights @ ((1 - labels) * ~said), weights @ (1 - labels))
    return (found + spared) / 2


def f1(labels: Floats, chances: Floats, weights: Floats) -> Floats:
    """Harmonic mean of precision and recall at 0.5."""
    said = (chances >= DECIDES).astype(np.float64)
    return _share(2 * (weights @ (labels * said)), weights @ labels + weights @ said)


def brier(labels: Floats, chances: Floats, weights: Floats) -> Floats:
    """Mean squared distance from the truth (Brier 1950): 0 is best."""
    squares: Floats = np.square(chances - labels)
    return _share(weights @ squares, weights.sum(axis=1))


def ece(labels: Floats, chances: Floats, weights: Floats) -> Floats:
    """Expected calibration error over ten bins of equal width: mean distance of said from seen."""
    bins = np.minimum((chances * BINS).astype(np.int64), BINS - 1)
    gap = np.zeros(len(weights))
    for b in range(BINS):
        inside = bins == b
        gap += np.abs(weights[:, inside] @ (chances[inside] - labels[inside]))
    return _share(gap, weights.sum(axis=1))


MEASURES: Final[dict[str, Measure]] = {
    "auroc": auroc,
    "balanced_accuracy": balanced_accuracy,
    "f1": f1,
    "brier": brier,
    "ece": ece,
}
LESS_IS_BETTER: Final = frozenset({"brier", "ece"})


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval. NaN: not defined on these rows."""

    value: float
    low: float
    high: float

    def as_json(self) -> list[float] | None:
        """`[value, low, high]`, or null where it is not defined."""
        numbers = (self.value, self.low, self.high)
        return [round(n, 4) for n in numbers] if np.isfinite(numbers).all() else None


def draw_weights(clusters: Ints, weights: Floats, seed: int, draws: int = DRAWS) -> Floats:
    """The weights as they are in the first line, then those of so many grouped bootstrap samples.

    Whole groups are drawn with replacement (Field & Welsh 2007, "Bootstrapping clustered data"), because
    rows of one conversation or question err together.
    """
    _, dense = np.unique(clusters, return_inverse=True)
    groups = int(dense.max(initial=-1)) + 1
    random = np.random.default_rng(seed)
    counts = random.multinomial(groups, np.full(groups, 1 / max(groups, 1)), size=draws) if groups else None
    first = weights[None, :]
    return first if counts is None else np.concatenate([first, counts[:, dense] * weights])


def estimate(values: Floats) -> Estimate:
    """The first value, with the interval that the others (those defined) span."""
    drawn = values[1:][np.isfinite(values[1:])]
    if not np.isfinite(values[0]) or len(drawn) < len(values) / 2:
        return Estimate(float("nan"), float("nan"), float("nan"))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(float(values[0]), float(low), float(high))


def _share(part: Floats, whole: Floats) -> Floats:
    shares: Floats = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return shares


__all__ = [
    "DECIDES", "LESS_IS_BETTER", "MEASURES", "Estimate", "Measure", "auroc", "balanced_accuracy", "brier",
    "draw_weights", "ece", "estimate", "f1",
]  # fmt: skip
