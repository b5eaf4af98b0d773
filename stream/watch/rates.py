"""Plain rates and means of all traffic, with intervals; and what clusters and weights take from a sample.

Values lie in 0..1 throughout. Nothing here knows where they come from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from judges.intervals import Interval, check_counts, score_interval, wilson
from stream.watch.quantiles import beta_quantile, t_quantile

Floats = NDArray[np.float64]


@dataclass(slots=True, frozen=True)
class Rate:
    """A rate or mean with its interval. Null where nothing was measured."""

    value: float | None
    interval: Interval
    n: int
    """Traces that it was measured on."""
    effective_n: float
    """As many independent traces would say as much."""


def clopper_pearson(positives: float, n: float, level: float = 0.95) -> Interval:
    """The exact interval of a proportion: Clopper and Pearson (1934). Never too narrow, often too wide."""
    check_counts(positives, n)
    tail = (1.0 - level) / 2
    low = beta_quantile(tail, positives, n - positives + 1) if positives > 0 else 0.0
    high = beta_quantile(1 - tail, positives + 1, n - positives) if positives < n else 1.0
    return Interval(low, high, level)


def rate_of(positives: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95) -> Rate:
    """The rate of a yes-or-no measure over traces; those without one (NaN) are left out.

    Traces of one cluster (a conversation) share their fate: Wilson's interval, on as many traces as say as
    much independently (n / design effect; Korn and Graubard 1998).
    """
    values, groups = _measured(positives, clusters)
    if not len(values):
        return Rate(None, Interval(0.0, 1.0, level), 0, 0.0)
    effective = len(values) / design_effect(values, groups)
    value = float(values.mean())
    return Rate(value, wilson(value * effective, effective, level), len(values), effective)


def mean_of(values: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95) -> Rate:
    """The mean of a measure over traces (NaN is left out), with Student's interval over clusters.

    Below two clusters nothing is known of its spread: 0 to 1.
    """
    measured, groups = _measured(values, clusters)
    if not len(measured):
        return Rate(None, Interval(0.0, 1.0, level), 0, 0.0)
    value, count = float(measured.mean()), int(groups.max()) + 1
    effective = len(measured) / design_effect(measured, groups)
    if count < 2:
        return Rate(value, Interval(0.0, 1.0, level), len(measured), effective)
    variance = cluster_variance(measured - value, groups)
    half = t_quantile((1 + level) / 2, float(count - 1)) * math.sqrt(variance)
    interval = Interval(max(0.0, value - half), min(1.0, value + half), level)
    return Rate(value, interval, len(measured), effective)


def effective_sample_size(weights: ArrayLike) -> float:
    """Kish (1965): (Σw)² / Σw², as many equally weighted traces would say as much."""
    w = np.asarray(weights, dtype=np.float64)
    squares = float((w * w).sum())
    return float(w.sum()) ** 2 / squares if squares > 0 else 0.0


def design_effect(values: ArrayLike, clusters: ArrayLike) -> float:
    """How many times the variance of the mean is what independent traces would give; at least 1.

    1 where nothing varies, or there is but one cluster: then nothing is known of it.
    """
    x = np.asarray(values, dtype=np.float64)
    groups = np.unique(np.asarray(clusters), return_inverse=True)[1]
    centred = x - x.mean()
    plain = float((centred * centred).mean()) / max(len(x) - 1, 1)
    if plain <= 0.0 or groups.max() == 0:
        return 1.0
    return max(1.0, cluster_variance(centred, groups) / plain)


def cluster_variance(deviations: Floats, groups: NDArray[np.intp]) -> float:
    """Variance of a mean over traces from deviations summed by cluster; groups count from 0, two at least."""
    sums = np.bincount(groups, weights=deviations)
    count = len(sums)
    return float((sums * sums).sum()) * count / (count - 1) / len(deviations) ** 2


def _measured(values: ArrayLike, clusters: ArrayLike | None) -> tuple[Floats, NDArray[np.intp]]:
    x = np.asarray(values, dtype=np.float64)
    kept = ~np.isnan(x)
    if ((x[kept] < 0) | (x[kept] > 1)).any():
        raise ValueError("a value outside of 0..1")
    names = np.arange(len(x)) if clusters is None else np.asarray(clusters)
    return x[kept], np.unique(names[kept], return_inverse=True)[1]


__all__ = [
    "Interval",
    "Rate",
    "clopper_pearson",
    "cluster_variance",
    "design_effect",
    "effective_sample_size",
    "mean_of",
    "rate_of",
    "score_interval",
    "wilson",
]
