"""Where to read from: committed offsets where they still exist, and an account of what no longer does."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from stream import logs
from stream.kafka.ledger import Partition
from stream.telemetry import StreamMetrics

_QUERY_S: Final = 5.0
_PATIENCE_S: Final = 30.0
T = TypeVar("T")


class Guide:
    """Finds starting offsets for one consumer. A first start reads from the beginning.

    Its questions to the broker are asked again for half a minute; then KafkaException is raised.
    """

    def __init__(self, consumer: Consumer, metrics: StreamMetrics, group: str) -> None:
        self._consumer = consumer
        self._metrics = metrics
        self._log = logs.get(group=group)

    def find(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """The same partitions with the offset to start from. Loss by retention is counted and logged."""
        if not partitions:
            return []
        committed = _ask(lambda: self._consumer.committed(partitions, timeout=_QUERY_S))
        starts = [self._find_one(p) for p in committed]
        facts = {f"{p.topic}/{p.partition}": p.offset for p in starts}
        self._log.info("partitions assigned", starts=facts)
        return starts

    def further_back(
        self, starts: list[TopicPartition], back: Mapping[Partition, int]
    ) -> list[TopicPartition]:
        """The same starts, moved back to these offsets so far as their messages are still there."""
        moved = []
        for start in starts:
            at = (start.topic, start.partition)
            if back.get(at, start.offset) < start.offset:
                low, _ = self._watermarks(*at)
                start = TopicPartition(*at, max(low, back[at]))
            moved.append(start)
        return moved

    def way_back(self, at: Partition, wanted: int) -> int:
        """The offset to read from when `wanted` is not there. Either loss is counted and logged."""
        low, high = self._watermarks(*at)
        if wanted <= low:
            self._count_lost(at, wanted, low)
            return low
        self._metrics.log_rewound.labels(at[0], str(at[1])).inc()
        self._log.warning(
            "the log ends before our position: reading it again from its beginning",
            topic=at[0], partition=at[1], position=wanted, low=low, high=high,
        )  # fmt: skip
        return low

    def _find_one(self, committed: TopicPartition) -> TopicPartition:
        at = (committed.topic, committed.partition)
        low, _ = self._watermarks(*at)
        start = committed.offset
        if start < 0:
            start = low
        elif start < low:
            self._count_lost(at, start, low)
            start = low
        return TopicPartition(*at, start)

    def _watermarks(self, topic: str, partition: int) -> tuple[int, int]:
        at = TopicPartition(topic, partition)
        return _ask(lambda: self._consumer.get_watermark_offsets(at, timeout=_QUERY_S))

    def _count_lost(self, at: Partition, wanted: int, low: int) -> None:
        self._metrics.lost_by_retention.labels(at[0], str(at[1])).inc(low - wanted)
        self._log.warning(
            "lost by retention: the broker deleted messages before they were read; "
            "keep them longer (retention.ms of the topic) or add workers",
            topic=at[0],
            partition=at[1],
            messages=low - wanted,
            first_kept=low,
        )


def _ask(question: Callable[[], T | None]) -> T:
    """Ask the broker, again while it is busy or away."""
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            answer = question()
            if answer is not None:
                return answer
            error = KafkaError(KafkaError._TIMED_OUT)
        except KafkaException as failure:
            error = failure.args[0]
        if error.code() in _REFUSALS or time.monotonic() > until:
            raise KafkaException(error)
        time.sleep(0.2)


_REFUSALS: Final = (
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError._AUTHENTICATION,
    KafkaError._INVALID_ARG,
)
"""Asking again would not help. Whatever else a broker says, a leader is being elected or it is busy."""

__all__ = ["Guide"]
