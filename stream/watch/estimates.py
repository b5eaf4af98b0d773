"""Rates of all traffic from cheap scores on every trace and verdicts on a sample of known probabilities.

The estimate is prediction-powered (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023; with the tuned λ of
Angelopoulos, Duchi and Zrnic, "PPI++", 2023), with inverse-probability weights in the rectifier:

    value = mean over all of (a + λ·cheap) + Σ over judged of w·(verdict - a - λ·cheap),  w ∝ 1 / probability

`a` makes the second sum zero, so that the sizes of weights need not be trusted; λ makes the variance least
and lies in 0..1: a worthless score gets 0, and what is left is the weighted mean of verdicts (Hájek 1971).
This is the general regression estimator of survey sampling (Särndal, Swensson and Wretman 1992, section
6.4), and right whatever the cheap score is worth, as long as verdicts and probabilities are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stream.watch.quantiles import t_quantile
from stream.watch.rates import Floats, Interval, score_interval

Target = Literal["process", "traffic"]
"""What is estimated: the rate behind the traffic, as is compared between periods and releases; or the share
of exactly these traces, whose interval shrinks to nothing when all of them are judged."""
Method = Literal["prediction_powered", "weighted", "cheap", "none"]


_PRIOR_DEGREES: Final = 20.0
"""Of freedom: the pseudo-traces of a score interval steady its variance about as much."""


@dataclass(slots=True, frozen=True)
class Estimate:
    """A rate or mean in 0..1 over the traces that could be judged, and what it takes to trust it or not."""

    value: float | None
    """Null where there is neither a verdict nor a cheap score."""
    low: float
    high: float
    """0 and 1 where nothing is known of the error: without verdicts that may correct, or from one cluster."""
    level: float
    method: Method
    """`prediction_powered`; `weighted`, verdicts alone; `cheap`, scores alone, uncorrected; `none`."""
    cheap: float | None
    """Mean of the cheap scores, uncorrected; null where there are none."""
    lambda_: float
    """How far the cheap score is trusted, 0 to 1."""
    n_all: int
    """Traces that could be judged (of a probability above 0)."""
    n_judged: int
    n_clusters: int
    """Conversations among the judged ones."""
    effective_n: float
    """As many independent traces, all judged, would give the same variance (for a rate; 0 where unknown)."""
    design_n: float
    """What the probabilities alone would leave of the sample: Kish's number, expected over all traces."""
    answered: float
    """Weighted share of the sample that has a verdict; what is missing failed, waits, or was over budget."""
    unmeasured: float
    """Share of traces without a cheap score."""


def estimate(
    verdicts: ArrayLike,
    probabilities: ArrayLike,
    cheap: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    target: Target = "process",
    calibrated: bool = True,
) -> Estimate:
    """The estimate for one segment and period. All arrays have one entry a trace, in the same order.

    `verdicts`: 0..1, NaN where there is none. `probabilities`: with which each trace was chosen for judging,
    chosen or not, as stored; a trace of probability 0 could not be judged and is left out. `cheap`: 0..1, NaN
    where not measured. `clusters`: names of conversations; without, each trace is one by itself.
    `calibrated`: whether the judge agrees with people; one that does not corrects nothing.
    Raises ValueError for a probability that is none, for a verdict on a trace of probability 0, for values
    outside of 0..1, and for arrays of different lengths.
    """
    data = _read(verdicts, probabilities, cheap, clusters)
    judged = data.judged
    if not calibrated or not judged.any():
        return _uncorrected(data, level)
    weights, answered = _weights(data)
    data = replace(data, p=data.p * answered)
    slope = _slope(data, weights)
    offset = float((weights * (data.y - slope * data.f)).sum()) / float(weights.sum())
    predicted = offset + slope * data.f
    value = float(predicted.mean())
    residuals = weights * (data.y - predicted)
    influence = predicted - value + residuals
    design_n = _design_n(data, target)
    variance, degrees = _variance(influence, residuals, data, target)
    interval = _interval(data, min(max(value, 0.0), 1.0), variance, degrees, design_n, level)
    return Estimate(
        value=min(max(value, 0.0), 1.0),
        low=interval.low,
        high=interval.high,
        level=level,
        method="prediction_powered" if slope > 0.0 else "weighted",
        cheap=_mean(data),
        lambda_=slope,
        n_all=len(data.y),
        n_judged=int(judged.sum()),
        n_clusters=len(np.unique(data.groups[judged])),
        effective_n=value * (1 - value) / variance if 0 < value < 1 and variance > 0 else 0.0,
        design_n=design_n,
        answered=answered,
        unmeasured=float(data.unmeasured.mean()),
    )


@dataclass(slots=True, frozen=True)
class _Data:
    """The traces that could be judged. `y` is 0 where there is no verdict; `f` is filled where unmeasured."""

    y: Floats
    judged: NDArray[np.bool_]
    p: Floats
    """Of a verdict: of being chosen, times the share of the chosen that were judged."""
    f: Floats
    unmeasured: NDArray[np.bool_]
    groups: NDArray[np.intp]


