"""Sinks for tests: in a thread of the test, or as a process of their own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import Producer

from sinks.clickhouse.client import ClickHouse, connect
from stream import topics
from stream.endpoint import Health
from stream.settings import Settings
from stream.sink.main import ASSIGNED, SCHEMA, compose
from stream.telemetry import SinkMetrics
from tests.support.kafka import environment, isolated_settings
from tests.support.running import Running

_PROGRAM = (
    "import sys; from stream.settings import Settings; from stream.sink.main import run_sink; "
    "sys.exit(run_sink(Settings()))"
)
QUICK: dict[str, Any] = {
    "batch_rows": 500,
    "batch_wait_s": 0.1,
    "rollup_interval_s": 0.5,
    "retry_first_s": 0.05,
    "retry_max_s": 0.5,
}


def sink_settings(broker: str, dsn: str, **sink: Any) -> Settings:
    """Settings of a sink with topics of its own; small batches and short waits unless told otherwise."""
    return isolated_settings(broker, sink=QUICK | sink, clickhouse={"dsn": dsn, "timeout_s": 10.0})


def publish_rows(
    settings: Settings, lines: Iterable[bytes], *, table: str | None = None, topic: str = topics.SCORED
) -> None:
    """Put rows on a topic as the worker does, and wait until the broker has them."""
    producer = Producer({"bootstrap.servers": settings.kafka.brokers, "message.max.bytes": 20_000_000})
    failed: list[object] = []
    headers: dict[str, str | bytes | None] = {topics.HEADER_TABLE: table.encode()} if table else {}
    for number, line in enumerate(lines):
        producer.produce(
            settings.kafka.topic(topic),
            line,
            key=str(number).encode(),
            headers=headers,
            on_delivery=lambda error, _: failed.append(error) if error else None,
        )
        if number % 500 == 499:
            producer.poll(0)
    assert producer.flush(30) == 0
    assert not failed


class RunningSink(Running):
    """A sink that runs in a thread, and what it says of itself."""

    def __init__(self, settings: Settings) -> None:
        self.metrics = SinkMetrics()
        super().__init__("sink", self.metrics, Health(SCHEMA, ASSIGNED))
        self.health.got(SCHEMA)
        self._body = compose(settings, self.metrics, self.health).run


@contextmanager
def running_sink(settings: Settings) -> Iterator[RunningSink]:
    """A sink in a thread while the body runs."""
    sink = RunningSink(settings).start()
    try:
        yield sink
    finally:
        sink.stop()


class SinkProcess:
    """A sink as a real process: it can be killed. Its log lies in `folder`."""

    def __init__(self, settings: Settings, folder: Path, name: str = "sink", program: str = _PROGRAM) -> None:
        self.log = folder / f"{name}.log"
        variables = environment(settings)
        variables["RAGPULSE_CLICKHOUSE__DSN"] = settings.clickhouse.dsn.get_secret_value()
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-c", program], env=variables, stdout=out, stderr=out
            )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def terminate(self, timeout_s: float = 20.0) -> int:
        self.process.terminate()
        return self.process.wait(timeout_s)


class Counts:
    """What lies in a table: all rows, rows after replacement, and distinct trace ids."""

    def __init__(self, store: ClickHouse, table: str = "traces") -> None:
        (row,) = store.query(
            f"SELECT count() AS final, uniqExact(trace_id) AS distinct_ids FROM {table} FINAL"
        )
        (raw,) = store.query(f"SELECT count() AS raw FROM {table}")
        self.final, self.distinct, self.raw = int(row["final"]), int(row["distinct_ids"]), int(raw["raw"])


def wait_for_rows(settings: Settings, count: int, table: str = "traces", timeout_s: float = 60.0) -> Counts:
    """Wait until a table holds so many distinct trace ids."""
    store = connect(settings.clickhouse.dsn.get_secret_value())
    until = time.monotonic() + timeout_s
    while (counts := Counts(store, table)).distinct < count:
        assert time.monotonic() < until, f"{counts.distinct} of {count} in {table} after {timeout_s} s"
        time.sleep(0.05)
    return counts
