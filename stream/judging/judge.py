"""The judging of sampled traces: free of Kafka and of Faust, the same for the lane, for files, for the past.

Every trace ends in one of three ways, and each is counted under a name:

* `Verdicts`: rows of table `verdicts`, of the panel and of its members;
* `Unjudged`: a row that says why there is none, where nobody is at fault and nothing would be gained by
  keeping the message: the budget is spent, the text does not fit the model, there is nothing to judge;
* `GivenUp`: a dead letter, where the judge failed on this trace as often as it was asked.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

from judges.llm.asking import JudgeFailed, Opinion, Reason
from schemas.trace import Trace
from stream.judging.patience import AWAY, Absence, Patience, Pauses, Sleep
from stream.judging.rows import Around, Identity, unjudged_row, verdict_row
from stream.judging.sampled import Sampled

NOBODYS_FAULT: Final = frozenset({Reason.OVER_BUDGET, Reason.TOO_LONG, Reason.NOT_JUDGEABLE})
"""Reasons that leave a row in table `verdicts` instead of a dead letter: not measured, and said so."""
JUDGE_ERROR: Final = "judge_error"
"""Reason of a dead letter on whose trace our own code failed."""
_DETAIL_CHARS: Final = 300
_AHEAD: Final = 8
"""Times the concurrency: judged, and waiting for one before them."""


class Panel(Protocol):
    """What the judges said together."""

    @property
    def opinions(self) -> list[Opinion]: ...
    @property
    def consensus(self) -> Opinion: ...
    @property
    def disagreement(self) -> float | None: ...
    @property
    def failed(self) -> Mapping[str, JudgeFailed]: ...


Opine = Callable[[Trace, dict[str, Any] | None], Awaitable[Panel]]
"""Asks the judges about a trace and its scores. Raises JudgeFailed where none has an opinion."""


@dataclass(slots=True, frozen=True)
class Verdicts:
    """The judges said something."""

    panel: Panel
    rows: tuple[bytes, ...]


@dataclass(slots=True, frozen=True)
class Unjudged:
    """Nothing was measured, and nobody is at fault."""

    reason: str
    detail: str
    rows: tuple[bytes, ...]


@dataclass(slots=True, frozen=True)
class GivenUp:
    """The judges failed on this trace."""

    reason: str
    detail: str


Outcome = Verdicts | Unjudged | GivenUp


class TraceJudge:
    """Judges one trace after the other, or many at once from one event loop."""

    def __init__(
        self,
        opine: Opine,
        identity: Identity,
        patience: Patience,
        absence: Absence,
        *,
        now: Callable[[], datetime],
        chance: Callable[[], float],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._opine = opine
        self._identity = identity
        self._patience = patience
        self._absence = absence
        self._now = now
        self._chance = chance
        self._sleep = sleep

    async def judge(self, sampled: Sampled) -> Outcome:
        """What became of it. Never raises for a trace; an endpoint that is away may be waited for."""
        try:
            panel = await self._ask(sampled)
        except JudgeFailed as failed:
            return self._without_verdict(sampled, failed)
        except Exception as error:  # kept with the trace, counted, shown: one must not stop all others
            return GivenUp(JUDGE_ERROR, f"{type(error).__name__}: {error}"[:_DETAIL_CHARS])
        return Verdicts(panel, self._rows(sampled, panel))

    async def _ask(self, sampled: Sampled) -> Panel:
        pauses = Pauses(self._patience, self._chance)
        while True:
            try:
                return await self._opine(sampled.trace, sampled.scores)
            except JudgeFailed as failed:
                if failed.reason not in AWAY or not self._patience.waits:
                    raise
                await self._absence.wait(failed, pauses.next_s(failed.retry_after_s), self._sleep)

    def _without_verdict(self, sampled: Sampled, failed: JudgeFailed) -> Outcome:
        reason, detail = failed.reason.value, failed.detail
        if failed.reason not in NOBODYS_FAULT:
            return GivenUp(reason, detail)
        row = unjudged_row(sampled, self._identity, reason, detail, failed.usage)
        return Unjudged(reason, detail, (row,))

    def _rows(self, sampled: Sampled, panel: Panel) -> tuple[bytes, ...]:
        now = self._now()
        failed = {name: one.reason.value for name, one in panel.failed.items()}
        together = Around("verdict", panel.disagreement, failed)
        rows = [verdict_row(sampled, panel.consensus, together, now)]
        for opinion in panel.opinions:
            if opinion.judge != panel.consensus.judge:
                rows.append(verdict_row(sampled, opinion, Around("opinion"), now))
        return tuple(rows)


async def judge_traces(
    traces: Iterable[Sampled], judge: TraceJudge, concurrency: int
) -> AsyncIterator[tuple[Sampled, Outcome]]:
    """Judge traces, at most so many at once; yields them in order, each with its outcome."""
    started: deque[tuple[Sampled, asyncio.Task[Outcome]]] = deque()
    free = asyncio.Semaphore(concurrency)

    async def one(sampled: Sampled) -> Outcome:
        try:
            return await judge.judge(sampled)
        finally:
            free.release()

    try:
        for sampled in traces:
            await free.acquire()
            started.append((sampled, asyncio.create_task(one(sampled))))
            while started[0][1].done() or len(started) >= concurrency * _AHEAD:
                first, task = started.popleft()
                yield first, await task
                if not started:
                    break
        while started:
            first, task = started.popleft()
            yield first, await task
    finally:
        for _, task in started:
            task.cancel()
        await asyncio.gather(*(task for _, task in started), return_exceptions=True)


__all__ = [
    "JUDGE_ERROR", "NOBODYS_FAULT", "GivenUp", "Opine", "Outcome", "Panel", "TraceJudge", "Unjudged",
    "Verdicts", "judge_traces",
]  # fmt: skip
