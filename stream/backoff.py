"""How long to wait before something that failed is tried again."""

from __future__ import annotations

import random
from collections.abc import Callable


class Backoff:
    """How long to wait before the next attempt: twice as long each time, up to a limit, never in step."""

    def __init__(self, first_s: float, max_s: float, chance: Callable[[], float] = random.random) -> None:
        self._first_s = first_s
        self._max_s = max_s
        self._chance = chance
        self.failures = 0

    def next_s(self) -> float:
        """Seconds to wait after one more failure: between half of the step and all of it."""
        step = min(self._max_s, self._first_s * 2.0 ** min(self.failures, 30))
        self.failures += 1
        return step * (0.5 + self._chance() / 2)


__all__ = ["Backoff"]
