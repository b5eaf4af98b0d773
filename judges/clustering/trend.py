"""Whether a gap grows: its share of the traffic in the later half of a period against the earlier half."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from judges.intervals import wilson


class Direction(StrEnum):
    """What can be said of a trend; `unclear` is the usual answer of few questions."""

    GROWING = "growing"
    FALLING = "falling"
    UNCLEAR = "unclear"


@dataclass(slots=True, frozen=True)
class Trend:
    """How many times the share of the traffic in the later half is that of the earlier half."""

    direction: Direction
    pieces: tuple[int, ...]
    """Questions by piece of the period."""
    earlier: int
    later: int
    ratio: float | None
    """Null where the earlier half has no question, or one of the halves no traffic."""
    low: float | None
    high: float | None
    """The interval of the ratio at 95 %; `high` is null where it has no upper end."""


def trend_of(pieces: Sequence[int], traffic: Sequence[int]) -> Trend:
    """From questions and traces by piece, of equal length, an even number of pieces.

    Given how many questions there are, those of the later half follow a binomial distribution; if nothing
    changed, its chance is the later half's part of the traffic. Wilson's interval of that chance, as odds
    over the odds of the traffic, is the interval of the ratio of two Poisson rates.
    """
    if len(pieces) != len(traffic) or len(pieces) % 2:
        raise ValueError("an even number of pieces, as many of questions as of traffic")
    half = len(pieces) // 2
    earlier, later = sum(pieces[:half]), sum(pieces[half:])
    before, after = sum(traffic[:half]), sum(traffic[half:])
    if not before or not after or not earlier + later:
        return Trend(Direction.UNCLEAR, tuple(pieces), earlier, later, None, None, None)
    chance = wilson(later, earlier + later)
    low, high = (_odds(share, before / after) for share in (chance.low, chance.high))
    direction = Direction.UNCLEAR
    if low is not None and low > 1:
        direction = Direction.GROWING
    elif high is not None and high < 1:
        direction = Direction.FALLING
    ratio = _odds(later / (earlier + later), before / after)
    return Trend(direction, tuple(pieces), earlier, later, ratio, low, high)


def _odds(share: float, scale: float) -> float | None:
    return None if share >= 1 else share / (1 - share) * scale


__all__ = ["Direction", "Trend", "trend_of"]
