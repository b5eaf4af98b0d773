"""How long to wait before something that failed is tried again."""

from __future__ import annotations

import random
from collections.abc import Callable

from judges.llm.retries import doubling_s


class Backoff:
    """How long to wait before the next attempt: twice as long each time, up to a limit, never in step."""

    def __init__(self, first_s: float, max_s: float, chance: Callable[[], float] = random.random) -> None:
        self._first_s = first_s
        self._max_s = max_s
        self._chance = chance
        self.failures = 0

    def next_s(self) -> float:
        """Seconds to wait after one more failure: between half of the step and all of it."""
        self.failures += 1
        return doubling_s(self.failures, self._first_s, self._max_s, self._chance)


__all__ = ["Backoff"]
