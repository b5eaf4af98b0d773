"""Brokers for tests: the embedded one, and Apache Kafka itself where it is to be had."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Message, Producer, TopicPartition

from stream import topics
from stream.embedded import child
from stream.kafka.admin import answers, ensure_topics
from stream.settings import Settings

ADDRESS_VARIABLE = "RAGPULSE_TEST_KAFKA"
SCRIPT = Path(__file__).parents[3] / "shared" / "kafka" / "kafka.sh"
_START_S = 60.0
SESSION_MS = 6_000 if os.environ.get(ADDRESS_VARIABLE) else 3_000
"""Joining the embedded broker takes half of it; Apache Kafka as it comes allows no less than six seconds."""


def missing_reason() -> str | None:
    """Why Apache Kafka cannot be run here, or null where it can."""
    if not SCRIPT.exists():
        return f"Apache Kafka is not beside the checkout ({SCRIPT}) and {ADDRESS_VARIABLE} is not set"
    if shutil.which("java") is None:
        return f"Apache Kafka needs java on the path, and {ADDRESS_VARIABLE} is not set"
    return None


class ApacheKafka:
    """One node of Apache Kafka on loopback, on a folder that outlives it: kill it, start it again."""

    def __init__(self, folder: Path, **properties: str) -> None:
        self._folder = folder
        self._properties = properties
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _two_free_ports()

    @property
    def address(self) -> str:
        return f"{child.LOOPBACK}:{self.port}"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def start(self) -> Self:
        properties = {"group_min_session_timeout_ms": "1000", **self._properties}
        pairs = [f"{name.replace('_', '.')}={value}" for name, value in properties.items()]
        command = ["bash", str(SCRIPT), str(self.port), str(self._folder / "data"), *pairs]
        log = self._folder / "kafka.log"
        self._process = child.spawn(command, log)
        until = time.monotonic() + _START_S
        while not answers(self.address, timeout_s=1.0):
            if self._process.poll() is not None or time.monotonic() > until:
                self.kill()
                raise RuntimeError(f"Apache Kafka did not start at {self.address}:\n{child.tail(log, 20)}")
        return self

    def kill(self) -> None:
        """SIGKILL: no goodbye to anybody. What its script has started goes with it."""
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def restart(self) -> None:
        self.kill()
        self.start()

    def stop(self) -> None:
        if self._process:
            child.stop(self._process, budget_s=5.0)
            self.kill()


def external_address() -> str | None:
    """A broker that someone already runs for the tests."""
    return os.environ.get(ADDRESS_VARIABLE)


def unique(name: str = "t") -> str:
    """A name that no other test uses, for topics and groups."""
    return f"{name}-{uuid.uuid4().hex[:10]}"


def isolated_settings(address: str, *, partitions: int = 2, **sections: dict[str, Any]) -> Settings:
    """Settings with topics and groups of their own on a shared broker, and quick sessions.

    `sections` are merged over them, e.g. `worker={"batch_size": 8}`. The topics are created.
    """
    name = unique()
    kafka = {
        "brokers": address,
        "topic_prefix": f"{name}.",
        "group_prefix": name,
        "session_timeout_ms": SESSION_MS,
        "partitions": partitions,
        **sections.pop("kafka", {}),
    }
    worker = {"batch_wait_s": 0.05, "commit_interval_s": 0.1, **sections.pop("worker", {})}
    settings = Settings.model_validate({"kafka": kafka, "worker": worker, **sections})
    create_our_topics(settings)
    return settings


def create_our_topics(settings: Settings) -> None:
    """Create what the processes read and write."""
    sources = [source.name for source in settings.kafka.sources]
    ensure_topics(settings.kafka, [*sources, *(settings.kafka.topic(name) for name in topics.ALL)])


def environment(settings: Settings) -> dict[str, str]:
    """The same settings as environment variables, for a real process."""
    variables = dict(os.environ)
    for section, values in settings.model_dump(mode="json", exclude_unset=True).items():
        for name, value in values.items():
            if value is None:
                continue
            text = value if isinstance(value, str) else _json(value)
            variables[f"RAGPULSE_{section}__{name}".upper()] = text
    return variables


def publish(
    address: str,
    topic: str,
    values: list[bytes],
    *,
    keys: list[str] | None = None,
    compression: str = "none",
) -> None:
    """Publish and wait until all of it is confirmed."""
    errors: list[object] = []
    producer = Producer(
        {
            "bootstrap.servers": address,
            "linger.ms": 5,
            "message.max.bytes": 64 * 2**20,
            "compression.type": compression,
        }
    )
    for at, value in enumerate(values):
        producer.produce(
            topic,
            value,
            key=keys[at] if keys else None,
            on_delivery=lambda error, _: errors.append(error) if error else None,
        )
        producer.poll(0)
    left = producer.flush(30)
    if errors or left:
        raise AssertionError(f"{left} messages not confirmed, errors: {errors[:3]}")


def headers_of(message: Message) -> dict[str, bytes]:
    """What our processes put on a message beside its value: bytes by name."""
    found: dict[str, bytes] = {}
    for name, value in dict(message.headers() or []).items():
        assert isinstance(value, bytes), name
        found[name] = value
    return found


def read_all(address: str, topic: str, *, timeout_s: float = 20.0) -> list[Message]:
    """Everything on a topic, from its beginning to where each partition ends."""
    with _Reader(address, topic) as reader:
        return reader.read(lambda got, ended: ended == reader.partitions, timeout_s)


def read_until(address: str, topic: str, count: int, *, timeout_s: float = 30.0) -> list[Message]:
    """Read a topic from its beginning until `count` messages with distinct keys are there."""
    with _Reader(address, topic) as reader:
        messages = reader.read(lambda got, ended: len({m.key() for m in got}) >= count, timeout_s)
    distinct = len({m.key() for m in messages})
    assert distinct >= count, f"{distinct} distinct keys of {count} on {topic} after {timeout_s} s"
    return messages


_READS = {
    "worker": topics.TRACES, "sink": topics.SCORED, "judge": topics.JUDGE, "annotate": topics.ANNOTATION,
}  # fmt: skip


def committed(settings: Settings, group: str) -> dict[tuple[str, int], int]:
    """What a group (`worker`, `sink`, `judge`) has committed on the topics it reads; none left out."""
    source = settings.kafka.topic(_READS[group])
    consumer = Consumer(
        {"bootstrap.servers": settings.kafka.brokers, "group.id": f"{settings.kafka.group_prefix}-{group}"}
    )
    numbers = consumer.list_topics(source, timeout=10).topics[source].partitions
    offsets = consumer.committed([TopicPartition(source, number) for number in numbers], timeout=10)
    consumer.close()
    return {(p.topic, p.partition): p.offset for p in offsets if p.offset >= 0}


def wait_until_committed(settings: Settings, process: str, count: int, timeout_s: float = 60.0) -> None:
    """Wait until the offsets of a group add up to `count`: what came twice is done twice, then committed."""
    until = time.monotonic() + timeout_s
    while (done := sum(committed(settings, process).values())) < count:
        assert time.monotonic() < until, f"{done} of {count} committed after {timeout_s} s"
        time.sleep(0.2)


class _Reader:
    """A throwaway consumer of whole topics: no group, no commits."""

    def __init__(self, address: str, topic: str) -> None:
        self._consumer = Consumer(
            {
                "bootstrap.servers": address,
                "group.id": unique("reader"),
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "enable.partition.eof": True,
                "fetch.wait.max.ms": 20,
                "fetch.message.max.bytes": 64 * 2**20,
            }
        )
        self.partitions = set(self._consumer.list_topics(topic, timeout=10).topics[topic].partitions)
        self._consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in self.partitions])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._consumer.close()

    def read(self, enough: Callable[[list[Message], set[int]], bool], timeout_s: float) -> list[Message]:
        """Read until it is enough, given what was read and which partitions have come to their end."""
        got: list[Message] = []
        ended: set[int] = set()
        until = time.monotonic() + timeout_s
        while time.monotonic() < until and not enough(got, ended):
            for message in self._consumer.consume(500, timeout=0.05):
                error = message.error()
                if error is None:
                    got.append(message)
                elif error.code() == KafkaError._PARTITION_EOF:
                    partition = message.partition()
                    assert partition is not None, "only a message that was not read yet has none"
                    ended.add(partition)
        return got


def _two_free_ports() -> int:
    """A port whose successor is free as well: Apache Kafka takes both."""
    import socket

    while True:
        port = child.find_free_port()
        with socket.socket() as probe:
            if port < 65_535 and probe.connect_ex((child.LOOPBACK, port + 1)) != 0:
                return port


def _json(value: object) -> str:
    import json

    return json.dumps(value)
