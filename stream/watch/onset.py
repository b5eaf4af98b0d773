"""When did it begin? The likeliest change point, and how far to either side it may lie. Pure.

The mean of bins of few seconds is what is usual up to the change, and more since. For bins from k to the end,
with N traces whose badness exceeds what is usual by D in all, D² / 2Nσ² is the logarithm of the likelihood
ratio of "it rose at k" to "it never rose" where sums are nearly normal: it is greatest where the change began
(Hinkley 1970). All within reach of the greatest are as likely as makes no difference: the interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from stream.watch.records import Floats

_WITHIN: Final = 3.7
"""Of the logarithm, for 95 %: 1 - (1 - exp(-3.7))² = 0.05, as for any change point (Siegmund 1988)."""


@dataclass(slots=True, frozen=True)
class Onset:
    """Seconds since 1970."""

    at: float
    low: float
    high: float
    evidence: float
    """Logarithm of the likelihood ratio."""

    def holds(self, moment: float) -> bool:
        """Whether it may have begun at this moment."""
        return self.low <= moment <= self.high

    def facts(self) -> dict[str, Any]:
        """For the table's JSON."""
        return {
            name: round(value, 1) for name, value in (("at", self.at), ("low", self.low), ("high", self.high))
        }


def find_onset(
    at: Floats, sums: Floats, usual: float, width_s: float, design_effect: float = 1.0
) -> Onset | None:
    """The onset of a rise that lasts to the end; null where nothing has risen.

    `at`: when each bin begins, ascending; each lasts `width_s`. `sums`: by bin, how many traces were
    measured, sum of their badness (0..1), sum of its squares. `usual`: mean badness up to the change.
    `design_effect`: the more turns of a conversation share their fate, the wider the interval.
    """
    kept = sums[:, 0] > 0
    at, sums = at[kept], sums[kept]
    if not len(at):
        return None
    n = _from_here_on(sums[:, 0])
    risen = np.maximum(_from_here_on(sums[:, 1]) - usual * n, 0.0)
    mean = float(sums[:, 1].sum() / sums[:, 0].sum())
    variance = max(float(sums[:, 2].sum() / sums[:, 0].sum()) - mean * mean, 1e-6) * max(design_effect, 1.0)
    ratio = risen * risen / (2.0 * n * variance)
    first = int(ratio.argmax())
    if ratio[first] <= 0.0:
        return None
    likely = np.flatnonzero(ratio >= ratio[first] - _WITHIN)
    # A change in the middle of a bin belongs to it, or to the one after.
    low, high = float(at[likely[0]]) - width_s, float(at[likely[-1]]) + width_s
    return Onset(float(at[first]), low, high, float(ratio[first]))


def _from_here_on(values: Floats) -> Floats:
    return np.asarray(values[::-1].cumsum()[::-1])


__all__ = ["Onset", "find_onset"]
