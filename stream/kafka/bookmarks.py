"""Where to read from again: offsets kept beside those of a group, under a group of their own.

What is committed says what is done. Where work stands on messages before that point, a second, lower offset
says how far back to read. Kafka keeps it as any other: a group that nobody ever joins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from confluent_kafka import Consumer, KafkaException, TopicPartition

from stream import logs
from stream.kafka.config import consumer_config, settings_checked
from stream.kafka.ledger import Partition
from stream.settings import KafkaSettings

_ASK_S: Final = 5.0


class Bookmarks:
    """One offset a partition. What is put down late is only a lower one: more is read again than needed."""

    def __init__(self, settings: KafkaSettings, group: str) -> None:
        self.group = f"{settings.group_prefix}-{group}"
        self._known: dict[Partition, int] = {}
        with settings_checked():
            self._client = Consumer(consumer_config(settings, self.group))

    def find(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """What was put down for these partitions. Where the broker does not say, nothing is known."""
        wanted = [TopicPartition(*at) for at in partitions]
        if not wanted:
            return {}
        try:
            found = self._client.committed(wanted, timeout=_ASK_S)
        except KafkaException as error:
            logs.get(group=self.group).warning(
                "the broker does not say from where to read again: traces that were being put together may "
                "lack their beginning",
                error=error.args[0].str(),
            )
            return {}
        return {(p.topic, p.partition): p.offset for p in found if p.error is None and p.offset >= 0}

    def put(self, offsets: Mapping[Partition, int]) -> None:
        """Put down those that are new, without waiting for the answer."""
        new = {at: offset for at, offset in offsets.items() if self._known.get(at) != offset}
        if new:
            self._client.poll(0)
            try:
                self._client.commit(offsets=[TopicPartition(*at, offset) for at, offset in new.items()])
            except KafkaException:  # the next one will do
                return
            self._known.update(new)

    def forget(self, partitions: Iterable[Partition]) -> None:
        """These are another's now."""
        for at in partitions:
            self._known.pop(at, None)

    def close(self) -> None:
        """Nothing is put down any more."""
        self._client.close()


__all__ = ["Bookmarks"]
