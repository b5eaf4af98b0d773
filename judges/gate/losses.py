"""Cases that were lost: more than noise loses, and more than may be lost?

Flipping signs (`noise.py`) assumes nothing of noise, and so needs a dozen lost cases whatever it is. Here it
is assumed how many cases noise spoils: few where nobody judges, more where a model writes or judges, and in
any case as many as the candidate's improvements show, since noise improves as often as it spoils. The chance
that so many or more are lost is binomial, with the allowed drop on top of the noise, and it is shared out
among all metrics and strata of the layer (Bonferroni).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from judges.gate.noise import Floats
from judges.intervals import wilson

LOST: Final = 0.5
"""A case that drops by as much is lost; one that rises by as much is gained."""
_SURE: Final = 0.98


@dataclass(frozen=True, slots=True)
class Losses:
    """What one stratum lost in one metric."""

    cases: int
    lost: int
    gained: int
    kept: float
    """Share that is left of what it scored before; 1 where it had nothing."""
    rate: float
    """Share of the cases that may be lost: by noise, and as allowed."""
    chance: float
    """That as many are lost all the same, 0..1."""


def losses_of(before: Floats, after: Floats, everywhere: Floats, assumed: float, allowed: float) -> Losses:
    """The losses of a stratum, one entry a case; `everywhere` are the drops of all cases in this metric."""
    drops = before - after
    lost, gained = int((drops >= LOST).sum()), int((drops <= -LOST).sum())
    noise = max(assumed, _shown(everywhere), _shown(drops))
    rate = min(1.0, noise + allowed)
    had = float(before.sum())
    kept = float(after.sum()) / had if had else 1.0
    return Losses(len(drops), lost, gained, kept, rate, upper_tail(len(drops), rate, lost))


def _shown(drops: Floats) -> float:
    """How much noise the improvements show, at most; 0 without any."""
    gained = int((drops <= -LOST).sum())
    return wilson(gained, len(drops), _SURE).high if gained else 0.0


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


__all__ = ["LOST", "Losses", "losses_of", "upper_tail"]
