"""A limit a minute that lowers rates before the draw, instead of dropping what was drawn.

A bucket holds the *expected* number of chosen traces: each trace adds its probability, chosen or not, and the
limit drains it evenly. The fuller it is, the lower the probability of the next trace. So a probability
depends on earlier traffic alone, never on who was chosen: draws stay independent, and the recorded
probability is the true one. It never reaches zero, so no traffic goes unseen; the number chosen varies about
its expectation as Poisson counts do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_AT_EASE: Final = 0.5
"""Below this filling nothing is thinned."""
_STEEPNESS: Final = 8
"""How quickly what lies above the floor gives way: a hundredth is left of it when the floor's turn comes."""
_PRESSED: Final = 0.75
"""Above this filling the floor of control traffic is thinned as well."""


class Bucket:
    """One limit: `per_minute` chosen traces in the long run; after a quiet minute up to twice that in one.

    Half a minute's worth passes unthinned at once. The first trace a bucket sees starts its clock.
    """

    def __init__(self, per_minute: float) -> None:
        self._drain = per_minute / 60.0
        self._size = max(per_minute, 1.0)
        self._level = 0.0
        self._at: float | None = None

    def pressure(self, now: float) -> tuple[float, float]:
        """Factors in (0, 1] for what lies above the floor of control traffic, and for the floor itself.

        `now` is in seconds; a clock that steps back drains nothing.
        """
        if self._at is None or now > self._at:
            drained = 0.0 if self._at is None else (now - self._at) * self._drain
            self._level = max(0.0, self._level - drained)
            self._at = now
        filling = self._level / self._size
        return _falling(filling, _AT_EASE) ** _STEEPNESS, _falling(filling, _PRESSED)

    def room(self) -> float:
        """The most that the next trace may add: half of what is left, so that it never fills up."""
        return (self._size - self._level) / 2

    def add(self, probability: float) -> None:
        """Note a trace that was chosen with this probability, whether it was or not."""
        self._level += probability


@dataclass(slots=True, frozen=True)
class Squeeze:
    """What the limits leave of any rate, at one moment. A higher rate never comes out lower."""

    floor: float
    above: float
    below: float
    room: float

    @classmethod
    def of(cls, buckets: Sequence[Bucket], floor: float, now: float) -> Squeeze:
        """The strictest of these limits; `floor` is the rate of control traffic that they spare longest."""
        pressures = [bucket.pressure(now) for bucket in buckets]
        return cls(
            floor,
            min((above for above, _ in pressures), default=1.0),
            min((below for _, below in pressures), default=1.0),
            min((bucket.room() for bucket in buckets), default=1.0),
        )

    def __call__(self, rate: float) -> float:
        """The probability that comes of a rate; of one below the floor, what comes of the floor."""
        return min(self.floor * self.below + max(rate - self.floor, 0.0) * self.above, self.room)


def _falling(filling: float, start: float) -> float:
    return 1.0 if filling <= start else (1.0 - filling) / (1.0 - start)


__all__ = ["Bucket", "Squeeze"]
