"""What lies on the topics of a world, and how far its groups have come."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import Consumer, Message, TopicPartition

from stream import topics
from tests.chaos.world import World
from tests.support.kafka import committed

Offsets = dict[tuple[str, int], int]
"""By topic and partition."""
_SOURCES = {"worker": topics.TRACES, "sink": topics.SCORED, "judge": topics.JUDGE}
_READ_S = 30.0
_BEYOND_S = 0.5


@contextmanager
def _consumer(world: World) -> Iterator[Consumer]:
    options = {"bootstrap.servers": world.broker_wire.address, "group.id": "chaos-looks", "log_level": 0}
    consumer = Consumer({**options, "enable.auto.commit": False, "auto.offset.reset": "earliest"})
    try:
        yield consumer
    finally:
        consumer.close()


def ends_of(world: World, name: str) -> Offsets:
    """Where each partition of a topic of ours ends.

    The embedded broker, when several write to a partition at once, may name an end that lies a few messages
    before the last; so what it names is read on from.
    """
    topic = world.settings.kafka.topic(name)
    with _consumer(world) as consumer:
        numbers = consumer.list_topics(topic, timeout=10).topics[topic].partitions
        ends = {(topic, number): _ends(consumer, TopicPartition(topic, number))[1] for number in numbers}
        if not world.apache:
            consumer.assign([TopicPartition(topic, number, end) for (topic, number), end in ends.items()])
            while messages := consumer.consume(500, timeout=_BEYOND_S):
                for message in messages:
                    if message.error() is None:
                        ends[topic, message.partition() or 0] = (message.offset() or 0) + 1
        return ends


def lags(world: World) -> dict[str, int]:
    """Messages that a group has not committed, by group."""
    found = {}
    for group, name in _SOURCES.items():
        done = committed(world.settings, group)
        found[group] = sum(end - done.get(place, 0) for place, end in ends_of(world, name).items())
    return found


def read_between(world: World, starts: Offsets, ends: Offsets) -> list[Message]:
    """The messages from `starts` (a partition's beginning where it names none) up to `ends`.

    Raises TimeoutError where they do not come.
    """
    found: list[Message] = []
    with _consumer(world) as consumer:
        for (topic, number), end in ends.items():
            start = max(starts.get((topic, number), 0), _ends(consumer, TopicPartition(topic, number))[0])
            consumer.assign([TopicPartition(topic, number, start)])
            found += _read_partition(consumer, start, end)
    return found


def _read_partition(consumer: Consumer, at: int, end: int) -> Iterator[Message]:
    until = time.monotonic() + _READ_S
    while at < end:
        if time.monotonic() > until:
            raise TimeoutError(f"a partition ends at {end}, and was read up to {at}")
        for message in consumer.consume(min(500, end - at), timeout=0.2):
            if message.error() is None:
                at = (message.offset() or 0) + 1
                yield message


def _ends(consumer: Consumer, partition: TopicPartition) -> tuple[int, int]:
    low, high = consumer.get_watermark_offsets(partition, timeout=10)
    return low, high


__all__ = ["Offsets", "ends_of", "lags", "read_between"]