def _read(
    verdicts: ArrayLike, probabilities: ArrayLike, cheap: ArrayLike | None, clusters: ArrayLike | None
) -> _Data:
    y, p = np.asarray(verdicts, dtype=np.float64), np.asarray(probabilities, dtype=np.float64)
    f = np.full(len(y), np.nan) if cheap is None else np.asarray(cheap, dtype=np.float64)
    names = np.arange(len(y)) if clusters is None else np.asarray(clusters)
    if not len(y) == len(p) == len(f) == len(names):
        raise ValueError("verdicts, probabilities, scores and clusters must be of one length")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("a probability that is not in 0..1")
    judged = ~np.isnan(y)
    if (p[judged] <= 0).any():
        raise ValueError("a verdict on a trace of probability 0: nobody knows what it stands for")
    for what, values in (("verdict", y), ("score", f)):
        known = values[~np.isnan(values)]
        if ((known < 0) | (known > 1)).any():
            raise ValueError(f"a {what} that is not in 0..1")
    kept = p > 0
    y, p, f, judged = y[kept], p[kept], f[kept], judged[kept]
    unmeasured = np.isnan(f)
    middle = float(f[~unmeasured].mean()) if not unmeasured.all() else 0.0
    groups = np.unique(names[kept], return_inverse=True)[1]
    return _Data(np.where(judged, y, 0.0), judged, p, np.where(unmeasured, middle, f), unmeasured, groups)


def _weights(data: _Data) -> tuple[Floats, float]:
    """A weight a trace, 0 without a verdict, that sum to the number of traces; and who answered."""
    raw = data.judged / data.p
    total = float(raw.sum())
    return raw * (len(raw) / total), min(1.0, total / len(raw))


def _slope(data: _Data, weights: Floats) -> float:
    """λ: the regression of verdicts on scores, each trace counting for what it adds to the variance."""
    v = weights * (1.0 - data.p) / data.p
    total = float(v.sum())
    if total <= 0.0 or data.unmeasured.all():
        return 0.0
    x = data.f - float((v * data.f).sum()) / total
    spread = float((v * x * x).sum())
    if spread <= 1e-12 * total:
        return 0.0
    return min(max(float((v * x * data.y).sum()) / spread, 0.0), 1.0)


def _variance(influence: Floats, residuals: Floats, data: _Data, target: Target) -> tuple[float, float]:
    """Variance of the estimate, and the degrees of freedom that are left in it.

    Behind the traffic: influences summed by cluster, the sandwich. Of the traffic alone, the draws vary, and
    those are independent trace by trace. The degrees are those of Satterthwaite (1946), from fourth moments:
    few where few heavy traces make the variance.
    """
    if target == "traffic":
        parts: Floats = residuals * np.sqrt(1.0 - data.p)
        factor = 1.0
    else:
        parts = np.bincount(data.groups, weights=influence).astype(np.float64)
        factor = len(parts) / max(len(parts) - 1, 1)
    squares = parts * parts
    total = float(squares.sum())
    spread = float((squares * squares).sum()) - total * total / len(squares)
    degrees = 2.0 * total * total / spread if spread > 0.0 else math.inf
    return total * factor / len(influence) ** 2, degrees


def _design_n(data: _Data, target: Target) -> float:
    odds = (1.0 - data.p) / data.p if target == "traffic" else 1.0 / data.p
    total = float(odds.sum())
    return len(odds) ** 2 / total if total > 0.0 else math.inf


def _interval(
    data: _Data, value: float, variance: float, degrees: float, design_n: float, level: float
) -> Interval:
    """A score interval for a rate, Student's for a mean; all of 0..1 where one cluster was judged.

    The variance that was seen knows nothing of heavy positives that the draw happened to miss, the design
    nothing of how well positives are found. Pseudo-traces are counted on both, two parts to one: of what was
    tried, that kept nearest to the level where few positives are judged (benchmarks/estimates.py).
    """
    if len(np.unique(data.groups[data.judged])) < 2 and not math.isinf(design_n):
        return Interval(0.0, 1.0, level)
    seen = data.y[data.judged]
    is_rate = bool(((seen == 0) | (seen == 1)).all())
    if not is_rate or math.isinf(design_n):
        half = t_quantile((1.0 + level) / 2, round(max(degrees, 1.0), 1)) * math.sqrt(variance)
        return Interval(max(0.0, value - half), min(1.0, value + half), level)
    spread = value * (1.0 - value)
    observed_n = max(spread / variance, design_n) if spread > 0.0 and variance > 0.0 else design_n
    pseudo_n = 3.0 / (2.0 / design_n + 1.0 / observed_n)
    quantile = t_quantile((1.0 + level) / 2, round(degrees, 1) + _PRIOR_DEGREES)
    return score_interval(value, variance, pseudo_n, quantile, level)


def _uncorrected(data: _Data, level: float) -> Estimate:
    value = _mean(data)
    return Estimate(
        value=value,
        low=0.0,
        high=1.0,
        level=level,
        method="none" if value is None else "cheap",
        cheap=value,
        lambda_=0.0 if value is None else 1.0,
        n_all=len(data.y),
        n_judged=int(data.judged.sum()),
        n_clusters=len(np.unique(data.groups[data.judged])),
        effective_n=0.0,
        design_n=0.0,
        answered=0.0,
        unmeasured=float(data.unmeasured.mean()) if len(data.y) else 1.0,
    )


def _mean(data: _Data) -> float | None:
    return None if data.unmeasured.all() else float(data.f[~data.unmeasured].mean())


__all__ = ["Estimate", "Method", "Target", "estimate"]
