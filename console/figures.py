"""A number as the console shows it: with its interval and how many it was measured on, or not measured at
all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from judges.intervals import wilson

_ROUNDING: Final = 1e-6
"""Sums of shares may come out above their count by so much, relatively."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A rate or mean in 0..1. `value` is null where nothing was measured: then `low` and `high` are null
    too."""

    value: float | None
    low: float | None
    high: float | None
    n: float
    """Traces that it was measured on."""

    @property
    def measured(self) -> bool:
        """Whether there is anything to show."""
        return self.value is not None


NOT_MEASURED: Final = Figure(None, None, None, 0)


def share(hits: float, of: float) -> Figure:
    """A share with its 95 % interval, Wilson's. Of nothing, nothing is measured.

    `hits` need not be whole: a sum of numbers in 0..1 has at most the variance of a count, so that the
    interval is wide enough for their mean as well. Hits that do not fit into `of` are no share: minutes that
    were added up from damaged rows say nothing, and no page is lost over them.
    """
    if of <= 0 or not 0 <= hits <= of * (1 + _ROUNDING):
        return NOT_MEASURED
    held = min(hits, of)
    interval = wilson(held, of)
    return Figure(held / of, interval.low, interval.high, of)


def known(value: float | None, low: float | None, high: float | None, n: float) -> Figure:
    """A figure that somebody else computed; NaN is nothing measured."""
    if value is None or math.isnan(value):
        return Figure(None, None, None, n)
    return Figure(value, _finite(low), _finite(high), n)


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


__all__ = ["NOT_MEASURED", "Figure", "known", "share"]
