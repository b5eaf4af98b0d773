"""Questions for judges in tests, a clock that stands still, and a log of what happened."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import BaseModel, Field

from judges.llm import facts
from judges.llm.asking import Answer, Ask, JudgeFailed, Message, Reason
from judges.llm.client import LlmJudge, open_judge
from judges.llm.endpoint import Endpoint, Limits
from judges.llm.state import State

T = TypeVar("T")


class Score(BaseModel):
    """The smallest form worth asking for."""

    reasoning: str
    score: int = Field(ge=1, le=5)


def question(text: str = "Is it good?", *, tenant: str = "", most: int = 256) -> Ask[Score]:
    """A question about `text`."""
    messages = (Message("system", "You judge answers."), Message("user", text))
    return Ask("scores", messages, Score, tenant=tenant, max_output_tokens=most)


def endpoint(base_url: str, **changes: Any) -> Endpoint:
    """A judge behind a stand-in: quick to give up, slow to be left alone."""
    limits = changes.pop("limits", None) or Limits(timeout_s=5, attempts=3, breaker_failures=1000)
    fields: dict[str, Any] = {"name": "judge", "base_url": base_url, "model": "m", "limits": limits}
    return Endpoint(**fields | changes)


def within(seconds: float, work: Callable[[], Awaitable[T]]) -> T:
    """Run `work` in an event loop; a test that hangs fails."""

    async def limited() -> T:
        return await asyncio.wait_for(work(), seconds)

    return asyncio.run(limited())


async def outcome(judge: LlmJudge, ask: Ask[Score]) -> Result:
    """The answer, or why there is none."""
    try:
        return await judge.ask(ask)
    except JudgeFailed as failed:
        return failed


Result = Answer[Score] | JudgeFailed


class Log:
    """What happened, in order."""

    def __init__(self) -> None:
        self.facts: list[facts.Fact] = []

    def __call__(self, fact: facts.Fact) -> None:
        self.facts.append(fact)

    def of(self, kind: type[T]) -> list[T]:
        """The facts of one kind."""
        return [fact for fact in self.facts if isinstance(fact, kind)]

    def fallbacks(self) -> Counter[str]:
        """How often each fallback was taken."""
        return Counter(fact.to for fact in self.of(facts.FellBack))


class HeldClock:
    """Stands still, but for sleeping, which takes it ahead at once."""

    def __init__(self, wall: float = 1_790_000_000.0) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self._wall = wall

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return self._wall + self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


class FastClock:
    """Time goes by twenty times as fast."""

    def monotonic(self) -> float:
        return time.monotonic() * 20

    def wall(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 20)


def ask_one(state: State, judge: Endpoint, text: str = "x", log: Log | None = None) -> Result:
    """One question, with waits between attempts that take no time."""

    async def work() -> Result:
        async with open_judge(
            judge, state=state, observe=log or Log(), clock=HeldClock(), random=lambda: 0
        ) as one:
            return await outcome(one, question(text))

    return within(20, work)


def value_of(result: Result) -> Score:
    """The form of an answer."""
    assert isinstance(result, Answer), result
    return result.value


def reason_of(result: Result) -> Reason:
    """Why there is none."""
    assert isinstance(result, JudgeFailed), result
    return result.reason
