"""The judge lane's plan: judges, delivery and Faust, put together."""

from __future__ import annotations

import math
import threading
from collections.abc import Awaitable, Callable

from stream import topics
from stream.endpoint import Health
from stream.judging.arrived import Arrived
from stream.judging.bench import Bench
from stream.judging.deliver import Deliverer, Send
from stream.judging.lane import ASSIGNED, ENDPOINT, GROUP, Lane
from stream.judging.memory import Failures
from stream.settings import KafkaSettings
from stream.telemetry.judge import JudgeMetrics

TOPICS = (topics.JUDGE, topics.VERDICTS, topics.DEAD, topics.ANNOTATION)


async def run_lane(
    bench: Bench,
    settings: KafkaSettings,
    metrics: JudgeMetrics,
    health: Health,
    stop: threading.Event,
    *,
    stop_budget_s: float,
    annotate_from: float = math.inf,
) -> None:
    """Judge what arrives until `stop`. Raises what ends it otherwise; only what is done is committed."""
    judge = bench.trace_judge()
    failures = Failures(bench.answers, bench.identity)

    def make_work(send: Send) -> Callable[[Arrived], Awaitable[None]]:
        return Deliverer(
            judge, failures, send, metrics, name=settings.topic, annotate_from=annotate_from
        ).work

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


__all__ = ["ASSIGNED", "ENDPOINT", "GROUP", "TOPICS", "run_lane"]
