"""The sink against ClickHouse reading the same rows from a file: parts s and d of the throughput run.

In both cases the engine is the embedded one behind its HTTP front, on the core of everything else,
with the schema of the migrations. `s` measures `ragpulse sink` on its own core from the first rows
that can be read to the last; `d` is one INSERT … SELECT from a file of the same rows.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from benchmarks._common import (
    PARTITIONS,
    SESSION_TIMEOUT_MS,
    STALLED_S,
    Cores,
    Flow,
    Messages,
    cpu_seconds,
    create_topics,
    fill_topic,
    last_words,
    pinned,
)
from judges.distilled import load_scorer
from schemas.row import Provenance, Sampling, encode, trace_row
from schemas.trace import Trace
from sinks.clickhouse.client import connect
from stream import topics
from stream.embedded.broker import EmbeddedBroker
from stream.embedded.engine import EmbeddedEngine
from stream.pipeline import judge_batch

POLL_S = 0.05


@dataclass(slots=True, frozen=True)
class Rows:
    """Real rows of the worker, to repeat under new ids."""

    bodies: list[dict[str, Any]]

    def take(self, count: int) -> Iterator[tuple[bytes, bytes]]:
        """(key, row) pairs, each with an id of its own."""
        for number in range(count):
            trace_id = f"bench-{number:08d}"
            body = {**self.bodies[number % len(self.bodies)], "trace_id": trace_id, "source_offset": number}
            yield trace_id.encode(), orjson.dumps(body)

    @property
    def mean_bytes(self) -> float:
        """Length of a row as it travels."""
        return sum(len(row) for _, row in self.take(len(self.bodies))) / len(self.bodies)


def scored_rows(messages: Messages) -> Rows:
    """Judge each message once; the rows are what the worker would have sent."""
    now = datetime.now(UTC)
    traces = [Trace.model_validate(body) for body in messages.bodies]
    return Rows(
        [
            orjson.loads(encode(trace_row(judged, Provenance(topics.TRACES, 0, 0, now), Sampling(), now)))
            for judged in judge_batch(traces, load_scorer())
        ]
    )


def measure_sink(rows: Rows, count: int, cores: Cores, folder: Path) -> Flow:
    """Rows a second of `ragpulse sink`, consuming from a full topic."""
    log = folder / "sink.log"
    with _engine(folder) as engine, EmbeddedBroker() as broker:
        create_topics(broker.address, [topics.SCORED, topics.VERDICTS, topics.DEAD])
        fill_topic(broker.address, topics.SCORED, rows.take(count))
        env = {
            "RAGPULSE_KAFKA__BROKERS": broker.address,
            "RAGPULSE_KAFKA__PARTITIONS": str(PARTITIONS),
            "RAGPULSE_KAFKA__SESSION_TIMEOUT_MS": str(SESSION_TIMEOUT_MS),
            "RAGPULSE_CLICKHOUSE__DSN": engine.dsn,
            "RAGPULSE_TELEMETRY__LOG_LEVEL": "warning",
        }
        with pinned(cores.measured, _ragpulse("sink"), log, env) as process:
            return _watch_table(engine.dsn, process, count, log)


def measure_direct(rows: Rows, count: int, cores: Cores, folder: Path) -> Flow:
    """Rows a second of the engine by itself, reading the same rows from a file."""
    file = folder / "rows.jsonl"
    columns = ", ".join(rows.bodies[0])
    with _engine(folder) as engine:
        statement = f"INSERT INTO traces ({columns}) SELECT {columns} FROM file('{file}', JSONEachRow)"
        client = connect(engine.dsn)
        _write(file, rows, 1)
        client.command(statement)  # warm: code paths, schema, file function
        client.command("TRUNCATE TABLE traces")
        _write(file, rows, count)
        engine_pid = engine.pid or 0
        cpu, started = cpu_seconds(engine_pid), time.monotonic()
        client.command(statement)
        seconds, cpu = time.monotonic() - started, cpu_seconds(engine_pid) - cpu
        stored = _count(client)
    file.unlink()
    if stored != count:
        raise RuntimeError(f"ClickHouse read {stored} rows of {count} from the file")
    return Flow(count, seconds, cpu)


def _write(file: Path, rows: Rows, count: int) -> None:
    with file.open("wb") as out:
        out.writelines(row + b"\n" for _, row in rows.take(count))


def _watch_table(dsn: str, process: subprocess.Popen[bytes], count: int, log: Path) -> Flow:
    client = connect(dsn)
    begin: tuple[int, float, float] | None = None
    seen, last_news = 0, time.monotonic()
    while True:
        stored, now = _count(client), time.monotonic()
        if stored > seen:
            seen, last_news = stored, now
            if begin is None:
                begin = (stored, now, cpu_seconds(process.pid))
            elif stored >= count:
                first, since, cpu = begin
                return Flow(stored - first, now - since, cpu_seconds(process.pid) - cpu)
        elif process.poll() is not None or now - last_news > STALLED_S:
            raise RuntimeError(f"The sink stopped at {seen} of {count} rows:\n{last_words(log)}")
        time.sleep(POLL_S)


def _count(client: Any) -> int:
    return int(client.query("SELECT count() AS n FROM traces")[0]["n"])


@contextmanager
def _engine(folder: Path) -> Iterator[EmbeddedEngine]:
    """A fresh engine with the schema of the migrations."""
    with EmbeddedEngine() as engine:
        env = {**os.environ, "RAGPULSE_CLICKHOUSE__DSN": engine.dsn}
        subprocess.run(_ragpulse("migrate"), env=env, check=True, timeout=120, stdout=subprocess.DEVNULL)
        yield engine


def _ragpulse(command: str) -> list[str]:
    return [sys.executable, str(Path(sys.executable).with_name("ragpulse")), command]
