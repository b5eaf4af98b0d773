"""Quantiles of the normal, Student's t and the beta distribution, without a statistics library."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

_NORMAL: Final = NormalDist()
_TINY: Final = 1e-300
_MANY_DEGREES: Final = 20.0


def normal_quantile(probability: float) -> float:
    """Below which number a standard normal variable lies with this probability, in (0, 1)."""
    return _NORMAL.inv_cdf(probability)


@lru_cache(maxsize=4096)
def t_quantile(probability: float, degrees: float) -> float:
    """The same for Student's t with `degrees` > 0 of freedom; infinity is the normal distribution.

    From 20 degrees on by Abramowitz and Stegun (1964), 26.7.5, right to four places; below through the beta
    distribution.
    """
    if probability < 0.5:
        return -t_quantile(1.0 - probability, degrees)
    z = normal_quantile(probability)
    if math.isinf(degrees):
        return z
    if degrees >= _MANY_DEGREES:
        g1 = (z**3 + z) / 4
        g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + g1 / degrees + g2 / degrees**2 + g3 / degrees**3
    x = beta_quantile(2.0 * (1.0 - probability), degrees / 2, 0.5)
    return math.sqrt(degrees * (1.0 - x) / max(x, _TINY))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """The same for the beta distribution with shapes `a`, `b` > 0: by halving, to the last place or so."""
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        if beta_share(middle, a, b) < probability:
            low = middle
        else:
            high = middle
        if high - low <= 1e-15 * high:
            break
    return (low + high) / 2


def beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b): the share of Beta(a, b) below `x` in 0..1.

    By its continued fraction, DLMF 8.17.22, evaluated after Lentz.
    """
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - beta_share(1.0 - x, b, a)
    front = math.exp(
        a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    )
    return front * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, 500):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / _away_from_zero(1.0 + term * d)
            c = _away_from_zero(1.0 + term / c)
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


__all__ = ["beta_quantile", "beta_share", "normal_quantile", "t_quantile"]
