"""Probes beside the lane, and for the command: whatever judges and store the settings name."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from judges.llm.material import PromptLimits
from sinks.clickhouse.client import ClickHouse
from stream import logs
from stream.judging.bench import Bench
from stream.judging.opening import limits_of, open_bench
from stream.judging.patience import Patience
from stream.judging.probing import Probed, ProbeSchedule, probe
from stream.settings import Settings
from stream.sink.main import open_store
from stream.telemetry.probes import ProbeMetrics


@asynccontextmanager
async def watched_by_probes(bench: Bench, settings: Settings, metrics: ProbeMetrics) -> AsyncIterator[None]:
    """Put the probe set to the judges of a bench on schedule while the body runs; unless that is off."""
    every = timedelta(hours=settings.calibration.probe_every_h)
    if not every or not bench.judges:
        yield
        return
    client = open_store(settings)
    schedule = ProbeSchedule(
        bench.judges, limits_of(settings.judge), client, metrics, every, now=_now, chance=random.random
    )
    watch = asyncio.create_task(schedule.run(), name="probes")
    watch.add_done_callback(_mourn)
    try:
        yield
    finally:
        watch.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):  # said by then
            await watch
        client.close()


async def probe_once(
    settings: Settings, client: ClickHouse | None, *, new_baseline: bool = False
) -> list[Probed]:
    """Put the probe set to every judge of the settings, now. Raises SettingRefused, SinkError."""
    limits = limits_of(settings.judge)
    async with open_bench(settings.judge, Patience(waits=False)) as bench:
        return [
            await probe(
                judge,
                limits.get(judge.name, PromptLimits()),
                client,
                _now(),
                new_baseline=new_baseline,
            )
            for judge in bench.judges
        ]


def _now() -> datetime:
    return datetime.now(UTC)


def _mourn(task: asyncio.Task[None]) -> None:
    """Probes that end by a fault of ours must not take the lane with them, and must not go unnoticed."""
    if not task.cancelled() and (error := task.exception()) is not None:
        logs.get().error(f"the probes have ended: {type(error).__name__}: {error}")


__all__ = ["probe_once", "watched_by_probes"]
