"""Judging for commands: batch after batch from ordinary code, with one bench and one event loop for all."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from judges.llm import facts
from judges.llm.asking import Reason, Usage
from stream.errors import ServiceRefuses, ServiceUnreachable
from stream.judging.bench import Bench
from stream.judging.judge import GivenUp, Outcome, TraceJudge, Unjudged, Verdicts, judge_traces
from stream.judging.opening import open_bench
from stream.judging.patience import Patience
from stream.judging.sampled import Sampled
from stream.settings import JudgeSettings

_NOBODY: Final = frozenset({Reason.CONNECTION, Reason.CIRCUIT_OPEN, Reason.TIMEOUT})


@dataclass(slots=True)
class JudgeTally:
    """What became of the traces of a command, and what it cost."""

    judged: int = 0
    unjudged: Counter[str] = field(default_factory=Counter)
    """Traces without a verdict, by reason."""
    usage: Usage = field(default_factory=Usage)
    """Of all HTTP requests, failed ones included."""

    @property
    def done(self) -> int:
        """Traces that are over and done with."""
        return self.judged + self.unjudged.total()

    def count(self, outcome: Outcome) -> None:
        """Take one outcome into account."""
        match outcome:
            case Verdicts():
                self.judged += 1
            case Unjudged(reason=reason) | GivenUp(reason=reason):
                self.unjudged[reason] += 1

    def sentence(self) -> str:
        """What a person reads."""
        parts = [f"{self.judged:,} traces judged, with {self.usage.calls:,} requests"]
        if self.usage.cost_usd is not None:
            parts.append(f"for ${self.usage.cost_usd:,.4f}")
        if self.unjudged:
            why = ", ".join(f"{reason} {count:,}" for reason, count in self.unjudged.most_common())
            parts.append(f"; without a verdict: {why}")
        return " ".join(parts).replace(" ;", ";")

    def summary(self) -> dict[str, Any]:
        """What a script reads."""
        return {
            "judged": self.judged,
            "unjudged": dict(self.unjudged),
            "requests": self.usage.calls,
            "input_tokens": self.usage.input_tokens,
            "output_tokens": self.usage.output_tokens,
            "cost_usd": self.usage.cost_usd,
        }


class Session:
    """Judges batches. `tally` adds up over all of them."""

    def __init__(self, runner: asyncio.Runner, bench: Bench, tally: JudgeTally, address: str) -> None:
        self._runner = runner
        self._judge: TraceJudge = bench.trace_judge()
        self._concurrency = bench.concurrency
        self._address = address
        self.identity = bench.identity
        self.tally = tally

    def judge(
        self,
        batch: Sequence[Sampled],
        on_progress: Callable[[], None] = lambda: None,
        stop: threading.Event | None = None,
    ) -> list[tuple[Sampled, Outcome]]:
        """The outcomes of a batch, in order; fewer than traces where `stop` was set meanwhile.

        Raises ServiceRefuses where the endpoint does not let us in, and ServiceUnreachable where it has
        answered nobody so far.
        """
        return self._runner.run(self._all(_until(stop, batch), on_progress))

    async def _all(
        self, batch: Iterable[Sampled], on_progress: Callable[[], None]
    ) -> list[tuple[Sampled, Outcome]]:
        done = []
        async for sampled, outcome in judge_traces(batch, self._judge, self._concurrency):
            self.tally.count(outcome)
            self._mind_hopelessness(outcome, self._concurrency)
            done.append((sampled, outcome))
            on_progress()
        if done:
            self._mind_hopelessness(done[-1][1], len(done))
        return done

    def _mind_hopelessness(self, outcome: Outcome, enough: int) -> None:
        """Raise where so many traces are enough to say that the endpoint answers nobody."""
        if not isinstance(outcome, GivenUp):
            return
        if outcome.reason == Reason.UNAUTHORIZED:
            raise ServiceRefuses(
                f"The judge at {self._address} does not let us in: {outcome.detail} "
                "Correct RAGPULSE_JUDGE__API_KEY."
            )
        if outcome.reason in _NOBODY and not self.tally.judged and self.tally.done >= enough:
            raise ServiceUnreachable(
                f"The judge at {self._address} (RAGPULSE_JUDGE__BASE_URL) answers nobody: {outcome.detail} "
                "Start it, or correct the address."
            )


def _until(stop: threading.Event | None, batch: Iterable[Sampled]) -> Iterator[Sampled]:
    for one in batch:
        if stop is not None and stop.is_set():
            return
        yield one


@contextmanager
def judging(settings: JudgeSettings, *, fresh: bool = False) -> Iterator[Session]:
    """A session while the body runs. Raises SettingRefused where no judge is configured.

    `fresh`: each question is asked anew, though it may have been answered before.
    """
    tally = JudgeTally()

    def add_up(fact: facts.Fact) -> None:
        if isinstance(fact, facts.Called):
            tally.usage.add(fact.usage)

    with asyncio.Runner() as runner:
        opening = open_bench(settings, Patience(waits=False), add_up, fresh=fresh)
        bench = runner.run(opening.__aenter__())
        try:
            yield Session(runner, bench, tally, ", ".join(e.base_url for e in settings.endpoints()))
        finally:
            runner.run(opening.__aexit__(None, None, None))


__all__ = ["JudgeTally", "Session", "judging"]
