"""What the benchmarks share: the messages, one core a process, a watch on the output, spreads."""

from __future__ import annotations

import os
import platform
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from stream.kafka.admin import ensure_topics
from stream.settings import KafkaSettings

ROOT = Path(__file__).resolve().parent.parent
LABELLED = ROOT.parent / "shared" / "data" / "failure_traces_dev.jsonl"
PARTITIONS = 4
SESSION_TIMEOUT_MS = 3_000
LINGER_MS = 20
STALLED_S = 60.0


# --- the messages ---------------------------------------------------------------------------------


@dataclass(slots=True, frozen=True)
class Messages:
    """Trace messages to repeat under new ids, and where they came from (for the report)."""

    bodies: list[dict[str, Any]]
    origin: str

    def take(self, count: int, start: int = 0) -> Iterator[tuple[bytes, bytes]]:
        """(key, value) pairs, each with an id of its own."""
        for number in range(start, start + count):
            trace_id = f"bench-{number:08d}"
            body = {**self.bodies[number % len(self.bodies)], "trace_id": trace_id}
            yield trace_id.encode(), orjson.dumps(body)


def load_messages(path: Path | None = None) -> Messages:
    """The labelled traces beside the checkout, or traces of the demo's own traffic where absent."""
    file = path or LABELLED
    if file.exists():
        lines = file.read_bytes().splitlines()
        bodies = [orjson.loads(line) for line in lines if line.strip()]
        for body in bodies:
            body.pop("expected", None)  # the label: no part of a trace
        return Messages(bodies, f"{len(bodies)} traces of {file.name}, repeated under new ids")
    if path is not None:
        raise FileNotFoundError(f"No traces at {path}")
    return _simulated()


def _simulated() -> Messages:
    from stream.demo.traffic import Traffic

    bodies = [orjson.loads(message.value) for message in Traffic(seed=7).traces(280)]
    return Messages(bodies, f"{len(bodies)} simulated traces of the demo, repeated under new ids")


def fill_topic(brokers: str, topic: str, pairs: Iterator[tuple[bytes, bytes]]) -> int:
    """Produce (key, value) pairs in large batches and wait for all of them. Returns the bytes sent."""
    producer = Producer({"bootstrap.servers": brokers, "linger.ms": 50, "batch.size": 1_000_000})
    total = 0
    for key, value in pairs:
        total += len(value)
        while True:
            try:
                producer.produce(topic, key=key, value=value)
                break
            except BufferError:
                producer.poll(0.1)
    left = producer.flush(60)
    if left:
        raise RuntimeError(f"{left} messages were not accepted by {brokers}")
    return total


def create_topics(brokers: str, names: Sequence[str]) -> None:
    """Create topics, each with the same number of partitions in every case."""
    ensure_topics(KafkaSettings(brokers=brokers, partitions=PARTITIONS), names)


# --- one core a process ---------------------------------------------------------------------------


@dataclass(slots=True, frozen=True)
class Cores:
    """The core of the process that is measured, and the core of everything else."""

    measured: int
    others: int

    def text(self) -> str:
        """For the report."""
        if self.measured == self.others:
            return f"only one, {self.others}: all processes share it"
        return f"the measured process on {self.measured}, everything else on {self.others}"


def choose_cores() -> Cores:
    """The last core we may use is measured; this process and its other children keep the first."""
    allowed = sorted(os.sched_getaffinity(0))
    cores = Cores(measured=allowed[-1], others=allowed[0])
    os.sched_setaffinity(0, {cores.others})
    return cores


# Runs in the child before the program does, so that every thread of it starts on its core.
_PIN = "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])}); os.execv(sys.argv[2], sys.argv[2:])"


@contextmanager
def pinned(
    core: int, command: Sequence[str], log: Path, env: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command on one core, with its output in `log`; ended with SIGTERM on leaving."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", _PIN, str(core), *command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            env={**os.environ, **(env or {})},
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has used so far, all threads, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def last_words(log: Path, lines: int = 15) -> str:
    """The end of a child's output, for an error message."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


# --- the measurement ------------------------------------------------------------------------------


@dataclass(slots=True, frozen=True)
class Flow:
    """What passed between the first and the last message of the measured part."""

    messages: int
    seconds: float
    cpu_s: float

    @property
    def rate(self) -> float:
        """Messages a second."""
        return self.messages / self.seconds

    @property
    def cpu_s_per_1000(self) -> float:
        """Processor seconds of the measured process for 1,000 messages."""
        return self.cpu_s / self.messages * 1000


def watch(
    brokers: str, topic: str, process: subprocess.Popen[bytes], *, warm: int, total: int, log: Path
) -> Flow:
    """Read the output topic until `total` messages are there; measure behind the first `warm` of them."""
    consumer = Consumer(
        {"bootstrap.servers": brokers, "group.id": "bench-watch", "enable.auto.commit": False}
    )
    consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITIONS)])
    seen, begin, last_news = 0, None, time.monotonic()
    try:
        while True:
            arrived = consumer.consume(1000, timeout=0.1)
            for message in arrived:
                if message.error() is not None:
                    raise KafkaException(message.error())
            now = time.monotonic()
            if not arrived:
                _complain_if_stuck(process, now - last_news, seen, total, log)
                continue
            seen, last_news = seen + len(arrived), now
            if begin is None and seen >= warm:
                begin = (seen, now, cpu_seconds(process.pid))
            if begin is not None and seen >= total:
                if begin[0] >= total:
                    raise RuntimeError(f"All {total} messages came at once: too few to measure, give more")
                first, since, cpu = begin
                return Flow(seen - first, now - since, cpu_seconds(process.pid) - cpu)
    finally:
        consumer.close()


def _complain_if_stuck(
    process: subprocess.Popen[bytes], silent_s: float, seen: int, total: int, log: Path
) -> None:
    if process.poll() is not None:
        why = f"ended with exit code {process.returncode}"
    elif silent_s > STALLED_S:
        why = f"was silent for {STALLED_S:.0f} s"
    else:
        return
    raise RuntimeError(f"The measured process {why} after {seen} of {total} messages:\n{last_words(log)}")


# --- the report -----------------------------------------------------------------------------------


@dataclass(slots=True, frozen=True)
class Spread:
    """Median, least and most of the rounds."""

    median: float
    least: float
    most: float

    @classmethod
    def over(cls, values: Sequence[float]) -> Spread:
        """Of at least one value."""
        return cls(statistics.median(values), min(values), max(values))

    def text(self, digits: int = 0) -> str:
        """For a table: `median (least–most)`."""
        return f"{self.median:,.{digits}f} ({self.least:,.{digits}f}–{self.most:,.{digits}f})"


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> Spread:
    """Round by round, so that a slow moment of the machine hits both."""
    return Spread.over([a / b for a, b in zip(ours, theirs, strict=True)])


def machine() -> str:
    """In plain words: cores, processor, Python. Load tells whether somebody else was busy."""
    model = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} cores ({model}), Python {platform.python_version()}, load before: {load}"
