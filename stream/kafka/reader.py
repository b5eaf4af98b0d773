"""Reading a topic once, to where it ends now, or its last few messages: no group, nothing committed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from stream.kafka.admin import partition_counts, unreachable
from stream.kafka.config import consumer_config, settings_checked
from stream.settings import KafkaSettings

_READ_ONCE: Final = {"enable.partition.eof": True, "auto.offset.reset": "earliest", "fetch.wait.max.ms": 20}
_BATCH: Final = 500
_WAIT_S: Final = 0.05
_SILENCE_S: Final = 15.0


def read_once(
    settings: KafkaSettings,
    topic: str,
    since: datetime | None = None,
    offsets: Mapping[int, int] | None = None,
) -> Iterator[Message]:
    """Every message that is on a topic now; none where there is no such topic.

    `since`: from the first message of that time, by the broker's clock; some older ones may come along.
    `offsets`: where to begin, by partition; it goes before `since`. What is appended while reading is left
    for the next time. Raises ServiceUnreachable.
    """
    count = partition_counts(settings).get(topic, 0)
    if not count:
        return
    config = consumer_config(settings, f"{settings.group_prefix}-reader")
    with settings_checked():
        consumer = Consumer({**config, **_READ_ONCE})
    try:
        starts = _starts(consumer, topic, count, since, offsets or {})
        consumer.assign([TopicPartition(topic, number, offset) for number, offset in starts.items()])
        yield from _read(consumer, settings, topic, len(starts))
    except KafkaException as error:
        raise unreachable(settings) from error
    finally:
        consumer.close()


def read_last(settings: KafkaSettings, topic: str, count: int, wait_s: float = 3.0) -> list[Message]:
    """About the last `count` messages of a topic, of all its partitions together; what comes in time.

    Raises ServiceUnreachable.
    """
    partitions = partition_counts(settings).get(topic, 0)
    if not partitions:
        return []
    with settings_checked():
        consumer = Consumer({**consumer_config(settings, f"{settings.group_prefix}-reader"), **_READ_ONCE})
    found: list[Message] = []
    try:
        each = max(1, -(-count // partitions))
        starts = []
        for number in range(partitions):
            low, high = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=wait_s)
            starts.append(TopicPartition(topic, number, max(low, high - each)))
        consumer.assign(starts)
        until, ended = time.monotonic() + wait_s, 0
        while len(found) < count and ended < partitions and time.monotonic() < until:
            for message in consumer.consume(count, _WAIT_S):
                error = message.error()
                if error is None:
                    found.append(message)
                elif error.code() == KafkaError._PARTITION_EOF:
                    ended += 1
    except KafkaException as error:
        raise unreachable(settings) from error
    finally:
        consumer.close()
    return found[:count]


def _starts(
    consumer: Consumer, topic: str, count: int, since: datetime | None, offsets: Mapping[int, int]
) -> dict[int, int]:
    """Where to begin, by partition. A partition with nothing that new is left out."""
    low = {
        n: consumer.get_watermark_offsets(TopicPartition(topic, n), timeout=_SILENCE_S)[0]
        for n in range(count)
    }
    if since is not None:
        at = int(since.timestamp() * 1000)
        found = consumer.offsets_for_times([TopicPartition(topic, n, at) for n in low], timeout=_SILENCE_S)
        low = {p.partition: max(p.offset, low[p.partition]) for p in found if p.offset >= 0}
    return {**low, **{n: offset for n, offset in offsets.items() if n < count}}


def _read(consumer: Consumer, settings: KafkaSettings, topic: str, count: int) -> Iterator[Message]:
    ends: dict[int, int] = {}
    ended: set[int] = set()
    heard = time.monotonic()
    while len(ended) < count:
        messages = consumer.consume(_BATCH, _WAIT_S)
        if messages:
            heard = time.monotonic()
        elif time.monotonic() - heard > _SILENCE_S:
            raise unreachable(settings)
        for message in messages:
            number, offset = int(message.partition() or 0), int(message.offset() or 0)
            error = message.error()
            if error is not None:
                if error.code() == KafkaError._PARTITION_EOF:
                    ended.add(number)
                continue
            if number not in ends:
                # The end as the first fetch knew it. Nothing written by our reader's own doings is read.
                ends[number] = consumer.get_watermark_offsets(TopicPartition(topic, number), cached=True)[1]
            if offset < ends[number]:
                yield message
            if offset + 1 >= ends[number]:
                ended.add(number)


__all__ = ["read_last", "read_once"]
