"""What is usual for a segment at this time of day, and how restless it is; learned late, not from incidents.

Traffic is kept in blocks of ten minutes for a week. The usual mean of p is a constant with two daily
harmonics, fitted by weighted least squares to blocks that are old enough and were calm. Two things make
traffic more restless than independent traces are, and each has its remedy:

* turns of a conversation that share their fate: minutes scatter within their block by a design effect above
  1, by which a bet's logarithm is divided;
* a rate that wanders: blocks scatter about what is usual by more than their minutes explain. That is real and
  yet no incident, so the bet is against the usual mean and a guard of twice this standard deviation.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stream.watch.betting import CENTRES, Floats

BLOCK_S: Final = 600.0
_DAY_S: Final = 86_400.0
_KEPT: Final = 7 * 144
_LAG: Final = 3
"""Blocks that must pass before one is learned from: an incident is seen before it is taken for usual."""
_A_DAY: Final = 144
_LEAST: Final = 18
"""Blocks, three hours of them, before anything is said to be usual."""
_TERMS: Final = 5
_GUARDED: Final = 2.0
"""Standard deviations of the wandering."""


class Baseline:
    """For many segments at once; a segment is a row of every array."""

    def __init__(self, segments: int) -> None:
        self._n = np.zeros((_KEPT, segments))
        self._mean = np.zeros((_KEPT, segments))
        self._square = np.zeros((_KEPT, segments))
        self._within = np.zeros((_KEPT, segments))
        self._at = np.zeros(_KEPT)
        self._calm = np.zeros((_KEPT, segments), dtype=np.bool_)
        self._blocks = 0
        self._fit = np.zeros((segments, _TERMS))
        self._ready = np.zeros(segments, dtype=np.bool_)
        self._effect = np.ones(segments)
        self._guard = np.zeros(segments)

    @property
    def ready(self) -> NDArray[np.bool_]:
        """Which segments have a baseline."""
        return self._ready

    @property
    def design_effect(self) -> Floats:
        """By segment, at least 1."""
        return self._effect

    @property
    def guard(self) -> Floats:
        """By segment, in units of p: what the mean may rise without its meaning anything."""
        return self._guard

    def usual(self, at: float) -> Floats:
        """The usual mean of p at this moment, by segment; 0 where there is no baseline yet."""
        return np.asarray(np.clip(self._fit @ _terms(np.array([at]))[0], 0.0, 1.0))

    def add(self, counts: Floats, at: float, calm: NDArray[np.bool_]) -> None:
        """A finished block that began `at`: traces by minute, segment and bucket; and who was calm."""
        slot, centres = self._blocks % _KEPT, np.asarray(CENTRES)
        minutes = counts.sum(axis=2)
        n = minutes.sum(axis=0)
        sums = counts @ centres
        mean = sums.sum(axis=0) / np.maximum(n, 1.0)
        apart = sums / np.maximum(minutes, 1.0) - mean
        self._n[slot], self._at[slot], self._calm[slot], self._mean[slot] = n, at, calm, mean
        self._square[slot] = (counts @ (centres * centres)).sum(axis=0) / np.maximum(n, 1.0)
        busy = np.maximum((minutes > 0).sum(axis=0) - 1, 1)
        self._within[slot] = (minutes * apart * apart).sum(axis=0) / busy
        self._blocks += 1

    def forget(self, segments: NDArray[np.bool_]) -> None:
        """Begin anew for these segments: another scorer says other numbers of the same world."""
        self._calm[:, segments] = False
        self._ready[segments] = False
        self._fit[segments] = 0.0

    def learn(self) -> None:
        """Fit anew to what is old enough and was calm. To be called once a block or less often."""
        order = [(self._blocks - 1 - back) % _KEPT for back in range(_LAG, min(self._blocks, _KEPT))]
        if not order:
            return
        weight = np.where(self._calm[order], self._n[order], 0.0)
        known = (weight > 0).sum(axis=0)
        x = _terms(self._at[order])
        x = x[:, :1] if len(order) < _A_DAY else x
        terms = x.shape[1]
        normal = np.einsum("tk,ts,tl->skl", x, weight, x) + 1e-9 * np.eye(terms)
        fit = np.linalg.solve(normal, np.einsum("tk,ts->sk", x, weight * self._mean[order])[..., None])
        self._ready = known >= _LEAST
        self._fit[:, :terms] = np.where(self._ready[:, None], fit[..., 0], 0.0)
        self._fit[:, terms:] = 0.0
        self._measure(order, weight, x @ self._fit[:, :terms].T, known - terms)

    def _measure(self, order: list[int], weight: Floats, usual: Floats, degrees: NDArray[np.int_]) -> None:
        """Scatter of minutes in their blocks, and of blocks about what is usual, each per trace."""
        total = np.maximum(weight.sum(axis=0), 1.0)
        mean = (weight * self._mean[order]).sum(axis=0) / total
        variance = np.maximum((weight * self._square[order]).sum(axis=0) / total - mean * mean, 1e-9)
        within = (weight * self._within[order]).sum(axis=0) / total
        between = (weight * (self._mean[order] - usual) ** 2).sum(axis=0) / np.maximum(degrees, 1)
        traces = np.maximum((weight * weight).sum(axis=0) / total, 1.0)
        self._effect = np.maximum(within / variance, 1.0)
        wandering = np.maximum(between - np.maximum(within, variance), 0.0) / traces
        self._guard = _GUARDED * np.sqrt(wandering)


def _terms(at: Floats) -> Floats:
    """A constant and two daily harmonics, by moment (seconds since any midnight)."""
    angle = 2 * math.pi * at / _DAY_S
    waves = [np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)]
    return np.stack([np.ones_like(angle), *waves], axis=1)


__all__ = ["BLOCK_S", "Baseline"]
