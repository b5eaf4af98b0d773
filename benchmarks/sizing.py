"""What 1,000, 10,000 and 100,000 traces a second need: measured for one trace, multiplied on paper.

    python -m benchmarks.sizing                          # the plan, from the costs in docs/SCALING.md
    python -m benchmarks.sizing --measure --report docs/SCALING.md
    python -m benchmarks.sizing --rates 300,2500 --replicas 1 --text-days 7

`--measure` measures what one trace costs here: processor time of the worker's pipeline and of the engine
(insert, merges, rollup), bytes on Apache Kafka's disk, bytes of a row after merging. Everything else is
arithmetic. Exit code: 0; 2 usage; 130 interrupted.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson

from benchmarks._common import LABELLED, ROOT, load_messages
from benchmarks._documents import end_on_signals
from benchmarks._options import above_zero, at_least_one, document_to_write
from judges.distilled import load_scorer
from schemas.formats.own import decode
from schemas.row import Provenance, Sampling, encode, trace_row
from schemas.trace import Trace
from stream import topics
from stream.pipeline import judge_batch

DOCUMENT: Final = ROOT / "docs" / "SCALING.md"
RATES: Final = (1_000, 10_000, 100_000)
SINK_CPU_MS: Final = 0.0132
"""Of the sink, for a row: docs/BENCHMARKS.md, row s."""
TEXTS: Final = frozenset(
    {"question", "rewritten_query", "answer", "history", "chunks", "prompt_context", "feedback_comment",
     "evidence", "extra"}
)  # fmt: skip
"""Columns that go after RAGPULSE_CLICKHOUSE__TEXT_RETENTION_DAYS (sinks/clickhouse/retention.sql)."""
ENOUGH: Final = 2_000
"""Rows from which the store's time and the small columns can be told."""
_DAY: Final = 86_400
_TICK: Final = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True, frozen=True)
class Costs:
    """What one trace costs: processor milliseconds and bytes."""

    traffic: str
    traces: int
    message_bytes: float
    worker_ms: float
    store_ms: float | None
    """None where there were too few rows to tell it from what a query costs anyway; so `other_bytes`."""
    kafka_trace_bytes: float
    kafka_row_bytes: float
    text_bytes: float
    other_bytes: float | None


@dataclass(slots=True, frozen=True)
class Assumptions:
    """What is chosen, not measured."""

    peak: float = 2.0
    """Busiest minute to mean of the day."""
    busy: float = 0.6
    """Of a worker's core at the peak; what is left catches up after an outage."""
    store_busy: float = 0.3
    """Of ClickHouse's cores, for writing at the peak; the rest is for questions."""
    cores_a_server: int = 16
    tb_a_server: float = 16.0
    replicas: int = 2
    days: int = 90
    text_days: int = 30
    kafka_hours: int = 24
    kafka_replicas: int = 3
    core_usd: float = 25.0
    """For a month."""
    gb_usd: float = 0.1
    """For a month, on disks fit for a database."""


@dataclass(slots=True, frozen=True)
class Plan:
    """For one rate, at its mean over the day."""

    rate: int
    workers: int
    partitions: int
    sinks: int
    store_cores: int
    shards: int
    servers: int
    disk_gb: float
    kafka_gb: float
    usd: float

    @property
    def usd_a_million(self) -> float:
        """For a million traces."""
        return self.usd / (self.rate * _DAY * 30 / 1e6)


