"""`ragpulse judge`: the process."""

from __future__ import annotations

import asyncio
import importlib.metadata
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial

from judges.llm import facts
from stream import logs, process
from stream.endpoint import Endpoint, Health
from stream.judging.bench import Bench
from stream.judging.compose import ASSIGNED, ENDPOINT, TOPICS, run_lane
from stream.judging.counting import counting, show_budgets
from stream.judging.opening import identity_of, open_bench, require_judge
from stream.judging.probe_lane import watched_by_probes
from stream.judging.rows import Identity
from stream.settings import Settings
from stream.telemetry.judge import JudgeMetrics
from stream.telemetry.probes import ProbeMetrics

Opens = Callable[[facts.Observe], AbstractAsyncContextManager[Bench]]
"""Opens judges; what happens is told to the observer."""


@dataclass(slots=True, frozen=True)
class Chosen:
    """Judges that are not those of the settings."""

    who: Identity
    opens: Opens


def run_judge(settings: Settings, stop: threading.Event | None = None, chosen: Chosen | None = None) -> int:
    """Run until SIGTERM, SIGINT or `stop`; returns the exit code. Services that are away are waited for.

    The judges are those of the settings, unless others are `chosen`.
    """
    return process.run("judge", settings, stop, partial(_run, chosen=chosen))


def _run(settings: Settings, stop: threading.Event, chosen: Chosen | None) -> None:
    if chosen is None:
        require_judge(settings.judge)
        chosen = Chosen(
            identity_of(settings.judge), lambda observe: open_bench(settings.judge, observe=observe)
        )
    metrics = JudgeMetrics()
    health = Health(ASSIGNED, ENDPOINT)
    who = chosen.who
    with Endpoint(settings.telemetry, metrics.registry, health):
        metrics.build.labels(importlib.metadata.version("ragpulse"), "").set(1)
        logs.get().info(
            "judge starts",
            judge=who.judge,
            model=who.model,
            rubric=f"{who.rubric} {who.rubric_version}",
            brokers=settings.kafka.brokers,
        )
        if process.wait_for_topics(settings.kafka, TOPICS, stop, health):
            asyncio.run(_judge(settings, chosen.opens, metrics, health, stop))


async def _judge(
    settings: Settings, opens: Opens, metrics: JudgeMetrics, health: Health, stop: threading.Event
) -> None:
    async with (
        opens(counting(metrics)) as bench,
        watched_by_probes(bench, settings, ProbeMetrics(metrics.registry)),
    ):
        watch = asyncio.create_task(show_budgets(metrics, bench.ledger))
        await run_lane(
            bench,
            settings.kafka,
            metrics,
            health,
            stop,
            stop_budget_s=settings.judge.stop_budget_s,
            annotate_from=settings.judge.annotate_from,
        )
        watch.cancel()


__all__ = ["Chosen", "run_judge"]
