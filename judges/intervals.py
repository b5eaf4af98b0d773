"""Intervals of proportions, for whoever tells one: pure, and the same for reports, gates and the watch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist


@dataclass(slots=True, frozen=True)
class Interval:
    """From `low` to `high`, within 0..1, with the confidence `level`."""

    low: float
    high: float
    level: float = 0.95


def wilson(positives: float, n: float, level: float = 0.95) -> Interval:
    """The score interval of a proportion: Wilson (1927). Good on average, at any rate and any number.

    `n` may be an effective number of traces, and so no integer; 0 of 0 says nothing: 0 to 1.
    Raises ValueError where positives do not fit into n.
    """
    check_counts(positives, n)
    if n == 0:
        return Interval(0.0, 1.0, level)
    quantile = NormalDist().inv_cdf((1 + level) / 2)
    return score_interval(positives / n, positives * (n - positives) / n**3, n, quantile, level)


def score_interval(value: float, variance: float, pseudo_n: float, quantile: float, level: float) -> Interval:
    """Wilson's interval for an estimate of any variance.

    Solving |θ - value| = q·sd(θ) for θ adds q² pseudo-traces, half of them positive, to the `pseudo_n` that
    say how much variance a difference in θ makes. For a plain proportion both are n, and it is Wilson's own.
    """
    weight = 1.0 + quantile**2 / pseudo_n
    centre = (value + quantile**2 / (2 * pseudo_n)) / weight
    half = quantile * math.sqrt(variance + quantile**2 / (4 * pseudo_n**2)) / weight
    low = 0.0 if value <= 0.0 else max(0.0, centre - half)
    return Interval(low, 1.0 if value >= 1.0 else min(1.0, centre + half), level)


def check_counts(positives: float, n: float) -> None:
    """Raises ValueError where positives do not fit into n."""
    if not 0 <= positives <= n:
        raise ValueError(f"{positives} of {n} is no proportion")


__all__ = ["Interval", "check_counts", "score_interval", "wilson"]
