"""Requests and tokens a minute, and the pauses that a server asks for: arithmetic on a clock handed in."""

from __future__ import annotations


class Bucket:
    """A token bucket: it fills evenly, holds a few seconds' worth, and may go into debt for one large taking.

    Times are in seconds of any steady clock.
    """

    def __init__(self, per_minute: float, now: float, burst_s: float = 5.0) -> None:
        self.rate = per_minute / 60
        self.most = max(1.0, self.rate * burst_s)
        self.level = self.most
        self._at = now

    def take(self, amount: float, now: float) -> float:
        """Take `amount`; the seconds to wait before using it.

        Whoever comes next waits behind, so that order is kept. More than the bucket holds can be waited for.
        """
        self._fill(now)
        self.level -= amount
        return max(0.0, -self.level / self.rate)

    def give_back(self, amount: float, now: float) -> None:
        """What was taken and not used; negative for what was used beyond it."""
        self._fill(now)
        self.level = min(self.most, self.level + amount)

    def _fill(self, now: float) -> None:
        self.level = min(self.most, self.level + max(0.0, now - self._at) * self.rate)
        self._at = max(now, self._at)


class Throttle:
    """The limits of one endpoint: how long the next request has to wait."""

    def __init__(
        self, requests_per_minute: float | None, tokens_per_minute: float | None, now: float
    ) -> None:
        self._requests = None if requests_per_minute is None else Bucket(requests_per_minute, now)
        self._tokens = None if tokens_per_minute is None else Bucket(tokens_per_minute, now)
        self._not_before = now

    def take(self, tokens: int, now: float) -> float:
        """Enter a request of about so many tokens; the seconds to wait before sending it."""
        waits = [self._not_before - now]
        if self._requests is not None:
            waits.append(self._requests.take(1, now))
        if self._tokens is not None:
            waits.append(self._tokens.take(tokens, now))
        return max(0.0, *waits)

    def correct(self, taken: int, used: int, now: float) -> None:
        """Put the tokens that were billed in place of those that were expected."""
        if self._tokens is not None:
            self._tokens.give_back(taken - used, now)

    def pause(self, seconds: float, now: float) -> None:
        """The server asked for a pause: nobody sends anything until it is over."""
        self._not_before = max(self._not_before, now + seconds)

    def paused_s(self, now: float) -> float:
        """Seconds that are left of a pause."""
        return max(0.0, self._not_before - now)


__all__ = ["Bucket", "Throttle"]
