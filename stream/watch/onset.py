"""When did it begin? The likeliest change point, and how far to either side it may lie.

Traces before the change average what is usual for them, traces since average more. As the bets do, the change
is measured by log(1 + λ·(p - μ)): summed from a trace to the end, it is greatest where the change began. This
is the maximum likelihood estimate of a change point where the bet is the likelihood ratio (Hinkley 1970; the
argmin of a CUSUM, Page 1954), with λ chosen by what was won since. All within reach of the best sum are as
likely as makes no difference: the interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from stream.watch.betting import LAMBDAS
from stream.watch.records import Floats

_MOST_STAKED: Final = 0.9
_WITHIN: Final = 3.7
"""Of the logarithm, for 95 %: 1 - (1 - exp(-3.7))² = 0.05, as for any change point (Siegmund 1988)."""


@dataclass(slots=True, frozen=True)
class Onset:
    """Seconds since 1970."""

    at: float
    low: float
    high: float
    evidence: float
    """Logarithm of what the best bet won since then."""

    def holds(self, moment: float) -> bool:
        """Whether it may have begun at this moment."""
        return self.low <= moment <= self.high


def find_onset(
    timestamps: Floats, badness: Floats, usual: Floats | float, design_effect: float = 1.0
) -> Onset | None:
    """The onset of a rise, from traces of which the last ones lie after it; null where nothing has risen.

    `timestamps`: ascending. `badness`: 0..1 of each trace, NaN where not measured. `usual`: what is to be
    expected of each, or of all. `design_effect`: traces of one conversation share their fate; the more, the
    wider the interval.
    """
    known = ~np.isnan(badness)
    at, p = timestamps[known], badness[known]
    mu = np.broadcast_to(np.asarray(usual, dtype=np.float64), badness.shape)[known]
    best: tuple[float, Floats] | None = None
    for stake in LAMBDAS:
        staked = np.minimum(stake, _MOST_STAKED / np.maximum(mu, 1e-9))
        gain = np.log1p(staked * (p - mu)) / max(design_effect, 1.0)
        won = gain[::-1].cumsum()[::-1]
        if len(won) and (best is None or won.max() > best[0]):
            best = float(won.max()), won
    if best is None or best[0] <= 0.0:
        return None
    evidence, won = best
    first = int(won.argmax())
    likely = np.flatnonzero(won >= evidence - _WITHIN)
    low = at[likely[0] - 1] if likely[0] else at[0]
    return Onset(float(at[first]), float(low), float(at[likely[-1]]), evidence)


__all__ = ["Onset", "find_onset"]
