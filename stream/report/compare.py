"""One release against another, kind of traffic by kind of traffic, so that a shift of the mix is no change.

Within each stratum (app, tenant, language, intent, hour of the day, under one scorer) the means of both are
compared; strata are weighted as Mantel and Haenszel (1959) do, n_A·n_B / (n_A + n_B), which is the mix that
both have in common and gives sparse strata no more than they can bear. A stratum that only one of the two has
cannot be compared, and is told. Each standardised mean has Wilson's interval at its own variance; their
difference has the interval that these two make together (Newcombe 1998; for strata Yan and Su 2010).
Turns of a conversation share their fate: variances are those of sums over conversations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from stream.watch.measures import ALERTED
from stream.watch.quantiles import normal_quantile
from stream.watch.rates import Floats, Interval, score_interval
from stream.watch.records import Measure

Verdict = Literal["worse", "better", "no clear difference", "too few traces", "not comparable"]
Stratum = tuple[str, ...]
"""Values of STRATA."""

STRATA: Final = ("app", "language", "intent", "scorer_version")
"""What is always held fixed; `choose.py` adds the tenant and the hour where both have them in common."""
LEAST: Final = 30.0
"""Independent traces of either release, before anything is said."""
_STEADY: Final = 20.0
"""Traces of all strata that stand beside those of one, where its variance is estimated."""
N, SUM, SQUARES, SUM2, SUM_N, N2 = range(6)
"""Sums of a stratum: traces, y, y²; over its conversations, (Σy)², Σy·n, n²."""


@dataclass(slots=True, frozen=True)
class Mean:
    """Of one release, standardised to the mix that both have in common. Badness, 0..1."""

    value: float
    low: float
    high: float
    traces: int
    """Measured in strata that both have."""
    raw: float
    """Over all its traces, whatever the mix."""


@dataclass(slots=True, frozen=True)
class Comparison:
    """B against A in one measure. Differences are badness of B minus badness of A: positive is worse."""

    measure: Measure
    verdict: Verdict
    a: Mean | None
    b: Mean | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    """The interval at `level`."""
    surely_low: float | None = None
    surely_high: float | None = None
    """The same, such that all measures together are right with probability `level` (Bonferroni)."""
    by_mix: float | None = None
    """What the mix alone adds to the difference of the raw means."""
    compared: tuple[float, float] = (0.0, 0.0)
    """Share of the measured traces of A and of B that lie in strata which both have."""
    strata: int = 0
    level: float = 0.95


@dataclass(slots=True, frozen=True)
class Arms:
    """Sums by stratum, measure and N to N2, for both releases."""

    strata: tuple[Stratum, ...]
    a: Floats
    b: Floats
    measures: tuple[Measure, ...] = field(default=tuple(Measure))


def compare(arms: Arms, margin: float = 0.0, level: float = 0.95) -> list[Comparison]:
    """Every measure. `margin`: a rise by less is not called worse, nor a fall by less better."""
    return [
        _compare(measure, arms.a[:, number], arms.b[:, number], margin, level)
        for number, measure in enumerate(arms.measures)
    ]


def mean_of_all(sums: Floats, level: float = 0.95) -> Mean | None:
    """Of the six sums of some traffic, whatever its mix: the mean, with its interval. Null where nothing was
    measured."""
    if not sums[N]:
        return None
    value = min(max(float(sums[SUM] / sums[N]), 0.0), 1.0)
    independent = float(sums[N]) / _design_effect(sums[None, :])
    spread = max(float(sums[SQUARES] - sums[SUM] ** 2 / sums[N]), 0.0) / float(sums[N])
    quantile = normal_quantile((1 + level) / 2)
    interval = score_interval(value, spread / independent, independent, quantile, level)
    return Mean(value, interval.low, interval.high, round(float(sums[N])), value)


def is_worse(comparisons: Sequence[Comparison]) -> bool:
    """Whether B is clearly worse in anything that is watched. Correct refusals are told, and blame nobody."""
    return any(one.verdict == "worse" and one.measure in ALERTED for one in comparisons)


def is_comparable(comparisons: Sequence[Comparison]) -> bool:
    """Whether anything could be compared at all."""
    return any(one.difference is not None for one in comparisons)


def _compare(measure: Measure, a: Floats, b: Floats, margin: float, level: float) -> Comparison:
    shared = (a[:, N] > 0) & (b[:, N] > 0)
    compared = (_share(a[:, N], shared), _share(b[:, N], shared))
    if not shared.any():
        return Comparison(measure, "not comparable", None, None, compared=compared, level=level)
    weights = a[shared, N] * b[shared, N] / (a[shared, N] + b[shared, N])
    weights = weights / weights.sum()
    arm_a, arm_b = (_arm(sums, shared, weights) for sums in (a, b))
    mean_a, mean_b = (arm.mean(level) for arm in (arm_a, arm_b))
    facts = {
        "compared": compared,
        "strata": int(shared.sum()),
        "level": level,
        "by_mix": (mean_b.raw - mean_a.raw) - (mean_b.value - mean_a.value),
    }
    if min(arm_a.independent, arm_b.independent) < LEAST:
        return Comparison(measure, "too few traces", mean_a, mean_b, **facts)  # type: ignore[arg-type]
    sure = 1.0 - (1.0 - level) / len(ALERTED)
    low, high = _difference(arm_a, arm_b, level)
    surely_low, surely_high = _difference(arm_a, arm_b, sure)
    return Comparison(
        measure, _verdict(surely_low, surely_high, margin), mean_a, mean_b, mean_b.value - mean_a.value,
        low, high, surely_low, surely_high, **facts,  # type: ignore[arg-type]
    )  # fmt: skip


@dataclass(slots=True, frozen=True)
class _Arm:
    value: float
    variance: float
    independent: float
    """So many independent traces at this mix have that variance, for a rate."""
    traces: int
    raw: float

    def interval(self, level: float) -> Interval:
        quantile = normal_quantile((1 + level) / 2)
        return score_interval(self.value, self.variance, self.independent, quantile, level)

    def mean(self, level: float) -> Mean:
        interval = self.interval(level)
        return Mean(self.value, interval.low, interval.high, self.traces, self.raw)


def _arm(sums: Floats, shared: NDArray[np.bool_], weights: Floats) -> _Arm:
    own = sums[shared]
    n = own[:, N]
    effect = _design_effect(own)
    value = float((weights * own[:, SUM] / n).sum())
    inverse = weights * weights / n
    variance = float((inverse * _spread(own)).sum()) * effect
    return _Arm(
        value=min(max(value, 0.0), 1.0),
        variance=variance,
        independent=1.0 / (float(inverse.sum()) * effect),
        traces=round(float(n.sum())),
        raw=float(sums[:, SUM].sum() / sums[:, N].sum()),
    )


def _spread(sums: Floats) -> Floats:
    """Variance of one trace by stratum, about the stratum's mean, steadied by that of all strata."""
    n = sums[:, N]
    squares = np.maximum(sums[:, SQUARES] - sums[:, SUM] ** 2 / n, 0.0)
    overall = float(squares.sum()) / max(float(n.sum()) - len(n), 1.0)
    return np.asarray((squares + _STEADY * overall) / (np.maximum(n - 1, 0.0) + _STEADY))


