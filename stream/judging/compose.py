"""The judge lane's plan: judges, delivery and Faust, put together."""

from __future__ import annotations

import random
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from stream import topics
from stream.endpoint import Health
from stream.judging.arrived import Arrived
from stream.judging.deliver import Deliverer, Send
from stream.judging.judge import Opine, TraceJudge
from stream.judging.lane import ASSIGNED, ENDPOINT, GROUP, Lane
from stream.judging.patience import Absence, Patience
from stream.judging.rows import Identity
from stream.settings import KafkaSettings
from stream.telemetry.judge import JudgeMetrics

TOPICS = (topics.JUDGE, topics.VERDICTS, topics.DEAD)


@dataclass(slots=True, frozen=True)
class Bench:
    """The judges, ready to be asked."""

    opine: Opine
    identity: Identity
    """Whose verdict it is where there is one."""
    concurrency: int
    """Traces that are judged at once."""
    absence: Absence
    patience: Patience

    def trace_judge(self) -> TraceJudge:
        """What judges single traces."""
        return TraceJudge(
            self.opine,
            self.identity,
            self.patience,
            self.absence,
            now=lambda: datetime.now(UTC),
            chance=random.random,
        )


async def run_lane(
    bench: Bench,
    settings: KafkaSettings,
    metrics: JudgeMetrics,
    health: Health,
    stop: threading.Event,
    *,
    stop_budget_s: float,
) -> None:
    """Judge what arrives until `stop`. Raises what ends it otherwise; only what is done is committed."""
    judge = bench.trace_judge()

    def make_work(send: Send) -> Callable[[Arrived], Awaitable[None]]:
        verdicts, dead = settings.topic(topics.VERDICTS), settings.topic(topics.DEAD)
        return Deliverer(judge, send, metrics, verdicts=verdicts, dead=dead).work

    lane = Lane(
        settings,
        make_work,
        metrics,
        health,
        bench.absence,
        size=bench.concurrency,
        stop_budget_s=stop_budget_s,
    )
    await lane.run(stop)


__all__ = ["ASSIGNED", "ENDPOINT", "GROUP", "TOPICS", "Bench", "run_lane"]
