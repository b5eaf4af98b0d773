"""Strata too small for an interval that lose most of what they had.

Five cases of five that fail are no accident where noise spoils one case in ten. What is assumed of noise is
said in the suite, and what improves in the candidate may say that it is more: noise improves as often as it
spoils. The chance is binomial, shared out among all strata and metrics that are looked at (Bonferroni).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from judges.gate.noise import Floats
from judges.intervals import wilson

LOST: Final = 0.5
"""A case that drops by as much is lost."""
_SURE: Final = 0.98


def noise_of(drops: Floats, assumed: float) -> float:
    """Share of the cases that noise spoils: as assumed, or as improvements over all cases show."""
    gained = int((drops <= -LOST).sum())
    return max(assumed, wilson(gained, len(drops), _SURE).high) if gained else assumed


@dataclass(frozen=True, slots=True)
class Fall:
    """What one stratum lost in one metric."""

    cases: int
    lost: int
    had: float
    has: float
    chance: float
    """That noise loses as many, 0..1."""


def fall_of(before: Floats, after: Floats, noise: float) -> Fall:
    """The fall of one stratum; one entry a case."""
    lost = int((before - after >= LOST).sum())
    return Fall(
        len(before), lost, float(before.mean()), float(after.mean()), upper_tail(len(before), noise, lost)
    )


def upper_tail(n: int, rate: float, least: int) -> float:
    """Chance of `least` or more out of `n`, each with `rate`.

    >>> round(upper_tail(5, 0.1, 5), 6)
    1e-05
    """
    if least <= 0 or rate >= 1:
        return 1.0
    if rate <= 0:
        return 0.0
    logs = (
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(rate)
        + (n - k) * math.log1p(-rate)
        for k in range(least, n + 1)
    )
    return min(1.0, math.fsum(math.exp(one) for one in logs))


__all__ = ["LOST", "Fall", "fall_of", "noise_of", "upper_tail"]