def plan(rate: int, costs: Costs, chosen: Assumptions) -> Plan:
    """What a mean rate needs. Pure arithmetic, each line of which stands in docs/SCALING.md."""
    assert costs.store_ms is not None
    assert costs.other_bytes is not None
    peak = rate * chosen.peak
    workers = max(2, math.ceil(peak * costs.worker_ms / 1_000 / chosen.busy))
    sinks = max(2, math.ceil(peak * SINK_CPU_MS / 1_000 / chosen.busy))
    partitions = 12 * math.ceil(workers * 1.5 / 12)
    cores = max(2, math.ceil(peak * costs.store_ms / 1_000 / chosen.store_busy))
    kept = costs.text_bytes * chosen.text_days + costs.other_bytes * chosen.days
    disk = rate * _DAY * kept * chosen.replicas / 1e9
    a_replica = disk / chosen.replicas / 1e3
    shards = max(math.ceil(cores / chosen.cores_a_server), math.ceil(a_replica / chosen.tb_a_server))
    queued = costs.kafka_trace_bytes + costs.kafka_row_bytes
    kafka = rate * 3_600 * chosen.kafka_hours * queued * chosen.kafka_replicas / 1e9
    all_cores = workers + sinks + cores * chosen.replicas
    usd = all_cores * chosen.core_usd + (disk + kafka) * chosen.gb_usd
    return Plan(
        rate, workers, partitions, sinks, cores, shards, shards * chosen.replicas, disk, kafka, usd
    )  # fmt: skip


def worst(measured: Sequence[Costs]) -> Costs:
    """The dearer of several kinds of traffic, figure by figure, of those that were measured."""
    figures = {
        field.name: max(getattr(costs, field.name) or 0.0 for costs in measured)
        for field in dataclasses.fields(Costs)
        if field.name not in ("traffic", "traces")
    }
    return Costs(" and ".join(c.traffic for c in measured), sum(c.traces for c in measured), **figures)


# --- measuring ------------------------------------------------------------------------------------


def measure(bodies: list[bytes], traffic: str, folder: Path) -> Costs:
    """All figures for these messages, each a trace of its own. Needs Apache Kafka beside the checkout."""
    from tests.support.kafka import ApacheKafka

    rows, worker_ms = _score(bodies)
    folder.mkdir()
    kafka = ApacheKafka(folder)
    try:
        kafka.start()
        trace_bytes = _on_disk(kafka.address, topics.TRACES, bodies, folder)
        row_bytes = _on_disk(kafka.address, topics.SCORED, rows, folder)
    finally:
        kafka.stop()
    store_ms, text, other = _stored(rows)
    mean = sum(map(len, bodies)) / len(bodies)
    enough = len(rows) >= ENOUGH
    return Costs(
        traffic, len(bodies), mean, worker_ms, store_ms if enough else None,
        trace_bytes, row_bytes, text, other if enough else None,
    )  # fmt: skip


def _score(bodies: list[bytes], batch: int = 256) -> tuple[list[bytes], float]:
    """Rows, and processor milliseconds a trace from bytes to bytes; the first batch warms up uncounted."""
    from datetime import UTC, datetime

    scorer, now = load_scorer(), datetime.now(UTC)

    def run(some: Iterable[bytes]) -> list[bytes]:
        traces = [one for body in some for one in decode(body) if isinstance(one, Trace)]
        return [
            encode(trace_row(judged, Provenance(topics.TRACES, 0, number, now), Sampling(), now))
            for number, judged in enumerate(judge_batch(traces, scorer))
        ]

    run(bodies[:batch])
    begin = time.process_time()
    rows = [row for start in range(0, len(bodies), batch) for row in run(bodies[start : start + batch])]
    return rows, (time.process_time() - begin) * 1_000 / len(bodies)


def _on_disk(address: str, topic: str, values: list[bytes], folder: Path) -> float:
    """Bytes a message in the broker's log, sent as the worker sends: lz4, in batches of 20 ms."""
    from confluent_kafka import Producer

    from stream.kafka.admin import ensure_topics
    from stream.settings import KafkaSettings

    ensure_topics(KafkaSettings(brokers=address, partitions=1), [topic])
    producer = Producer({"bootstrap.servers": address, "linger.ms": 20, "compression.type": "lz4"})
    for number, value in enumerate(values):
        producer.produce(topic, value, key=f"trace-{number:08d}".encode())
        producer.poll(0)
        if number % 500 == 499:
            producer.flush(30)
    if producer.flush(60):
        raise RuntimeError("the broker does not take the messages")
    return sum(file.stat().st_size for file in folder.rglob(f"{topic}-0/*.log")) / len(values)


