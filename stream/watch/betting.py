"""Bets against "nothing has changed": evidence that may be looked at all the time.

Each trace multiplies the wealth of a bet by 1 + λ·(p - μ), p the scorer's probability of a hallucination, μ
what is usual for the segment. Where nothing changed that is 1 on average, whatever the distribution of p, so
that great wealth is unlikely at any time (Ville). To see a change that begins in the middle of a stream, the
wealth is never let below 1: its logarithm is a CUSUM. Shin, Ramdas and Rinaldo, "E-detectors: a nonparametric
framework for sequential change detection" (2023). A grid of λ covers small and large changes; the richest bet
decides.

Traces come as counts by bucket of p: what a table can hold for each segment and few seconds.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LAMBDAS: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 12.0)
EDGES: Final = (
    0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.13, 0.16, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6,
    0.7, 0.8, 0.9, 1.0,
)  # fmt: skip
"""Of the buckets of p. A value on an edge belongs above it, 1 to the last bucket."""
CENTRES: Final = tuple((low + high) / 2 for low, high in pairwise(EDGES))
BUCKETS: Final = len(CENTRES)
_MOST_STAKED: Final = 0.9
"""Of the wealth, at most: a bet is never ruined by one trace."""


def count_by_bucket(values: Floats) -> Floats:
    """How many of these probabilities lie in each bucket; NaN, not measured, in none."""
    known = values[~np.isnan(values)]
    return np.histogram(known, bins=np.asarray(EDGES))[0].astype(np.float64)


def mean_of_counts(counts: Floats) -> Floats:
    """Mean of p by bucket centres over the last axis; NaN where there are no traces."""
    with np.errstate(invalid="ignore"):
        return np.asarray(counts @ np.asarray(CENTRES) / counts.sum(axis=-1))


class Bets:
    """One CUSUM a segment and λ. Bins of few seconds come in order; a segment is a row of every array."""

    def __init__(self, segments: int) -> None:
        self._wealth = np.zeros((segments, len(LAMBDAS)))
        self._began = np.zeros((segments, len(LAMBDAS)))
        self._lambdas = np.asarray(LAMBDAS)
        self._centres = np.asarray(CENTRES)
        self._logs: Floats | None = None
        self._usual: Floats | None = None

    @property
    def evidence(self) -> Floats:
        """Logarithm of the richest bet's wealth, by segment: 0 and above."""
        return np.asarray(self._wealth.max(axis=1))

    @property
    def onset(self) -> Floats:
        """Since when the richest bet has been above 0: the likeliest beginning (Page 1954)."""
        best = self._wealth.argmax(axis=1)
        return np.asarray(self._began[np.arange(len(best)), best])

    def observe(self, counts: Floats, usual: Floats, design_effect: Floats, at: float) -> Floats:
        """Bet on one bin that began `at`; returns the evidence.

        `counts`: traces by segment and bucket. `usual`: μ by segment, with whatever guard the caller adds.
        `design_effect`: how much more the mean of p moves than independent traces would have it (1 and
        above): the logarithm is divided by it, which makes a sum of correlated terms a fair bet again where
        it is nearly normal.
        """
        gain = np.einsum("sb,sbl->sl", counts, self._log_factors(usual)) / design_effect[:, None]
        stopped = self._wealth <= 0.0
        self._began[stopped] = at
        self._wealth = np.maximum(self._wealth + gain, 0.0)
        return self.evidence

    def restart(self, segments: NDArray[np.bool_], at: float) -> None:
        """Forget these segments' bets: another scorer, another sampling rate, a late batch."""
        self._wealth[segments] = 0.0
        self._began[segments] = at

    def _log_factors(self, usual: Floats) -> Floats:
        """log(1 + λ·(p - μ)) by segment, bucket and λ; computed anew only where μ has changed."""
        if self._logs is None or self._usual is None or not np.array_equal(usual, self._usual):
            staked = np.minimum(self._lambdas[None, :], _MOST_STAKED / np.maximum(usual[:, None], 1e-9))
            self._logs = np.log1p(staked[:, None, :] * (self._centres[None, :, None] - usual[:, None, None]))
            self._usual = usual.copy()
        return self._logs


__all__ = ["BUCKETS", "CENTRES", "EDGES", "LAMBDAS", "Bets", "count_by_bucket", "mean_of_counts"]
