"""The scorer changes while traces keep coming: real processes, a real broker, a real engine."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from judges.distilled import load_scorer
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream import topics
from stream.embedded.broker import EmbeddedBroker
from stream.settings import Settings
from tests.support.kafka import committed, isolated_settings, read_all
from tests.support.sink import QUICK, SinkProcess, wait_for_rows
from tests.support.weights import AT, damage, point_at, registry_of
from tests.support.worker import WorkerProcess, names, publish_traces

pytestmark = [pytest.mark.engine, pytest.mark.broker]

A_BATCH = 40


class Traffic:
    """Publishes traces without a pause until it is told to stop."""

    def __init__(self, settings: Settings) -> None:
        self.published: list[str] = []
        self._settings = settings
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._stop.wait(0.1):
            some = names(A_BATCH)
            publish_traces(self._settings, some, app="helpdesk")
            self.published += some

    @contextmanager
    def flowing(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._stop.set()
            self._thread.join(30)


def wait_for_version(store: ClickHouse, version: str, least: int = A_BATCH, timeout_s: float = 40.0) -> None:
    """Wait until traces scored by this version lie in the table."""
    until = time.monotonic() + timeout_s
    question = "SELECT count() AS n FROM traces WHERE scorer_version = {version:String}"
    while (n := store.query(question, {"version": version})[0]["n"]) < least:
        assert time.monotonic() < until, f"{n} traces scored by {version} after {timeout_s} s"
        time.sleep(0.1)


def turns(rows: list[dict[str, Any]]) -> dict[int, list[str]]:
    """For each partition, which scorers served one after the other."""
    found: dict[int, list[str]] = {}
    for row in sorted(rows, key=lambda row: int(row["source_offset"])):
        served = found.setdefault(row["source_partition"], [])
        if not served or served[-1] != row["scorer_version"]:
            served.append(row["scorer_version"])
    return found


def test_scorers_change_under_load_and_every_trace_is_scored_once_by_one_that_is_named(
    embedded_broker: EmbeddedBroker, dsn: str, tmp_path: Path
) -> None:
    store = connect(dsn)
    migrate(store)
    registry = registry_of(tmp_path / "registry", "s-1", "s-2")
    settings = isolated_settings(
        embedded_broker.address,
        sink=QUICK,
        worker={"batch_size": 25},
        clickhouse={"dsn": dsn, "timeout_s": 10.0},
        scorer={"registry": registry.folder, "poll_s": 0.1, "shadow_rate": 0.0},
    )
    shipped, traffic = load_scorer().version, Traffic(settings)
    worker, sink = WorkerProcess(settings, tmp_path), SinkProcess(settings, tmp_path)
    try:
        worker.wait_for_log("partitions assigned")
        with traffic.flowing():
            wait_for_version(store, shipped)
            registry.promote("s-1", AT)
            wait_for_version(store, "s-1")
            damage(registry, "s-2")
            point_at(registry, "s-2")
            worker.wait_for_log("s-2 is refused")
            before = store.query("SELECT count() AS n FROM traces WHERE scorer_version = 's-1'")[0]["n"]
            wait_for_version(store, "s-1", before + A_BATCH)
            registry.promote(None, AT)
            worker.wait_for_log(f'"scorer": "{shipped}", "before": "s-1"')
            before = store.query("SELECT count() AS n FROM traces")[0]["n"]
            wait_for_rows(settings, before + A_BATCH)
        wait_for_rows(settings, len(traffic.published))
        assert worker.terminate() == 0
        assert sink.terminate() == 0
    finally:
        worker.kill()
        sink.kill()
    rows = [
        orjson.loads(message.value() or b"")
        for message in read_all(settings.kafka.brokers, settings.kafka.topic(topics.SCORED))
    ]
    assert Counter(row["trace_id"] for row in rows) == Counter(dict.fromkeys(traffic.published, 1))
    assert turns(rows) == {0: [shipped, "s-1", shipped], 1: [shipped, "s-1", shipped]}
    assert sum(committed(settings, "worker").values()) == len(traffic.published)
    stored = store.query("SELECT trace_id FROM traces FINAL")
    assert {row["trace_id"] for row in stored} == set(traffic.published)
    assert worker.log.read_text().count("s-2 is refused") == 1
