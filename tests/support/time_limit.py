"""An end to what takes too long, whatever the machine does beside it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooSlow(Exception):
    """Somebody was interrupted."""


@contextmanager
def no_longer_than(seconds: float, what: str) -> Iterator[None]:
    """Interrupt what takes longer than so much processor time of ours. Raises TooSlow."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow(f"{what} takes more than {seconds} s")

    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


__all__ = ["TooSlow", "no_longer_than"]
