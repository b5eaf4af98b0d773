"""Whose turn it is at one endpoint: concurrency, requests and tokens a minute, pauses, the breaker."""

from __future__ import annotations

import asyncio
from typing import Final

from judges.llm import facts
from judges.llm.asking import JudgeFailed, Reason
from judges.llm.breaker import Breaker
from judges.llm.clock import Clock
from judges.llm.endpoint import Endpoint
from judges.llm.limits import Throttle

_SICK: Final = frozenset(
    {Reason.TIMEOUT, Reason.CONNECTION, Reason.SERVER_ERROR, Reason.CUT, Reason.UNAUTHORIZED}
)
"""What speaks against an endpoint as a whole, rather than against one question."""


class Limiting:
    """The limits of one endpoint in this process. `slots` bounds the requests in flight."""

    def __init__(self, endpoint: Endpoint, observe: facts.Observe, clock: Clock) -> None:
        limits = endpoint.limits
        self.slots = asyncio.Semaphore(limits.concurrency)
        self._name = endpoint.name
        self._observe = observe
        self._clock = clock
        self._breaker = Breaker(limits.breaker_failures, limits.breaker_rest_s)
        self._seen = self._breaker.state(clock.monotonic())
        self._ailment: Reason | None = None
        self._throttle = Throttle(limits.requests_per_minute, limits.tokens_per_minute, clock.monotonic())

    def check(self) -> None:
        """Raises JudgeFailed while the endpoint is left alone."""
        rest = self._breaker.rest_s(self._clock.monotonic())
        if rest > 0:
            why = f" ({self._ailment})" if self._ailment else ""
            detail = f"{self._name} failed too often{why} and is left alone for another {rest:.1f} s"
            raise JudgeFailed(Reason.CIRCUIT_OPEN, detail, retry_after_s=rest)

    async def wait(self, tokens: int) -> None:
        """Wait until a request of about so many tokens may be sent, in order of coming."""
        wait = self._throttle.take(tokens, self._clock.monotonic())
        while wait > 0:
            await self._clock.sleep(wait)
            wait = self._throttle.paused_s(self._clock.monotonic())

    def begin(self) -> None:
        """A request is sent now; one of the three below must follow. Raises JudgeFailed like `check`."""
        self.check()
        self._breaker.begin(self._clock.monotonic())
        self._look()

    def ended(self, reason: Reason | None, expected: int, used: int) -> None:
        """The request came to an end: well where `reason` is null."""
        now = self._clock.monotonic()
        self._throttle.correct(expected, used, now)
        if reason in _SICK:
            self._ailment = reason
            self._breaker.failed(now)
        elif reason is Reason.RATE_LIMITED:
            self._breaker.given_up()
        else:
            self._breaker.succeeded()
        self._look()

    def abandoned(self) -> None:
        """Whoever waited for the request was cancelled: nobody knows how it ended."""
        self._breaker.given_up()

    def not_sent(self, expected: int) -> None:
        """It was not sent after all, and takes nothing from the tokens of this minute."""
        self._throttle.correct(expected, 0, self._clock.monotonic())

    def pause(self, seconds: float) -> None:
        """The server asked for it: nobody sends anything for so long."""
        self._throttle.pause(seconds, self._clock.monotonic())

    def _look(self) -> None:
        state = self._breaker.state(self._clock.monotonic())
        if state != self._seen:
            self._seen = state
            self._observe(facts.BreakerMoved(self._name, state))


__all__ = ["Limiting"]
