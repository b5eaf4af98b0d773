"""Waiting for an endpoint that is away, which is no fault of the trace in hand.

The client asks again by itself, with jitter and up to a bound, where one question may go better. What is
left here is the state in which nobody is answered: a message that waits is judged later, one that is given
up would be given up for nothing.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from judges.llm.asking import Answer, Ask, Filled, Judge, JudgeFailed, Reason, Usage
from stream.backoff import Backoff

AWAY: Final = frozenset(
    {Reason.CIRCUIT_OPEN, Reason.UNAUTHORIZED, Reason.RATE_LIMITED, Reason.CONNECTION, Reason.STATE}
)
"""Nobody is answered: the endpoint is broken, away, or does not let us in, our quota is used up, or nothing
can be spent since no account can be kept of it."""

REFUSALS_IN_A_ROW: Final = 5
"""So many questions refused as malformed, and none answered between them, are no fault of the questions: the
model is named wrongly, or the address is."""

Sleep = Callable[[float], Awaitable[None]]
Chance = Callable[[], float]


@dataclass(slots=True, frozen=True)
class Patience:
    """Whether and how long."""

    waits: bool = True
    """A command that somebody watches does not wait."""
    first_s: float = 1.0
    """The first pause; the next are twice as long each."""
    max_s: float = 30.0
    """At most, unless the server asks for longer."""
    longest_wish_s: float = 300.0
    """Of what a server may ask for (`Retry-After`)."""


class Absence:
    """Who waits for an endpoint that is away, and why. One of these for all judges of a process."""

    def __init__(self) -> None:
        self.waiting: Counter[str] = Counter()
        """Questions that wait at this moment, by reason."""
        self.answers = 0
        """Questions that an endpoint did answer."""
        self.detail = ""
        """What was last said of it."""
        self._refused: Counter[str] = Counter()

    def is_away(self, judge: str, failed: JudgeFailed) -> bool:
        """Whether nobody is answered there, rather than this one question not."""
        if failed.reason is Reason.BAD_REQUEST:
            self._refused[judge] += 1
            return self._refused[judge] >= REFUSALS_IN_A_ROW
        return failed.reason in AWAY

    def answered(self, judge: str) -> None:
        """A question got its answer: what is refused after it is refused for its own sake."""
        self._refused[judge] = 0

    async def wait(self, failed: JudgeFailed, seconds: float, sleep: Sleep) -> None:
        """Wait so long, and be counted meanwhile."""
        self.detail = failed.detail
        self.waiting[failed.reason.value] += 1
        try:
            await sleep(seconds)
        finally:
            self.waiting[failed.reason.value] -= 1


class Pauses:
    """The pauses before one question is asked again: doubling, and never in step with others."""

    def __init__(self, patience: Patience, chance: Chance) -> None:
        self._patience = patience
        self._chance = chance
        self._backoff = Backoff(patience.first_s, patience.max_s, chance)

    def next_s(self, wish_s: float | None) -> float:
        """Seconds until the next try; `wish_s` is the server's own wish."""
        jittered = self._backoff.next_s()
        wish = min(wish_s or 0.0, self._patience.longest_wish_s)
        return max(jittered, wish * (1 + self._chance() / 10))


class PatientJudge:
    """A judge whose endpoint is waited for. Raises JudgeFailed where it answers others and not this."""

    def __init__(
        self,
        judge: Judge,
        patience: Patience,
        absence: Absence,
        *,
        sleep: Sleep = asyncio.sleep,
        chance: Chance = random.random,
    ) -> None:
        self._judge = judge
        self._patience = patience
        self._absence = absence
        self._sleep = sleep
        self._chance = chance

    @property
    def name(self) -> str:
        """The name of the judge behind."""
        return self._judge.name

    @property
    def model(self) -> str:
        """The model of the judge behind."""
        return self._judge.model

    async def ask(self, ask: Ask[Filled]) -> Answer[Filled]:
        """Ask until there is an answer, or no hope of one. The usage is that of all tries."""
        spent = Usage()
        pauses = Pauses(self._patience, self._chance)
        while True:
            try:
                answer = await self._judge.ask(ask)
            except JudgeFailed as failed:
                spent.add(failed.usage)
                failed.usage = spent
                if not self._absence.is_away(self.name, failed) or not self._patience.waits:
                    raise
                await self._absence.wait(failed, pauses.next_s(failed.retry_after_s), self._sleep)
            else:
                self._absence.answered(self.name)
                spent.add(answer.usage)
                return replace(answer, usage=spent)


__all__ = ["AWAY", "REFUSALS_IN_A_ROW", "Absence", "Chance", "Patience", "PatientJudge", "Pauses", "Sleep"]
