"""Traces read again from the topics that they came on, as far back as the broker still has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from schemas.formats import Unreadable, decoder
from schemas.row import event_time
from schemas.trace import Trace
from sinks.clickhouse.client import ClickHouse
from stream.kafka.reader import read_once
from stream.rescore.items import CONDITION, UNREADABLE, Account, Item, Period, in_utc
from stream.settings import KafkaSettings
from stream.worker.intake import Now, received_at, utc_now

GONE: Final = "gone"
"""The broker has deleted the message."""
_BATCH: Final = 256
_BATCH_BYTES: Final = 16 * 1024 * 1024

_RESCORED: Final = (
    "SELECT app, timestamp, trace_id FROM scores "
    f"WHERE role = 'rescore' AND scorer_version = {{scorer:String}} AND {CONDITION}"
)
Key = tuple[str, datetime, str]


class ReplayedTraces:
    """The traces of a period on our topics that `scorer` has not rescored yet (`again`: all of them).

    Reading begins with the first message of `period.since`, or at the offsets given by partition.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        client: ClickHouse,
        period: Period,
        scorer: str,
        *,
        again: bool = False,
        offsets: Mapping[int, int] | None = None,
        now: Now = utc_now,
    ) -> None:
        self._settings = settings
        self._client = client
        self._period = period
        self._parameters = {**period.parameters, "scorer": scorer}
        self._again = again
        self._offsets = offsets
        self._now = now

    def batches(self, account: Account) -> Iterator[list[Item]]:
        """Bounded in traces and in bytes. Raises ServiceUnreachable, SinkError."""
        batch: list[Item] = []
        volume = 0
        for item, size in self._items(account):
            batch.append(item)
            volume += size
            if len(batch) >= _BATCH or volume >= _BATCH_BYTES:
                yield self._still_to_do(batch, account)
                batch, volume = [], 0
        if batch:
            yield self._still_to_do(batch, account)
        if gone := self._count_gone() - account.failed:
            account.left_out[GONE] += gone
            account.traces += gone

    def _items(self, account: Account) -> Iterator[tuple[Item, int]]:
        """Each trace of the period with the bytes of its message."""
        for topic in self._settings.sources:
            decode = decoder(topic.format)
            for message in read_once(self._settings, topic.name, self._period.since, self._offsets):
                value = message.value() or b""
                at = received_at(message, self._now())
                for found in decode(value):
                    if isinstance(found, Unreadable):
                        account.left_out[UNREADABLE] += 1
                        account.traces += 1
                    elif isinstance(found, Trace) and self._period.holds(event_time(found, at)[0], found.app):
                        account.traces += 1
                        yield Item(found, at), len(value)

    def _still_to_do(self, batch: list[Item], account: Account) -> list[Item]:
        if self._again:
            return batch
        ids = [item.trace.trace_id for item in batch]
        rows = self._client.query(
            f"{_RESCORED} AND trace_id IN {{ids:Array(String)}}", {**self._parameters, "ids": ids}
        )
        done = {(row["app"], in_utc(row["timestamp"]), row["trace_id"]) for row in rows}
        left = [item for item in batch if _key(item) not in done]
        account.already += len(batch) - len(left)
        return left

    def _count_gone(self) -> int:
        """Traces of the period that are stored, and that nobody could rescore."""
        (row,) = self._client.query(
            f"SELECT count() AS gone FROM traces FINAL WHERE {CONDITION} "
            f"AND (app, timestamp, trace_id) NOT IN ({_RESCORED})",
            self._parameters,
        )
        return int(row["gone"])


def _key(item: Item) -> Key:
    """As it lies in the table: in whole milliseconds."""
    at, _ = event_time(item.trace, item.received_at)
    at = at.astimezone(UTC)
    whole = at.replace(microsecond=at.microsecond // 1000 * 1000)
    return item.trace.app or "", whole, item.trace.trace_id


__all__ = ["GONE", "ReplayedTraces"]
