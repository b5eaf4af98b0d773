"""Sums by time, for any window that ends now: seconds for the last two hours, minutes for a day."""

from __future__ import annotations

from typing import Final

import numpy as np

from stream.watch.records import Floats

_FINE_S: Final = 5.0
_FINE_SLOTS: Final = 1_440
_COARSE_S: Final = 60.0
_COARSE_SLOTS: Final = 1_500
"""A day, and an hour of grace."""


class Ring:
    """Sums by slot of time; what is older than its slots is forgotten, what comes late finds its slot."""

    def __init__(self, slots: int, width_s: float, shape: tuple[int, ...]) -> None:
        self._values = np.zeros((slots, *shape))
        self._number = np.full(slots, -1, dtype=np.int64)
        self._width_s = width_s

    def add(self, at: float, values: Floats) -> None:
        """Add to the slot of this moment."""
        number = int(at // self._width_s)
        slot = number % len(self._number)
        if number < self._number[slot]:
            return
        if number > self._number[slot]:
            self._values[slot] = 0.0
            self._number[slot] = number
        self._values[slot] += values

    def total(self, since: float, until: float, place: tuple[int, ...] = ()) -> Floats:
        """Sum over the slots that begin in this period; of one entry alone, where its place is given."""
        first, end = -(-since // self._width_s), -(-until // self._width_s)
        chosen = np.flatnonzero((self._number >= first) & (self._number < end))
        return np.asarray(self._values[(chosen, *place)].sum(axis=0))

    def clear(self, place: tuple[int | slice, ...]) -> None:
        """Forget one entry in all slots."""
        self._values[(slice(None), *place)] = 0.0

    @property
    def first(self) -> float | None:
        """When its oldest slot begins; null while it is empty."""
        held = self._number[self._number >= 0]
        return float(held.min()) * self._width_s if len(held) else None


class Tally:
    """A fine and a coarse ring of the same sums."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._fine = Ring(_FINE_SLOTS, _FINE_S, shape)
        self._coarse = Ring(_COARSE_SLOTS, _COARSE_S, shape)

    def add(self, at: float, values: Floats) -> None:
        """Add what happened then."""
        self._fine.add(at, values)
        self._coarse.add(at, values)

    def total(self, since: float, until: float, place: tuple[int, ...] = ()) -> Floats:
        """Sum from `since` on, to the second for two hours, to the minute before."""
        fine = until - since < (_FINE_SLOTS - 12) * _FINE_S
        return (self._fine if fine else self._coarse).total(since, until, place)

    def clear(self, place: tuple[int | slice, ...]) -> None:
        """Forget one entry, of which something else takes the place."""
        self._fine.clear(place)
        self._coarse.clear(place)

    @property
    def first(self) -> float | None:
        """Since when anything is known."""
        return self._coarse.first


__all__ = ["Ring", "Tally"]
