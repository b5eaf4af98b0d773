"""The probe set, put to each judge: once for a command, or again and again beside the lane.

What was kept of earlier answers is not looked at: a judge is to be heard speaking. Runs are stored, so that
any process can compare the newest with the first; several lanes share one schedule by looking there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from judges.llm import rubrics
from judges.llm.asking import Judge, Opinion
from judges.llm.material import PromptLimits
from judges.llm.opine import form_opinion
from judges.llm.probes import Drift, ProbeRun, detect_drift, load_probes, run_probes
from schemas.trace import Trace
from sinks.clickhouse.client import ClickHouse
from sinks.errors import SinkError
from stream import logs
from stream.judging.fresh import FreshJudge
from stream.judging.patience import Sleep
from stream.judging.probe_rows import last_run_at, read_runs, write_run
from stream.judging.rows import Identity
from stream.telemetry.probes import ProbeMetrics

LOOK_EVERY_S: Final = 300.0
"""How often the schedule is looked at."""
FIRST_AFTER_S: Final = 30.0
"""A lane that has just started has better things to do first."""
LANGUAGES: Final = ("", "en", "zh")


@dataclass(frozen=True, slots=True)
class Probed:
    """A run, and what it says held against earlier ones."""

    run: ProbeRun
    drift: Drift


async def probe(
    judge: Judge,
    limits: PromptLimits,
    client: ClickHouse | None,
    now: datetime,
    *,
    new_baseline: bool = False,
) -> Probed:
    """Put the probe set to one judge, compare the run with earlier ones, and store it.

    Without a `client` nothing is compared or stored. A first run begins the baseline, and so does one with
    `new_baseline`: after a change that was meant. Raises SinkError.
    """
    rubric = rubrics.load(rubrics.DEFAULT)
    heard = FreshJudge(judge)

    async def opine(trace: Trace) -> Opinion:
        wording = rubrics.load(rubrics.DEFAULT, trace.language, rubric.version)
        return await form_opinion(trace, None, heard, wording, limits=limits)

    run = await run_probes(
        opine,
        load_probes(),
        judge=judge.name,
        model=judge.model,
        rubric=rubric.name,
        rubric_version=rubric.version,
        at=now,
    )
    if client is None:
        return Probed(run, Drift())
    earlier = await asyncio.to_thread(read_runs, client, identity_of_run(run))
    run.begins_baseline = run.counts and (new_baseline or not any(one.counts for one in earlier))
    await asyncio.to_thread(write_run, client, run)
    return Probed(run, detect_drift(run, earlier))


class ProbeSchedule:
    """Probes every judge when its time has come, and shows the newest run of each, whoever made it."""

    def __init__(
        self,
        judges: Sequence[Judge],
        limits: Mapping[str, PromptLimits],
        client: ClickHouse,
        metrics: ProbeMetrics,
        every: timedelta,
        *,
        now: Callable[[], datetime],
        sleep: Sleep = asyncio.sleep,
        chance: Callable[[], float],
    ) -> None:
        self._judges, self._limits, self._client, self._metrics = judges, limits, client, metrics
        self._every, self._now, self._sleep, self._chance = every, now, sleep, chance

    async def run(self) -> None:
        """Until cancelled. What goes wrong is said, and tried again at the next look."""
        await self._sleep(FIRST_AFTER_S * (1 + self._chance()))
        while True:
            for judge in self._judges:
                try:
                    await self.look(judge)
                except SinkError as error:
                    logs.get().warning(f"The probe set has to wait: {error}", judge=judge.name)
            await self._sleep(LOOK_EVERY_S * (1 + self._chance() / 5))  # several lanes, never in step

    async def look(self, judge: Judge) -> Probed | None:
        """Probe this judge if it is due; returns what came of it. Raises SinkError."""
        last = await asyncio.to_thread(last_run_at, self._client, judge.name, judge.model)
        if last is not None and self._now() < last + self._every:
            await self._show_stored(judge)
            return None
        limits = self._limits.get(judge.name, PromptLimits())
        probed = await probe(judge, limits, self._client, self._now())
        show(self._metrics, probed)
        tell(probed)
        return probed

    async def _show_stored(self, judge: Judge) -> None:
        rubric = rubrics.load(rubrics.DEFAULT)
        who = Identity(judge.name, judge.model, rubric.name, rubric.version)
        runs = await asyncio.to_thread(read_runs, self._client, who)
        if runs:
            show(self._metrics, Probed(runs[-1], detect_drift(runs[-1], runs[:-1])))


def identity_of_run(run: ProbeRun) -> Identity:
    """Whose run it is."""
    return Identity(run.judge, run.model, run.rubric, run.rubric_version)


def show(metrics: ProbeMetrics, probed: Probed) -> None:
    """Set the gauges of one judge."""
    run, drift = probed.run, probed.drift
    for language in LANGUAGES:
        share, labels = run.agreement(language), (run.judge, run.model, language or "all")
        if share is None:
            metrics.agreement.labels(*labels).set(float("nan"))
        else:
            metrics.agreement.labels(*labels).set(share)
    for signal in ("model", "answers", "scores"):
        metrics.drift.labels(run.judge, run.model, signal).set(float(signal in drift.signals))
    metrics.unanswered.labels(run.judge, run.model).set(sum(run.errors.values()))
    metrics.ran_at.labels(run.judge, run.model).set(run.at.timestamp())


def tell(probed: Probed) -> None:
    """Say in the log what a run has found."""
    run, log = probed.run, logs.get()
    if not run.counts:
        log.warning("too few probes were answered to say anything", judge=run.judge, reasons=run.errors)
    for signal, fact in probed.drift.signals.items():
        log.warning(f"a judge has changed: {fact}", judge=run.judge, model=run.model, signal=signal.value)
    if run.counts and not probed.drift.signals:
        log.info(
            "probe set judged",
            judge=run.judge,
            model=run.model,
            agreement=run.agreement(),
            baseline_runs=probed.drift.baseline_runs,
        )


__all__ = ["ProbeSchedule", "Probed", "identity_of_run", "probe", "show", "tell"]
