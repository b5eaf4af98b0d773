"""From values and moments to places on a picture, and the round numbers to write beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

_ROUND: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
_STEPS_S: Final = (10, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400)


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment worth a line across the picture: a release, an onset."""

    at: float
    text: str
    kind: str
    """Names its look: `release`, `onset`, `found`."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight mapping from one range to another; `low` and `high` differ."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The place of a value, held within the picture."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)


def round_top(values: Iterable[float]) -> float:
    """The least round number that all of these shares fit under."""
    greatest = max(values, default=0.0)
    return next((top for top in _ROUND if greatest <= top), 1.0)


def ticks(since: float, until: float, wanted: int = 6) -> Iterator[tuple[float, str]]:
    """Round moments within a period with their names, in UTC: times of the day, or days."""
    step = next((s for s in _STEPS_S if (until - since) / s <= wanted), 0) or _whole_days(
        since, until, wanted
    )
    at = math.ceil(since / step) * step
    while at <= until:
        yield at, clock(at, step)
        at += step


def clock(at: float, step: float) -> str:
    """A moment as precisely as its neighbours are apart."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at)
    if step >= 86_400:
        return moment.strftime("%m-%d")
    return moment.strftime("%H:%M:%S" if step < 60 else "%H:%M")


def percent(value: float) -> str:
    """A share for people: as many places as it takes to tell it from its neighbours."""
    if value != 0 and abs(value) < 0.0995:
        return f"{value:.1%}"
    return f"{value:.0%}"


def _whole_days(since: float, until: float, wanted: int) -> int:
    return 86_400 * math.ceil((until - since) / 86_400 / wanted)


__all__ = ["Mark", "Scale", "clock", "percent", "round_top", "ticks"]
