"""One to four workers over twelve partitions that hold a backlog: how much more they do, and at what cost."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from confluent_kafka import Consumer, Producer, TopicPartition

from benchmarks._common import STALLED_S, Messages, Spread, cpu_seconds
from benchmarks._deployment import Deployment, name_of, say
from benchmarks._documents import table
from stream import topics

PARTITIONS: Final = 12
_FROM, _TO = 0.1, 0.9
"""The clock runs between these shares of the messages: neither start nor the last partition's tail count."""


@dataclass(frozen=True, slots=True)
class Run:
    """So many workers, once. `costs` are processor seconds for 1,000 traces, of all workers together."""

    workers: int
    rate: float
    cost: float
    shares: tuple[float, ...]
    """Of the processor time that all workers used, by worker."""


def measure(options: argparse.Namespace, messages: Messages) -> str:
    """Each number of workers in each round; returns the table."""
    runs: list[Run] = []
    broker = ""
    for number in range(1, options.rounds + 1):
        for workers in range(1, options.most_workers + 1):
            with Deployment(
                workers=workers, partitions=PARTITIONS, sink=False, embedded=options.embedded
            ) as here:
                broker = name_of(here.broker)
                runs.append(_measure(here, workers, messages, options.messages))
            last = runs[-1]
            say(f"round {number}, workers {workers}: {last.rate:,.0f}/s, {last.cost:.2f} CPU s for 1,000")
    cores = len(os.sched_getaffinity(0))
    about = (
        f"On {broker}, {PARTITIONS} partitions, {options.messages:,} traces at once, rounds: "
        f"{options.rounds}, on {cores} cores that broker, workers and onlooker share: efficiency is the rate "
        f"over that of one worker, by the number of workers or of cores, whichever is smaller. Medians "
        f"(least–most); shares of the processor time by worker, last round."
    )
    head = [
        "workers",
        "traces/s",
        "against one",
        "efficiency",
        "CPU s for 1,000 traces",
        "CPU against one",
        "shares",
    ]
    rows = [_row(n, runs, cores) for n in range(1, options.most_workers + 1)]
    return f"{about}\n\n{table(head, rows)}"


def _row(workers: int, runs: list[Run], cores: int) -> list[str]:
    of = [run for run in runs if run.workers == workers]
    one = [run for run in runs if run.workers == 1]
    faster = [a.rate / b.rate for a, b in zip(of, one, strict=True)]
    dearer = [a.cost / b.cost for a, b in zip(of, one, strict=True)]
    able = min(workers, cores)
    return [
        str(workers),
        Spread.over([run.rate for run in of]).text(),
        Spread.over(faster).text(2),
        Spread.over([ratio / able for ratio in faster]).text(2),
        Spread.over([run.cost for run in of]).text(3),
        Spread.over(dearer).text(2),
        ", ".join(f"{share:.0%}" for share in of[-1].shares),
    ]


def _measure(here: Deployment, workers: int, messages: Messages, count: int) -> Run:
    pids = list(here.pids().values())
    _fill(here, messages.take(count))
    scored = here.settings.kafka.topic(topics.SCORED)
    begin: tuple[int, float, list[float]] | None = None
    for done in _progress(here, scored):
        if begin is None and done >= count * _FROM:
            begin = (done, time.monotonic(), [cpu_seconds(pid) for pid in pids])
        if begin is not None and done >= count * _TO:
            first, since, used = begin
            took = time.monotonic() - since
            if done == first:
                raise RuntimeError(f"{count} messages are too few to measure: give more")
            spent = [cpu_seconds(pid) - before for pid, before in zip(pids, used, strict=True)]
            shares = tuple(one / (sum(spent) or 1.0) for one in spent)
            return Run(workers, (done - first) / took, sum(spent) / (done - first) * 1000, shares)
    raise AssertionError("progress does not end by itself")


def _fill(here: Deployment, pairs: Iterator[tuple[bytes, bytes]]) -> None:
    """The same number of messages on each partition, while the workers have begun."""
    producer = Producer({"bootstrap.servers": here.broker.address, "linger.ms": 50, "batch.size": 1_000_000})
    for number, (key, value) in enumerate(pairs):
        while True:
            try:
                producer.produce(here.traces_topic, value, key=key, partition=number % PARTITIONS)
                break
            except BufferError:
                producer.poll(0.1)
    if left := producer.flush(60):
        raise RuntimeError(f"{left} messages were not accepted")


def _progress(here: Deployment, topic: str) -> Iterator[int]:
    """How many messages lie on a topic of the workers, over and over. Raises where that stands still."""
    consumer = Consumer({"bootstrap.servers": here.broker.address, "group.id": "load-looks", "log_level": 0})
    seen, news = 0, time.monotonic()
    try:
        while True:
            places = [TopicPartition(topic, number) for number in range(PARTITIONS)]
            done = sum(consumer.get_watermark_offsets(place, timeout=10)[1] for place in places)
            if done > seen:
                seen, news = done, time.monotonic()
            elif time.monotonic() - news > STALLED_S:
                here.complain_of_crashes()
                raise RuntimeError(f"Nothing new on {topic} for {STALLED_S:.0f} s, after {seen} messages")
            yield done
            time.sleep(0.05)
    finally:
        consumer.close()
