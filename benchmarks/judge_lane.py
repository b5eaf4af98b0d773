"""The judge lane against the ceiling of its server: how much of it is used, and what it takes in memory.

Usage: python -m benchmarks.judge_lane [--traces 1000] [--latency 0.2] [--concurrency 32] [--rounds 1]

`ragpulse judge` reads sampled traces from the embedded broker and asks a stand-in for an LLM server, which
answers after `--latency` and is a process of its own. The ceiling is concurrency / latency requests a second.
Beside it stands what a bare HTTP client with the same number of requests in flight gets out of the same
server in the same round: on a busy machine the server itself is late.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import orjson
from confluent_kafka import Consumer, TopicPartition

from benchmarks._common import (
    PARTITIONS,
    ROOT,
    SESSION_TIMEOUT_MS,
    STALLED_S,
    Spread,
    cpu_seconds,
    create_topics,
    fill_topic,
    last_words,
    load_messages,
    machine,
)
from stream import topics
from stream.embedded.broker import EmbeddedBroker

WARM_S = 2.0
BARE_S = 4.0
MODEL = "stand-in-1"


@dataclass(slots=True)
class Round:
    """What one round measured, behind the first seconds."""

    traces: int
    requests: int
    seconds: float
    cpu_s: float
    bare_rate: float
    memory_mb: list[float] = field(default_factory=list)
    """Resident, at even steps of the way."""

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds


@contextmanager
def stand_in(latency_s: float) -> Iterator[str]:
    """A stand-in for an LLM server in a process of its own; its base URL."""
    command = [sys.executable, "-m", "tests.support.stand_in_llm", "--latency", str(latency_s)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(10)


@contextmanager
def lane(brokers: str, base_url: str, concurrency: int, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`ragpulse judge`, with nothing else to do."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("RAGPULSE_")},
        "RAGPULSE_KAFKA__BROKERS": brokers,
        "RAGPULSE_KAFKA__SESSION_TIMEOUT_MS": str(SESSION_TIMEOUT_MS),
        "RAGPULSE_JUDGE__BASE_URL": base_url,
        "RAGPULSE_JUDGE__MODEL": MODEL,
        "RAGPULSE_JUDGE__CONCURRENCY": str(concurrency),
        "RAGPULSE_JUDGE__STATE_FILE": str(folder / "judge.sqlite"),
        "RAGPULSE_CALIBRATION__PROBE_EVERY_H": "0",
    }
    with (folder / "judge.log").open("wb") as log:
        command = [sys.executable, "-m", "stream.cli", "judge"]
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=ROOT)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


def sampled(traces: int, number: int) -> Iterator[tuple[bytes, bytes]]:
    """Messages for the judges, no two alike: none is answered from the cache."""
    for key, value in load_messages().take(traces, number * traces):
        trace = orjson.loads(value)
        trace["question"] = f"{trace.get('question') or ''} ({key.decode()})"
        message = {"trace": trace, "scores": None, "sample": {"probability": 1.0, "reasons": ["control"]}}
        yield key, orjson.dumps(message)


class Memory:
    """Samples the resident memory of a process while the body runs, in MB."""

    def __init__(self, pid: int) -> None:
        self.samples: list[float] = []
        self._path = Path(f"/proc/{pid}/statm")
        self._page = os.sysconf("SC_PAGE_SIZE") / 1e6
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(0.1):
            self.samples.append(int(self._path.read_text().split()[1]) * self._page)


def measure(brokers: str, process: subprocess.Popen[bytes], traces: int, log: Path) -> Round:
    """Read verdicts until there are as many as traces; measure behind the first seconds."""
    consumer = Consumer(
        {
            "bootstrap.servers": brokers,
            "group.id": "bench",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 20,
        }
    )
    consumer.assign([TopicPartition(topics.VERDICTS, number, 0) for number in range(PARTITIONS)])
    seen = requests = 0
    first: float | None = None
    begin: tuple[int, int, float, float] | None = None
    news = time.monotonic()
    with Memory(process.pid) as memory:
        while seen < traces:
            arrived = consumer.consume(500, timeout=0.05)
            now = time.monotonic()
            if not arrived:
                if process.poll() is not None or now - news > STALLED_S:
                    raise RuntimeError(f"{seen} of {traces} verdicts:\n{last_words(log)}")
                continue
            news, first = now, first or now
            seen += len(arrived)
            requests += sum(orjson.loads(m.value() or b"{}")["calls"] for m in arrived)
            if begin is None and now - first >= WARM_S:
                begin = (seen, requests, now, cpu_seconds(process.pid))
                memory.samples.clear()
        end_cpu = cpu_seconds(process.pid)
    consumer.close()
    if begin is None or seen - begin[0] < traces // 4:
        raise RuntimeError("It was over too soon to be measured: give more traces")
    steps = [memory.samples[len(memory.samples) * step // 10] for step in range(10)] + memory.samples[-1:]
    return Round(seen - begin[0], requests - begin[1], news - begin[2], end_cpu - begin[3], 0.0, steps)


async def bare_rate(base_url: str, concurrency: int) -> float:
    """Requests a second that a client gets which does nothing else."""
    body = {"model": MODEL, "messages": [{"role": "user", "content": "x" * 6000}]}
    done = 0
    begin = time.monotonic()

    async def ask(session: aiohttp.ClientSession) -> None:
        nonlocal done
        while time.monotonic() - begin < BARE_S:
            async with session.post(f"{base_url}/chat/completions", json=body) as response:
                await response.read()
            done += 1

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(ask(session) for _ in range(concurrency)))
    return done / (time.monotonic() - begin)


def run_round(traces: int, latency_s: float, concurrency: int, number: int) -> Round:
    """One broker, one server, one lane."""
    with (
        tempfile.TemporaryDirectory() as name,
        EmbeddedBroker() as broker,
        stand_in(latency_s) as base_url,
    ):
        create_topics(broker.address, [topics.JUDGE, topics.VERDICTS, topics.DEAD])
        fill_topic(broker.address, topics.JUDGE, sampled(traces, number))
        bare = asyncio.run(bare_rate(base_url, concurrency))
        with lane(broker.address, base_url, concurrency, Path(name)) as process:
            found = measure(broker.address, process, traces, Path(name) / "judge.log")
        found.bare_rate = bare
        return found


def report(rounds: list[Round], ceiling: float) -> str:
    """For people, in Markdown."""
    rates = Spread.over([one.rate for one in rounds])
    bare = Spread.over([one.bare_rate for one in rounds])
    cpu = Spread.over([one.cpu_s / one.requests * 1000 for one in rounds])
    lines = [
        "| | requests/s | of the ceiling | of a bare client |",
        "|---|---|---|---|",
        f"| ceiling: concurrency / latency | {ceiling:.1f} | | |",
        f"| a bare HTTP client | {bare.text(1)} | {bare.median / ceiling:.1%} | |",
        f"| `ragpulse judge` | {rates.text(1)} | {rates.median / ceiling:.1%} "
        f"| {Spread.over([one.rate / one.bare_rate for one in rounds]).median:.1%} |",
        "",
        f"{sum(one.requests for one in rounds) / sum(one.traces for one in rounds):.2f} requests a trace, "
        f"{cpu.text(2)} processor milliseconds a request",
        "",
        "resident memory along the way, MB: " + ", ".join(f"{value:.0f}" for value in rounds[-1].memory_mb),
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--traces", type=int, default=1000)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    print(
        f"{machine()}; {given.traces} traces, {given.latency * 1000:.0f} ms, {given.concurrency} in flight\n"
    )
    rounds = [
        run_round(given.traces, given.latency, given.concurrency, number) for number in range(given.rounds)
    ]
    print(report(rounds, given.concurrency / given.latency))


if __name__ == "__main__":
    main()