def _design_effect(sums: Floats) -> float:
    """How many times the variance is what independent traces would give, over all strata; at least 1."""
    mean = sums[:, SUM] / sums[:, N]
    clustered = sums[:, SUM2] - 2 * mean * sums[:, SUM_N] + mean * mean * sums[:, N2]
    plain = sums[:, SQUARES] - mean * sums[:, SUM]
    total = float(plain.sum())
    return max(1.0, float(clustered.sum()) / total) if total > 1e-9 else 1.0


def _difference(a: _Arm, b: _Arm, level: float) -> tuple[float, float]:
    """The interval of b - a from the two intervals: square and add (Newcombe 1998)."""
    of_a, of_b = a.interval(level), b.interval(level)
    difference = b.value - a.value
    down = math.hypot(b.value - of_b.low, of_a.high - a.value)
    up = math.hypot(of_b.high - b.value, a.value - of_a.low)
    return max(-1.0, difference - down), min(1.0, difference + up)


def _verdict(low: float, high: float, margin: float) -> Verdict:
    if low > margin:
        return "worse"
    return "better" if high < -margin else "no clear difference"


def _share(n: Floats, shared: NDArray[np.bool_]) -> float:
    total = float(n.sum())
    return float(n[shared].sum()) / total if total else 0.0


def arms_of(a: Mapping[Stratum, Floats], b: Mapping[Stratum, Floats]) -> Arms:
    """From sums by stratum (measures × 6), of whichever strata each release has."""
    strata = tuple(sorted({*a, *b}))
    nothing = np.zeros((len(Measure), 6))
    return Arms(
        strata,
        np.array([a.get(stratum, nothing) for stratum in strata]).reshape(-1, len(Measure), 6),
        np.array([b.get(stratum, nothing) for stratum in strata]).reshape(-1, len(Measure), 6),
    )


__all__ = [
    "LEAST", "N2", "SQUARES", "STRATA", "SUM", "SUM2", "SUM_N", "Arms", "Comparison", "Mean", "N", "Stratum",
    "Verdict", "arms_of", "compare", "is_comparable", "is_worse", "mean_of_all",
]  # fmt: skip
