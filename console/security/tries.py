"""How often an address may guess a token."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

_MOST: Final = 20_000
"""Addresses that are remembered; the one that was quiet longest is forgotten first."""


class Tries:
    """So many failures within a window of seconds, by address; then none until some of them are old."""

    def __init__(self, most: int, window_s: float, clock: Callable[[], float]) -> None:
        self._most, self._window_s, self._clock = most, window_s, clock
        self._failed: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait_s(self, address: str) -> float:
        """Seconds until this address may try again; 0 where it may now."""
        now = self._clock()
        with self._lock:
            recent = self._recent(address, now)
            return recent[0] + self._window_s - now if len(recent) >= self._most else 0.0

    def failed(self, address: str) -> None:
        """It tried, and was wrong."""
        now = self._clock()
        with self._lock:
            self._failed[address] = [*self._recent(address, now), now][-self._most :]
            self._failed.move_to_end(address)
            while len(self._failed) > _MOST:
                self._failed.popitem(last=False)

    def _recent(self, address: str, now: float) -> list[float]:
        return [at for at in self._failed.get(address, []) if now - at < self._window_s]


__all__ = ["Tries"]
