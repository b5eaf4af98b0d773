"""What is usual for each stratum, from its first minutes on.

`Baseline` knows the time of day, and needs hours. Until it is ready, a stratum's mean of all that lies far
enough back stands for it, with a margin of a standard error that shrinks as traces come in. The further
back it reaches, the later it takes new traces in, so that it does not learn from what is just being found.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stream.watch.baseline import BLOCK_S, Baseline
from stream.watch.betting import BUCKETS, CENTRES
from stream.watch.records import Floats

LEAST: Final = 40.0
"""Traces of a stratum before anything is compared with them."""
_MARGIN: Final = 0.5
"""Standard errors. Few, since a bet against a wrong mean gains little while the mean is still learned: in
calm traffic (benchmarks/watching.py) the evidence stays far from the threshold even so."""
_YOUNG_EFFECT: Final = 1.25
"""Design effect while it is not measured: rather more than conversations of three turns make of it."""
_LEAST_EFFECT: Final = 1.05
_GUESSED: Final = 50.0
"""Degrees of freedom that this guess is worth, against what the first blocks say of all strata together."""
_LAG_SHARE: Final = 0.25
_LEAST_LAG_S: Final = 10.0
_MOST_LAG_S: Final = 1_800.0
_MINUTES: Final = 10


class Usual:
    """For one measure: strata, whose means are compared with, and segments, whose restlessness counts."""

    def __init__(self, strata: int, segments: int) -> None:
        self._strata = strata
        self._baseline = Baseline(strata + segments)
        self._learned = np.zeros((strata, 3))
        """Traces, sum and sum of squares of their badness."""
        self._waiting: deque[tuple[float, Floats]] = deque()
        self._began: float | None = None
        self._block: Floats = np.zeros((_MINUTES, strata + segments, BUCKETS))
        self._block_at: float | None = None
        self._scatter = np.zeros(2)
        """Of minutes within their blocks, all strata together; and the degrees of freedom."""

    def mean(self, at: float) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """By stratum: what is usual at this moment, its margin of error, and whether it is known at all."""
        n = np.maximum(self._learned[:, 0], 1.0)
        mean = self._learned[:, 1] / n
        # One more trace of the worst kind: of what never happened in n traces, about 1 / n may still happen.
        variance = np.maximum(self._learned[:, 2] / n - mean * mean, 0.0) + 1.0 / n
        seasoned = self._baseline.ready[: self._strata]
        usual = np.where(seasoned, self._baseline.usual(at)[: self._strata], mean)
        margin = _MARGIN * np.sqrt(variance * _YOUNG_EFFECT / n)
        return usual, margin, (self._learned[:, 0] >= LEAST) | seasoned

    @property
    def effect(self) -> Floats:
        """Design effect by segment."""
        ready = self._baseline.ready[self._strata :]
        return np.where(ready, self._baseline.design_effect[self._strata :], self._young_effect)

    @property
    def _young_effect(self) -> float:
        """What the strata know together, where each by itself knows too little; with one standard error."""
        scatter, degrees = (
            float(self._scatter[0]) + _GUESSED * _YOUNG_EFFECT,
            float(self._scatter[1]) + _GUESSED,
        )
        found = scatter / degrees * (1.0 + math.sqrt(2.0 / degrees))
        return min(max(found, _LEAST_EFFECT), _YOUNG_EFFECT) if self._scatter[1] else _YOUNG_EFFECT

    @property
    def guard(self) -> Floats:
        """By segment: what its mean wanders by itself; 0 while that is not known."""
        return np.where(self._baseline.ready[self._strata :], self._baseline.guard[self._strata :], 0.0)

    def add(self, at: float, strata: Floats, segments: Floats, calm: NDArray[np.bool_], learn: bool) -> None:
        """Take in a bin: traces by stratum and bucket, and by segment and bucket.

        `calm`: strata, then segments, of which something may be learned.
        """
        self._turn_block(at, calm, learn)
        minute = min(int((at - (self._block_at or at)) // 60.0), _MINUTES - 1)
        self._block[max(minute, 0), : self._strata] += strata
        self._block[max(minute, 0), self._strata :] += segments
        self._began = at if self._began is None else self._began
        centres = np.asarray(CENTRES)
        sums = np.stack([strata.sum(axis=1), strata @ centres, strata @ (centres * centres)], axis=1)
        self._waiting.append((at, sums))
        lag = min(max(_LAG_SHARE * (at - self._began), _LEAST_LAG_S), _MOST_LAG_S)
        while self._waiting and self._waiting[0][0] <= at - lag:
            self._learned += np.where(calm[: self._strata, None], self._waiting.popleft()[1], 0.0)

    def learn(self) -> None:
        """Fit the baseline to all blocks so far."""
        self._baseline.learn()

    def forget_stratum(self, place: int) -> None:
        """Another stratum takes this place."""
        self._forget(place)
        self._learned[place] = 0.0
        for _, sums in self._waiting:
            sums[place] = 0.0

    def forget_segment(self, place: int) -> None:
        """Another segment takes this place."""
        self._forget(self._strata + place)

    def _forget(self, row: int) -> None:
        mask = np.zeros(self._block.shape[1], dtype=np.bool_)
        mask[row] = True
        self._baseline.forget(mask)
        self._block[:, row] = 0.0

    def _turn_block(self, at: float, calm: NDArray[np.bool_], learn: bool) -> None:
        start = at // BLOCK_S * BLOCK_S
        if self._block_at is not None and start > self._block_at:
            self._baseline.add(self._block, self._block_at, calm)
            self._scatter += scatter_of(self._block[:, : self._strata][:, calm[: self._strata]])
            self._block = np.zeros_like(self._block)
            if learn:
                self._baseline.learn()
        self._block_at = start if self._block_at is None else max(start, self._block_at)


def scatter_of(minutes: Floats) -> Floats:
    """How far minutes scatter in their block, in units of what independent traces would; and the degrees.

    `minutes`: traces by minute, stratum and bucket. Strata that hardly vary, or have few traces, are left
    out. The first over the second is the design effect (1 where traces are independent).
    """
    centres = np.asarray(CENTRES)
    n = minutes.sum(axis=2)
    total = n.sum(axis=0)
    mean = (minutes @ centres).sum(axis=0) / np.maximum(total, 1.0)
    variance = (minutes @ (centres * centres)).sum(axis=0) / np.maximum(total, 1.0) - mean * mean
    apart = (minutes @ centres) / np.maximum(n, 1.0) - mean
    degrees = (n > 0).sum(axis=0) - 1.0
    told = (total >= LEAST) & (variance > 1e-4) & (degrees > 0)
    ratio = (n * apart * apart).sum(axis=0)[told] / variance[told]
    return np.array([float(ratio.sum()), float(degrees[told].sum())])


__all__ = ["LEAST", "Usual", "scatter_of"]
