"""The sink against ClickHouse reading the same rows from a file: parts s and d of the throughput run.

In both cases the engine is the embedded one behind its HTTP front, on the core of everything else,
with the schema of the migrations. `s` measures `ragpulse sink` on its own core, from its first insert
to its last; `d` is one INSERT … SELECT from a file of the same rows.
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

SAMPLE_S = 0.02
LOOK_S = 0.5


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
    """Wait until all rows are there; the rate is then read from the rows' own `inserted_at`."""
    client = connect(dsn)
    used: list[tuple[float, float]] = []  # time of day, processor seconds: costs the engine nothing
    seen, last_news, next_look = 0, time.monotonic(), 0.0
    while seen < count:
        used.append((time.time(), cpu_seconds(process.pid)))
        if time.monotonic() >= next_look:
            next_look = time.monotonic() + LOOK_S
            stored = _count(client)
            if stored > seen:
                seen, last_news = stored, time.monotonic()
        if process.poll() is not None or time.monotonic() - last_news > STALLED_S:
            raise RuntimeError(f"The sink stopped at {seen} of {count} rows:\n{last_words(log)}")
        time.sleep(SAMPLE_S)
    return _flow(client, used)


def _flow(client: Any, used: list[tuple[float, float]]) -> Flow:
    """From the first insert to the last, without the rows of the last (it has only begun)."""
    inserts = client.query(
        "SELECT toUnixTimestamp64Milli(inserted_at) / 1000 AS at, count() AS n "
        "FROM traces GROUP BY at ORDER BY at"
    )
    if len(inserts) < 3:
        raise RuntimeError("Too few inserts to measure: give more --rows")
    first, last = (float(inserts[at]["at"]) for at in (0, -1))
    rows = sum(int(insert["n"]) for insert in inserts[:-1])
    at_first, at_last = (min(used, key=lambda one: abs(one[0] - moment))[1] for moment in (first, last))
    return Flow(rows, last - first, at_last - at_first)


def _count(client: Any) -> int:
    return int(client.query("SELECT count() AS n FROM traces")[0]["n"])


@contextmanager
def _engine(folder: Path) -> Iterator[EmbeddedEngine]:
    """A fresh engine with the schema of the migrations."""
    with EmbeddedEngine() as engine:
        env = {**os.environ, "RAGPULSE_CLICKHOUSE__DSN": engine.dsn}
        done = subprocess.run(_ragpulse("migrate"), env=env, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"The schema could not be created: {done.stderr}")
        yield engine


def _ragpulse(command: str) -> list[str]:
    return [sys.executable, str(Path(sys.executable).with_name("ragpulse")), command]
