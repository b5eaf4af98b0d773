"""Simulated segments for alerts: traffic in bins of five seconds, as counts by bucket of the scorer's p.

The scorer has AUROC 0.85 and is calibrated at 5 % (two normals, apart so far). `real` traffic has
conversations of three turns, half of which share one fate, over about a minute; a daily wave of ±20 % in the
rate; and a rate that wanders within ±10 %, from one end to the other in about an hour.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from stream.watch.betting import EDGES

BIN_S = 5.0
USUAL_RATE = 0.05
AUROC = 0.85
_APART = math.sqrt(2) * NormalDist().inv_cdf(AUROC)
_SHARED = 0.5
_WAVE, _WANDER, _WANDER_S = 0.2, 0.1, 3_600.0
_DAY_S = 86_400.0
_TURNS_S = (0.0, 20.0, 45.0)
"""When the turns of a conversation come."""
_MOST_BINS = 9

Floats = NDArray[np.float64]


def bucket_shares(*, bad: bool) -> Floats:
    """How p is spread over the buckets, for bad traces or for good ones."""
    prior = math.log(USUAL_RATE / (1 - USUAL_RATE))
    edges = np.clip(np.asarray(EDGES), 1e-12, 1 - 1e-12)
    x = (np.log(edges / (1 - edges)) - prior + _APART**2 / 2) / _APART
    below = np.array([NormalDist(_APART * bad).cdf(value) for value in x])
    below[0], below[-1] = 0.0, 1.0
    return np.diff(below)


GOOD, BAD = bucket_shares(bad=False), bucket_shares(bad=True)


@dataclass
class World:
    """Segments that live side by side; `per_second` is the traffic of each."""

    per_second: Floats
    rng: np.random.Generator
    real: bool = False

    def __post_init__(self) -> None:
        count = len(self.per_second)
        self._phase = self.rng.random(count) * 2 * math.pi
        self._drift = self.rng.random(count) * 2 * math.pi
        self._later, self._width_s = np.zeros((_MOST_BINS, count)), BIN_S

    def bins(self, start_s: float, count: int, rate: float = USUAL_RATE, width_s: float = BIN_S) -> Floats:
        """The next `count` bins, by bin, segment and bucket; `rate` is what the usual 5 % is now.

        In one call the wandering part stands still: ask for a minute or so at a time.
        """
        rates = np.broadcast_to(rate * self._swing(start_s, count * width_s), (count, len(self.per_second)))
        traces = self.per_second * width_s
        if not self.real:
            return self._spread(traces * (1 - rates), traces * rates)
        alone = self._spread(traces * (1 - rates), traces * (1 - _SHARED) * rates)
        return alone + self._together(traces * _SHARED / len(_TURNS_S) * rates, width_s)

    def _swing(self, start_s: float, seconds: float) -> Floats:
        """How far the rate is from its usual height: by time of day, and wandering at a pace that varies."""
        if not self.real:
            return np.ones(len(self.per_second))
        pace = math.pi * seconds / _WANDER_S
        self._drift += pace + self.rng.normal(0.0, math.sqrt(pace), len(self._drift))
        wave = _WAVE * np.sin(2 * math.pi * start_s / _DAY_S + self._phase)
        return np.asarray((1 + wave) * (1 + _WANDER * np.sin(self._drift)))

    def _spread(self, good: Floats, bad: Floats) -> Floats:
        """Independent traces: each bucket is a Poisson count."""
        return self.rng.poisson(good[..., None] * GOOD + bad[..., None] * BAD).astype(np.float64)

    def _together(self, conversations: Floats, width_s: float) -> Floats:
        """Bad conversations, each with a bad trace now and at two later bins."""
        if width_s != self._width_s:  # what began in bins of another width is left unfinished
            self._later, self._width_s = np.zeros_like(self._later), width_s
        starts = self.rng.poisson(conversations)
        known = np.concatenate([self._later, starts])
        self._later = known[-_MOST_BINS:]
        count = len(starts)
        last = len(known)
        lags = [round(turn_s / width_s) for turn_s in _TURNS_S]
        turns = np.sum([known[last - count - lag : last - lag] for lag in lags], axis=0)
        return self.rng.multinomial(turns.astype(np.int64), BAD).astype(np.float64)


def information(before: float, after: float) -> float:
    """Kullback-Leibler divergence a trace carries, in nats, when p is seen by bucket."""
    now, then = ((1 - rate) * GOOD + rate * BAD for rate in (after, before))
    return float((now * np.log(now / then)).sum())
