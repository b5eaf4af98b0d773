"""Time, as judges see it: a steady clock to measure with, and a way to wait."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """A clock that tests can hold still."""

    def monotonic(self) -> float:
        """Seconds of a clock that never goes back."""
        ...

    def wall(self) -> float:
        """Seconds since 1970."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's own."""

    def monotonic(self) -> float:
        """Seconds of a clock that never goes back."""
        return time.monotonic()

    def wall(self) -> float:
        """Seconds since 1970."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


__all__ = ["Clock", "SystemClock"]
