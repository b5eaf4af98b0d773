"""`ragpulse judge`: the process."""

from __future__ import annotations

import asyncio
import importlib.metadata
import threading

from stream import logs, process
from stream.endpoint import Endpoint, Health
from stream.judging.compose import ASSIGNED, ENDPOINT, TOPICS, run_lane
from stream.judging.counting import counting
from stream.judging.opening import identity_of, open_bench, require_judge
from stream.judging.probe_lane import watched_by_probes
from stream.settings import Settings
from stream.telemetry.judge import JudgeMetrics
from stream.telemetry.probes import ProbeMetrics


def run_judge(settings: Settings, stop: threading.Event | None = None) -> int:
    """Run until SIGTERM, SIGINT or `stop`; returns the exit code. Services that are away are waited for."""
    return process.run("judge", settings, stop, _run)


def _run(settings: Settings, stop: threading.Event) -> None:
    require_judge(settings.judge)
    metrics = JudgeMetrics()
    health = Health(ASSIGNED, ENDPOINT)
    who = identity_of(settings.judge)
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
            asyncio.run(_judge(settings, metrics, health, stop))


async def _judge(settings: Settings, metrics: JudgeMetrics, health: Health, stop: threading.Event) -> None:
    async with (
        open_bench(settings.judge, observe=counting(metrics)) as bench,
        watched_by_probes(bench, settings, ProbeMetrics(metrics.registry)),
    ):
        await run_lane(
            bench, settings.kafka, metrics, health, stop, stop_budget_s=settings.judge.stop_budget_s
        )


__all__ = ["run_judge"]
