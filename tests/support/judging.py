"""The judge lane for tests: in a thread of the test, with judges of the test's own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson

from judges.llm.asking import JudgeFailed, Opinion, Usage
from schemas.trace import Trace
from stream import topics
from stream.endpoint import Health
from stream.judging.bench import Bench
from stream.judging.compose import ASSIGNED, ENDPOINT, run_lane
from stream.judging.judge import Opine
from stream.judging.patience import Absence, Patience
from stream.judging.rows import Identity
from stream.settings import Settings
from stream.telemetry.judge import JudgeMetrics
from tests.support.kafka import publish
from tests.support.running import Running
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
    said = {"failure": "healthy", "faithfulness": 1.0, "usage": Usage(1, 100, 10, 0.001, 5.0)} | fields
    return Opinion("stub", "stub-1", "rag", "1", "en", **said)


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

    def __init__(self, settings: Settings, bench: Bench, stop_budget_s: float = 5.0) -> None:
        self.metrics = JudgeMetrics()
        health = Health(ASSIGNED, ENDPOINT)
        super().__init__("judge", self.metrics, health)
        self._body = lambda stop: asyncio.run(
            run_lane(bench, settings.kafka, self.metrics, health, stop, stop_budget_s=stop_budget_s)
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
