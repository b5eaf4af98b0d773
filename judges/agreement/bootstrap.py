"""Percentile intervals by resampling conversations, the same for the same seed."""

from __future__ import annotations

from typing import Final

import numpy as np

from judges.agreement.pairs import Floats

RESAMPLES: Final = 2_000
_BLOCK: Final = 200
"""Resamples at once: bounds what is held in memory."""
_DEFINED: Final = 0.95
"""An interval needs this share of the resamples to have a value."""


def resample(parts: Floats, *, seed: int, resamples: int = RESAMPLES) -> Floats:
    """Tables (resamples, k, k), each the sum over conversations drawn with replacement.

    `parts`: (clusters, k, k), what each conversation adds to the table. Efron and Tibshirani (1993), "An
    Introduction to the Bootstrap", chapter 8: what is independent is drawn, here conversations.
    """
    random = np.random.default_rng(seed)
    count = len(parts)
    flat = parts.reshape(count, -1)
    drawn = np.empty((resamples, flat.shape[1]))
    for start in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - start)
        often = random.multinomial(count, np.full(count, 1 / count), size=size).astype(np.float64)
        drawn[start : start + size] = often @ flat
    return drawn.reshape(resamples, *parts.shape[1:])


def interval(values: Floats, level: float = 0.95) -> tuple[float, float] | None:
    """The middle `level` of resampled values; null where more than one in twenty is undefined."""
    sound = values[np.isfinite(values)]
    if len(sound) < _DEFINED * len(values) or not len(sound):
        return None
    low, high = np.quantile(sound, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


__all__ = ["RESAMPLES", "interval", "resample"]