def _stored(rows: list[bytes], batch: int = 5_000) -> tuple[float, float, float]:
    """The engine's milliseconds a row (insert, merge, rollup), and bytes of text and of all else a row."""
    from sinks.clickhouse.client import connect
    from sinks.clickhouse.migrate import migrate
    from sinks.clickhouse.rollup import roll_up
    from stream.embedded.engine import EmbeddedEngine

    with EmbeddedEngine() as engine:
        store = connect(engine.dsn)
        migrate(store)
        # As parts of any size worth counting are: a file a column, whose sizes are known.
        store.command(
            "ALTER TABLE traces MODIFY SETTING min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0"
        )
        assert engine.pid is not None
        before = _cpu_s(engine.pid)
        for start in range(0, len(rows), batch):
            store.insert_raw("traces", b"\n".join(rows[start : start + batch]))
            roll_up(store)
        store.command("OPTIMIZE TABLE traces FINAL")
        spent = _cpu_s(engine.pid) - before
        found = store.query(
            "SELECT column, sum(column_data_compressed_bytes + column_marks_bytes) AS n "
            "FROM system.parts_columns WHERE active AND database = currentDatabase() "
            "AND table = 'traces' GROUP BY column"
        )
        (part,) = store.query(
            "SELECT sum(bytes_on_disk) AS n, sum(rows) AS rows FROM system.parts "
            "WHERE active AND database = currentDatabase() AND table = 'traces'"
        )
    text = sum(int(row["n"]) for row in found if row["column"] in TEXTS)
    count = int(part["rows"])
    return spent * 1_000 / len(rows), text / count, (int(part["n"]) - text) / count


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def _simulated(count: int) -> list[bytes]:
    from stream.demo.traffic import Traffic

    return [message.value for message in Traffic(seed=11).traces(count)]


def _labelled() -> list[bytes]:
    bodies = load_messages().bodies
    return [orjson.dumps({**body, "trace_id": f"l-{number}"}) for number, body in enumerate(bodies)]


def measure_all(count: int) -> list[Costs]:
    """The demo's traffic, and the labelled traces where they are."""
    from stream.embedded.scratch import Scratch

    with Scratch("sizing") as scratch:
        measured = [measure(_simulated(count), "the demo's traffic", scratch.path / "demo")]
        if LABELLED.exists():
            measured.append(measure(_labelled(), "labelled traces", scratch.path / "labelled"))
    return measured


# --- saying ---------------------------------------------------------------------------------------


def costs_text(measured: Sequence[Costs]) -> str:
    """Two tables in Markdown: what was measured."""
    said = [("traces", "{:,.0f}", "traces"), ("bytes a message, as JSON", "{:,.0f}", "message_bytes"),
            ("worker: processor ms a trace, bytes to bytes", "{:.2f}", "worker_ms"),
            ("ClickHouse: processor ms a row (insert, merge, rollup)", "{:.2f}", "store_ms"),
            ("bytes on Kafka's disk, a trace", "{:,.0f}", "kafka_trace_bytes"),
            ("bytes on Kafka's disk, a scored row", "{:,.0f}", "kafka_row_bytes"),
            ("bytes of a row in ClickHouse: texts", "{:,.0f}", "text_bytes"),
            ("bytes of a row in ClickHouse: all else", "{:,.0f}", "other_bytes")]  # fmt: skip
    lines = [
        "| | " + " | ".join(costs.traffic for costs in measured) + " |",
        "|---|" + "---|" * len(measured),
    ]
    for name, form, field in said:
        lines.append(f"| {name} | " + " | ".join(_figure(form, getattr(c, field)) for c in measured) + " |")
    kept = json.dumps([dataclasses.asdict(costs) for costs in measured])
    return "\n".join([*lines, "", f"<!-- costs: {kept} -->"])


