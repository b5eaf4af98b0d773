"""The line to one endpoint: every request is limited, paid for, made, retried and counted here alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from judges.llm import facts
from judges.llm.asking import JudgeFailed, Reason, Usage
from judges.llm.budget import Amount, amount_of
from judges.llm.clock import Clock
from judges.llm.completion import shorten
from judges.llm.endpoint import Endpoint, Price
from judges.llm.ledger import OverBudget, Reservation
from judges.llm.limiting import Limiting
from judges.llm.retries import Backoff, retry_after_s
from judges.llm.state import State
from judges.llm.statuses import reason_of
from judges.llm.transport import HttpFailed

T = TypeVar("T")

_AGAIN: Final = frozenset(
    {Reason.TIMEOUT, Reason.CONNECTION, Reason.RATE_LIMITED, Reason.SERVER_ERROR, Reason.CUT}
)


@dataclass(slots=True, frozen=True)
class Bill:
    """What a response says it cost, or what we say in its place."""

    input_tokens: int
    output_tokens: int
    cached_input: int = 0
    estimated: bool = False


@dataclass(slots=True, frozen=True)
class Errand(Generic[T]):
    """One request: how to send it, how to read what comes back, and what it may cost at most."""

    purpose: str
    tenant: str
    send: Callable[[], Awaitable[bytes]]
    read: Callable[[bytes], T]
    """Raises JudgeFailed where the response is none."""
    bill: Callable[[T], Bill]
    expected_tokens: int
    most_input: int
    most_output: int
    price: Price | None


class Refused(JudgeFailed):
    """The server answered, and will not do it as asked: `status` and `said` may teach how to ask."""

    def __init__(self, status: int, said: str, usage: Usage, retry_after: float | None) -> None:
        super().__init__(reason_of(status, said), shorten(said, 400), usage, retry_after)
        self.status = status
        self.said = said


class Line:
    """The requests to one endpoint. Safe to use concurrently from one event loop."""

    def __init__(
        self,
        endpoint: Endpoint,
        state: State,
        observe: facts.Observe,
        clock: Clock,
        random: Callable[[], float],
    ) -> None:
        self._endpoint = endpoint
        self._ledger = state.ledger
        self._observe = observe
        self._clock = clock
        self._backoff = Backoff(random)
        self._limiting = Limiting(endpoint, observe, clock)

    async def run(self, errand: Errand[T], spent: Usage) -> T:
        """The response, read, after as many attempts as it takes and the limits allow.

        What each attempt costs is added to `spent`. Raises JudgeFailed.
        """
        limits = self._endpoint.limits
        began = self._clock.monotonic()
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._attempt(errand, spent)
            except JudgeFailed as failed:
                if failed.reason not in _AGAIN or attempt >= limits.attempts:
                    raise
                wait = self._backoff.wait_s(attempt, failed.retry_after_s)
                if wait is None or self._clock.monotonic() - began + wait > limits.retry_for_s:
                    raise
                self._observe(facts.Retried(self._endpoint.name, errand.purpose, failed.reason, wait))
            await self._clock.sleep(wait)

    async def _attempt(self, errand: Errand[T], spent: Usage) -> T:
        self._limiting.check()
        async with self._limiting.slots:
            await self._limiting.wait(errand.expected_tokens)
            try:
                reservation = await self._reserve(errand)
            except BaseException:
                self._limiting.not_sent(errand.expected_tokens)
                raise
            try:
                self._limiting.begin()
            except JudgeFailed:
                self._limiting.not_sent(errand.expected_tokens)
                await self._ledger.settle(reservation, Amount())
                raise
            try:
                return await self._call(errand, reservation, spent)
            finally:
                self._ledger.keep(reservation)  # what nobody settled stays spent, whatever went wrong

    async def _reserve(self, errand: Errand[T]) -> Reservation:
        most = amount_of(errand.price, errand.most_input, errand.most_output)
        try:
            return await self._ledger.reserve(errand.tenant, most)
        except OverBudget as over:
            raise JudgeFailed(Reason.OVER_BUDGET, str(over), retry_after_s=over.renews_in_s) from None

    async def _call(self, errand: Errand[T], reservation: Reservation, spent: Usage) -> T:
        began = self._clock.monotonic()
        try:
            response = errand.read(await errand.send())
        except (HttpFailed, JudgeFailed) as error:
            usage = self._usage_of_failure(errand, error, began)
            failed = self._as_failure(error, usage)
            self._ended(errand, failed.reason, usage, spent)
            if _is_free(error):
                await self._ledger.settle(reservation, Amount())
            raise failed from error
        except BaseException:
            self._limiting.abandoned()
            raise
        bill = errand.bill(response)
        actual = amount_of(errand.price, bill.input_tokens, bill.output_tokens, bill.cached_input)
        self._ended(errand, None, self._usage(errand, bill, actual, began), spent)
        await self._settle(errand, reservation, actual)
        return response

    def _ended(self, errand: Errand[T], reason: Reason | None, usage: Usage, spent: Usage) -> None:
        spent.add(usage)
        self._limiting.ended(reason, errand.expected_tokens, usage.input_tokens + usage.output_tokens)
        self._observe(facts.Called(self._endpoint.name, errand.purpose, errand.tenant, reason, usage))

    async def _settle(self, errand: Errand[T], reservation: Reservation, actual: Amount) -> None:
        over = actual - reservation.amount
        if over.nano > 0 or over.tokens > 0:
            self._observe(
                facts.Overran(self._endpoint.name, errand.tenant, max(0.0, over.usd), max(0, over.tokens))
            )
        await self._ledger.settle(reservation, actual)

    def _as_failure(self, error: HttpFailed | JudgeFailed, usage: Usage) -> JudgeFailed:
        detail = self._endpoint.hide_secrets(error.detail)  # some servers say a wrong key back
        if isinstance(error, JudgeFailed):
            return JudgeFailed(error.reason, detail, usage)
        asked = retry_after_s(error.retry_after, self._clock.wall())
        if error.reason is not None:
            return JudgeFailed(error.reason, detail, usage, asked)
        if error.status == 429 and asked is not None:
            self._limiting.pause(asked)
        return Refused(error.status, detail, usage, asked)

    def _usage_of_failure(self, errand: Errand[T], error: HttpFailed | JudgeFailed, began: float) -> Usage:
        if _is_free(error):
            return Usage(1, cost_usd=None if errand.price is None else 0.0, latency_ms=self._ms_since(began))
        bill = Bill(errand.most_input, errand.most_output, estimated=True)
        return self._usage(
            errand, bill, amount_of(errand.price, bill.input_tokens, bill.output_tokens), began
        )

    def _usage(self, errand: Errand[T], bill: Bill, actual: Amount, began: float) -> Usage:
        return Usage(
            calls=1,
            input_tokens=bill.input_tokens,
            output_tokens=bill.output_tokens,
            cost_usd=None if errand.price is None else actual.usd,
            latency_ms=self._ms_since(began),
            estimated=bill.estimated,
        )

    def _ms_since(self, began: float) -> float:
        return (self._clock.monotonic() - began) * 1000


def _is_free(error: HttpFailed | JudgeFailed) -> bool:
    """Whether a failed request cost nothing for certain. A success that cannot be read was paid for."""
    return isinstance(error, HttpFailed) and error.free


__all__ = ["Bill", "Errand", "Line", "Refused"]
