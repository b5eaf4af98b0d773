"""Workers for tests: in a thread of the test, or as a process of their own."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import Message
from prometheus_client.parser import text_string_to_metric_families

from judges.distilled import load_scorer
from schemas.scored import Scorer
from stream import topics
from stream.endpoint import Health
from stream.scorers import open_registry
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.worker.lineup import Lineups, Load, following
from stream.worker.main import compose
from stream.worker.second_look import Tier
from tests.support.kafka import environment, publish, read_until, unique
from tests.support.running import Running
from tests.support.traces import trace_json

_PROGRAM = """
import sys
from stream.scorers import open_registry
from stream.settings import Settings
from stream.worker import run_worker
sys.exit(run_worker(Settings()))
"""


class RunningWorker(Running):
    """A worker that runs in a thread, and what it says of itself. It follows the registry of its settings."""

    def __init__(
        self,
        settings: Settings,
        scorer: Scorer | None = None,
        load: Load = load_scorer,
        tier: Tier | None = None,
    ) -> None:
        self.metrics = WorkerMetrics()
        super().__init__("worker", self.metrics, Health("scorer", "partitions"))
        self.lineups = Lineups(
            open_registry(settings.scorer), self.metrics, load if scorer is None else lambda _: scorer
        )
        self._settings = settings
        self._runner = compose(settings, self.lineups, self.metrics, self.health, tier)
        self._body = self._follow_and_run

    def _follow_and_run(self, stop: threading.Event) -> None:
        with following(self.lineups, self._settings.scorer.poll_s):
            self._runner.run(stop)


@contextmanager
def running_worker(
    settings: Settings,
    scorer: Scorer | None = None,
    load: Load = load_scorer,
    tier: Tier | None = None,
) -> Iterator[RunningWorker]:
    """A worker in a thread while the body runs."""
    worker = RunningWorker(settings, scorer, load, tier).start()
    try:
        yield worker
    finally:
        worker.stop()


class WorkerProcess:
    """A worker as a real process: it can be killed. Its log lies in `folder`."""

    def __init__(
        self, settings: Settings, folder: Path, name: str = "worker", program: str = _PROGRAM
    ) -> None:
        self.log = folder / f"{name}.log"
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-c", program], env=environment(settings), stdout=out, stderr=out
            )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def terminate(self, timeout_s: float = 20.0) -> int:
        self.process.terminate()
        return self.process.wait(timeout_s)

    def wait_for_log(self, text: str, timeout_s: float = 30.0) -> str:
        """Wait for a line that holds `text`; returns it."""
        until = time.monotonic() + timeout_s
        while True:
            for line in self.log.read_text(errors="replace").splitlines():
                if text in line:
                    return line
            assert self.process.poll() is None, self.log.read_text(errors="replace")[-2_000:]
            assert time.monotonic() < until, (
                f"no {text!r} in:\n{self.log.read_text(errors='replace')[-2_000:]}"
            )
            time.sleep(0.05)


def scrape(url: str) -> dict[str, float]:
    """The samples of a /metrics page, summed over labels."""
    totals: dict[str, float] = {}
    with urllib.request.urlopen(url, timeout=5) as page:
        for family in text_string_to_metric_families(page.read().decode()):
            for sample in family.samples:
                totals[sample.name] = totals.get(sample.name, 0.0) + sample.value
    return totals


def publish_traces(settings: Settings, trace_ids: list[str], **fields: Any) -> None:
    """Publish one small healthy trace for each name; `fields` replace or add to it."""
    topic = settings.kafka.topic(topics.TRACES)
    publish(settings.kafka.brokers, topic, [trace_json(i, **fields) for i in trace_ids], keys=trace_ids)


def scored(settings: Settings, count: int, timeout_s: float = 30.0) -> list[Message]:
    """The scored rows, once there are rows of `count` distinct traces."""
    topic = settings.kafka.topic(topics.SCORED)
    return read_until(settings.kafka.brokers, topic, count, timeout_s=timeout_s)


def ids(messages: list[Message]) -> set[str]:
    """The trace_ids of scored rows."""
    return {(message.key() or b"").decode() for message in messages}


def names(count: int) -> list[str]:
    """So many trace_ids that no other test uses."""
    prefix = unique()
    return [f"{prefix}-{number}" for number in range(count)]