def _figure(form: str, value: float | None) -> str:
    return "too few to tell" if value is None else form.format(value)


def plan_text(plans: Sequence[Plan]) -> str:
    """The plan as a table in Markdown."""
    lines = [
        "| traces/s, mean | workers (cores) | partitions | sinks | ClickHouse cores a replica "
        "| shards × replicas | ClickHouse disk, all | Kafka disk, all | USD a month | USD a million traces |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in plans:
        copies = one.servers // one.shards
        lines.append(
            f"| {one.rate:,} | {one.workers:,} | {one.partitions:,} | {one.sinks} | {one.store_cores:,} "
            f"| {one.shards} × {copies} | {_size(one.disk_gb)} | {_size(one.kafka_gb)} "
            f"| {one.usd:,.0f} | {one.usd_a_million:.2f} |"
        )
    return "\n".join(lines)


def _size(gigabytes: float) -> str:
    return f"{gigabytes / 1_000:,.1f} TB" if gigabytes >= 1_000 else f"{gigabytes:,.0f} GB"


def read_costs(document: Path = DOCUMENT) -> list[Costs]:
    """What was measured last, from the document. Raises ValueError where it holds nothing of the kind."""
    found = re.search(r"<!-- costs: (.*) -->", document.read_text(encoding="utf-8"))
    if not found:
        raise ValueError(f"{document} holds no costs: run with --measure --report {document}")
    return [Costs(**costs) for costs in json.loads(found[1])]


def report(document: Path, parts: dict[str, str]) -> None:
    """Put each part between its marks in the document."""
    text = document.read_text(encoding="utf-8")
    for name, said in parts.items():
        begin, end = _marks(name)
        require_place(document, name)
        head, rest = text.split(begin)
        text = f"{head}{begin}{said}\n{end}{rest.split(end)[1]}"
    document.write_text(text, encoding="utf-8")


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- {name} begins -->\n", f"<!-- {name} ends -->"


def require_place(document: Path, name: str) -> None:
    """Raises ValueError where a document has not one place for this part."""
    text = document.read_text(encoding="utf-8") if document.is_file() else ""
    if any(text.count(mark) != 1 for mark in _marks(name)):
        raise ValueError(f"{document} has no place for {name}")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line. What cannot be measured, planned or written is refused first."""
    from tests.support.kafka import missing_reason

    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizing", description=__doc__.splitlines()[0])
    parser.add_argument("--measure", action="store_true", help="measure anew (a minute or two)")
    parser.add_argument("--traces", type=at_least_one, default=20_000, help="to measure with")
    parser.add_argument("--report", type=document_to_write, help="write the tables into this document")
    parser.add_argument("--rates", type=_rates, default=list(RATES), help="traces a second, mean: 300,2500")
    for field in dataclasses.fields(Assumptions):
        kind = at_least_one if field.type == "int" else above_zero
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=kind, default=field.default)
    options = parser.parse_args(arguments)
    if options.measure and options.traces < ENOUGH:
        parser.error(f"--traces must be {ENOUGH:,} or more: the store's costs cannot be told from fewer")
    if options.measure and (reason := missing_reason()) is not None:
        parser.error(f"--measure weighs what lies on Kafka's disk: {reason}")
    try:
        for name in ("measured", "plan") if options.report else ():
            require_place(options.report, name)
    except ValueError as error:
        parser.error(str(error))
    return options


def _rates(text: str) -> list[int]:
    return [at_least_one(rate) for rate in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure if asked to, plan, say it."""
    options = parse(arguments)
    end_on_signals()
    try:
        measured = measure_all(options.traces) if options.measure else read_costs()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    chosen = Assumptions(**{f.name: getattr(options, f.name) for f in dataclasses.fields(Assumptions)})
    plans = [plan(rate, worst(measured), chosen) for rate in options.rates]
    print(costs_text(measured).split("\n<!--")[0])
    print(plan_text(plans))
    if options.report:
        report(options.report, {"measured": costs_text(measured), "plan": plan_text(plans)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
