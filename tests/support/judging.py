"""The judge lane for tests: in a thread of the test, with judges of the test's own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from judges.llm.asking import JudgeFailed, Opinion, Usage
from schemas.trace import Trace
from stream import topics
from stream.dead.letters import Letter
from stream.dead.letters import read as read_letter
from stream.endpoint import Health
from stream.judging.bench import Bench
from stream.judging.compose import ASSIGNED, ENDPOINT, run_lane
from stream.judging.judge import Opine
from stream.judging.patience import Absence, Patience
from stream.judging.rows import Identity
from stream.settings import Settings
from stream.telemetry.judge import JudgeMetrics
from tests.support.kafka import environment, isolated_settings, publish, read_until
from tests.support.running import Running
from tests.support.stand_in_llm import StandIn
from tests.support.traces import trace_json


@dataclass
class Said:
    """What judges of a test said together."""

    consensus: Opinion
    opinions: list[Opinion] = field(default_factory=list)
    disagreement: float | None = None
    failed: dict[str, JudgeFailed] = field(default_factory=dict)


def opinion(**fields: Any) -> Opinion:
    """A plain opinion; `fields` replace or add to it."""
    said: dict[str, Any] = {
        "failure": "healthy",
        "faithfulness": 1.0,
        "usage": Usage(1, 100, 10, 0.001, 5.0),
    }
    return Opinion("stub", "stub-1", "rag", "1", "en", **said | fields)


def stub_bench(opine: Opine, concurrency: int = 4, **patience: Any) -> Bench:
    """Judges of the test's own, that are waited for in milliseconds."""
    quick = Patience(**{"first_s": 0.01, "max_s": 0.05} | patience)
    return Bench(opine, Identity("stub", "stub-1", "rag", "1"), concurrency, Absence(), quick)


def agreeable(act: Callable[[Trace], Awaitable[None]] | None = None) -> Opine:
    """Judges that find everything healthy, after `act`."""

    async def opine(trace: Trace, scores: dict[str, Any] | None) -> Said:
        if act:
            await act(trace)
        one = opinion()
        return Said(one, [one])

    return opine


class RunningLane(Running):
    """A judge lane that runs in a thread, and what it says of itself."""

    def __init__(
        self, settings: Settings, bench: Bench, *, stop_budget_s: float = 5.0, annotate_from: float = 2.0
    ) -> None:
        self.metrics = JudgeMetrics()
        health = Health(ASSIGNED, ENDPOINT)
        super().__init__("judge", self.metrics, health)
        self._body = lambda stop: asyncio.run(
            run_lane(
                bench,
                settings.kafka,
                self.metrics,
                health,
                stop,
                stop_budget_s=stop_budget_s,
                annotate_from=annotate_from,
            )
        )


@contextmanager
def running_lane(settings: Settings, bench: Bench, **options: Any) -> Iterator[RunningLane]:
    """A lane in a thread while the body runs."""
    lane = RunningLane(settings, bench, **options).start()
    try:
        yield lane
    finally:
        lane.stop()


def sampled_json(trace_id: str, probability: float = 0.5, **fields: Any) -> bytes:
    """A message for the judges, as the worker writes it; `fields` replace or add to the trace's."""
    trace = orjson.loads(trace_json(trace_id, **fields))
    message = {
        "trace": trace,
        "scores": {"trace_id": trace_id, "failure": None},
        "sample": {"probability": probability, "reasons": ["control"]},
        "received_at": "2026-11-30T12:00:00+00:00",
    }
    return orjson.dumps(message)


def publish_sampled(settings: Settings, trace_ids: list[str], **fields: Any) -> None:
    """Put one small trace for each name before the judges."""
    values = [sampled_json(one, **fields) for one in trace_ids]
    publish(settings.kafka.brokers, settings.kafka.topic(topics.JUDGE), values, keys=trace_ids)


class JudgeProcess:
    """`ragpulse judge` as a real process: it can be killed. Its log lies in `folder`."""

    def __init__(self, settings: Settings, folder: Path, name: str = "judge") -> None:
        self.log = folder / f"{name}.log"
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "stream.cli", "judge"],
                env=environment(settings),
                stdout=out,
                stderr=out,
            )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def terminate(self, timeout_s: float = 30.0) -> int:
        self.process.terminate()
        return self.process.wait(timeout_s)


def judge_settings(
    broker: str, stand_in: StandIn, folder: Path, *, partitions: int = 2, **judge: Any
) -> Settings:
    """Settings of a lane whose judge is a stand-in, with a state file of its own and no patience."""
    quick: dict[str, Any] = {
        "base_url": stand_in.base_url,
        "model": stand_in.model,
        "state_file": str(folder / "judge.sqlite"),
        "concurrency": 4,
        "timeout_s": 5.0,
        "breaker_rest_s": 0.2,
        "stop_budget_s": 5.0,
    }
    unwatched = {"probe_every_h": 0}  # else the server is asked more than the traces come to
    return isolated_settings(broker, partitions=partitions, judge=quick | judge, calibration=unwatched)


def verdicts_on(settings: Settings, count: int, timeout_s: float = 60.0) -> list[dict[str, Any]]:
    """The verdict rows on their topic, once there are rows of `count` distinct traces."""
    topic = settings.kafka.topic(topics.VERDICTS)
    found = read_until(settings.kafka.brokers, topic, count, timeout_s=timeout_s)
    return [orjson.loads(message.value() or b"") for message in found]


def dead_on(settings: Settings, count: int, timeout_s: float = 60.0) -> list[Letter]:
    """The dead letters, once there are letters of `count` distinct keys."""
    topic = settings.kafka.topic(topics.DEAD)
    found = read_until(settings.kafka.brokers, topic, count, timeout_s=timeout_s)
    return [read_letter(message) for message in found]
