"""A circuit breaker: an endpoint that fails again and again is left alone for a while, then tried once."""

from __future__ import annotations

from typing import Final, Literal

LONGEST_REST: Final = 16
"""Each failed trial doubles the rest, up to so many times the first."""

State = Literal["closed", "open", "half_open"]


class Breaker:
    """Closed, it lets all through. So many failures in a row open it: nothing passes for `rest_s`. Then it is
    half open: one call passes, and its outcome closes it, or opens it again for twice as long.

    Times are handed in, in seconds of any steady clock.
    """

    def __init__(self, failures: int, rest_s: float) -> None:
        self._most = failures
        self._rest_s = rest_s
        self._failures = 0
        self._rests = 1
        self._until: float | None = None
        self._trying = False

    def state(self, now: float) -> State:
        """As it stands."""
        if self._until is None:
            return "closed"
        return "open" if now < self._until else "half_open"

    def rest_s(self, now: float) -> float:
        """Seconds until a call may pass; 0 where one may now."""
        match self.state(now):
            case "closed":
                return 0.0
            case "open":
                assert self._until is not None
                return self._until - now
            case "half_open":
                return self._rest_s if self._trying else 0.0

    def begin(self, now: float) -> bool:
        """Whether a call may be made now. Whoever hears yes must say how it ended: one of the three below."""
        if self.rest_s(now) > 0:
            return False
        self._trying = self.state(now) == "half_open"
        return True

    def succeeded(self) -> None:
        """The endpoint answered."""
        self._failures, self._rests, self._until, self._trying = 0, 1, None, False

    def failed(self, now: float) -> None:
        """It did not, or with an error of its own."""
        if self._trying:
            self._trying = False
            self._rests = min(self._rests * 2, LONGEST_REST)
            self._until = now + self._rest_s * self._rests
            return
        self._failures += 1
        if self._until is None and self._failures >= self._most:
            self._until = now + self._rest_s

    def given_up(self) -> None:
        """The call was not made after all, or says nothing of the endpoint's health."""
        self._trying = False


__all__ = ["Breaker", "State"]
