"""A deployment on this machine, to be put under load: broker, engine, workers and a sink, all real."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from benchmarks._common import cpu_seconds
from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream import topics
from stream.embedded import child
from stream.embedded.broker import EmbeddedBroker
from stream.embedded.engine import EmbeddedEngine
from stream.embedded.scratch import Scratch
from stream.settings import Settings
from tests.chaos.world import Member, wait_until
from tests.support.kafka import ApacheKafka, committed, create_our_topics, environment, missing_reason

SESSION_TIMEOUT_MS = 6_000
_START_S = 90.0


def open_broker(folder: Path, embedded: bool = False) -> ApacheKafka | EmbeddedBroker:
    """Apache Kafka where it can be run (and `embedded` was not asked for), the embedded broker elsewhere."""
    broker = _broker_on(folder, embedded)
    try:
        return broker.start()
    except BaseException:  # Ctrl-C among them: what has begun to start must not write into a folder that goes
        broker.stop()
        raise


def _broker_on(folder: Path, embedded: bool) -> ApacheKafka | EmbeddedBroker:
    if embedded or missing_reason() is not None:
        return EmbeddedBroker(log=folder / "broker.log")
    place = folder / "kafka"
    place.mkdir(parents=True, exist_ok=True)
    return ApacheKafka(place)


def name_of(broker: ApacheKafka | EmbeddedBroker) -> str:
    """For the report."""
    return "Apache Kafka" if isinstance(broker, ApacheKafka) else "the embedded broker"


class Deployment:
    """`with Deployment(workers=2) as deployment:` everything runs on its defaults, and waits for traces.

    Only the addresses, the number of partitions and the session timeout (6 s: joining takes half of it)
    are set. All parts end with the body, whatever ends it.
    """

    def __init__(
        self, *, workers: int = 1, partitions: int = 6, sink: bool = True, embedded: bool = False
    ) -> None:
        self._workers, self._partitions, self._sink, self._embedded = workers, partitions, sink, embedded
        self._stack = ExitStack()
        self.members: dict[str, Member] = {}

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _start(self) -> None:
        self.folder = self._stack.enter_context(Scratch("load")).path
        self.broker = open_broker(self.folder, self._embedded)
        self._stack.callback(self.broker.stop)
        self.engine = EmbeddedEngine(path=self.folder / "engine", log=self.folder / "engine.log")
        self._stack.callback(self.engine.stop)
        self.engine.start()
        kafka = {
            "brokers": self.broker.address,
            "partitions": self._partitions,
            "session_timeout_ms": SESSION_TIMEOUT_MS,
        }
        quiet: dict[str, Any] = {"clickhouse": {"dsn": self.engine.dsn}, "telemetry": {"log_format": "json"}}
        self.settings = Settings.model_validate({"kafka": kafka, **quiet})
        create_our_topics(self.settings)
        self.store = connect(self.engine.dsn)
        migrate(self.store)
        self._stack.callback(self._end_members)
        for number in range(self._workers):
            self._add("worker", number)
        if self._sink:
            self._add("sink", 0)
        self._await_members()

    def _add(self, kind: str, number: int) -> None:
        variables = environment(self.settings)
        variables["RAGPULSE_CLICKHOUSE__DSN"] = self.settings.clickhouse.dsn.get_secret_value()
        name = f"{kind}-{number}"
        member = Member(name, kind, variables, self.folder / f"{name}.log")
        self.members[name] = member
        member.start()

    def _await_members(self) -> None:
        """Until each has its partitions, and the last to come has made the others share."""

        def ready() -> bool:
            self.complain_of_crashes()
            return all(member.at_work for member in self.members.values())

        if not wait_until(ready, _START_S):
            slow = [member for member in self.members.values() if not member.at_work]
            raise RuntimeError("\n".join(f"{m.name}: {child.tail(m.log)}" for m in slow))
        time.sleep(SESSION_TIMEOUT_MS / 1000 if self._workers > 1 else 0.5)

    def _end_members(self) -> None:
        for member in self.members.values():
            member.stop()

    def complain_of_crashes(self) -> None:
        """Raises RuntimeError where a process ended that nobody asked to."""
        for member in self.members.values():
            member.look()
            if member.ended_by_itself:
                raise RuntimeError(f"{member.name} ended: {child.tail(member.log, 15)}")

    @property
    def traces_topic(self) -> str:
        """Where traces are published."""
        return self.settings.kafka.topic(topics.TRACES)

    def pids(self) -> dict[str, int]:
        """Process ids of the workers and the sink, by name."""
        return {name: m.process.pid for name, m in self.members.items() if m.process is not None}

    def all_pids(self) -> dict[str, int]:
        """The same with broker, engine, and this process, which publishes and looks."""
        found = {**self.pids(), "publisher and reader": os.getpid()}
        for name, pid in (("broker", self.broker.pid), ("engine", self.engine.pid)):
            if pid is not None:
                found[name] = pid
        return found

    def processor_seconds(self) -> dict[str, float]:
        """What each has used so far; workers as one."""
        used: dict[str, float] = {}
        for name, pid in self.all_pids().items():
            part = "workers" if name.startswith("worker") else name.removesuffix("-0")
            used[part] = used.get(part, 0.0) + cpu_seconds(pid)
        return used

    def stored(self) -> tuple[int, int]:
        """Distinct traces in the table, and rows beyond them that merging has not removed yet."""
        (row,) = self.store.query("SELECT uniqExact(trace_id) AS one, count() AS every FROM traces")
        return int(row["one"]), int(row["every"]) - int(row["one"])

    def dead(self) -> int:
        """Dead letters in the table."""
        return int(self.store.query("SELECT count() AS n FROM dead_letters")[0]["n"])

    def committed(self, group: str) -> int:
        """Messages that `worker` or `sink` has committed."""
        return sum(committed(self.settings, group).values())


def say(line: str) -> None:
    """Progress, on standard error."""
    print(f"{time.strftime('%H:%M:%S')}  {line}", file=sys.stderr, flush=True)
