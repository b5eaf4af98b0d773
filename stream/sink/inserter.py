"""Get a batch into ClickHouse, however long that takes.

While the server is away or busy, and while its schema is wrong, the batch is kept and tried again;
rows are only ever given up for what they hold. This runs on a thread of its own, so that the broker
is listened to meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.columns import ColumnWatch
from sinks.clickhouse.insert import insert_rows
from sinks.errors import SinkError, SinkMisconfigured, SinkUnavailable, SinkUnreachable
from stream import logs
from stream.backoff import Backoff
from stream.endpoint import Clock, Health
from stream.settings import SinkSettings
from stream.sink.batch import Batch, Item
from stream.telemetry import SinkMetrics

CLICKHOUSE: Final = "clickhouse"
"""What the sink is not ready without."""

Rejected = tuple[Item, str]

_MEMORY_LIMIT: Final = 241
_TIMED_ROWS: Final = 50
_LOOK_EVERY_S: Final = 1.0


class GivenUp(Exception):
    """The process ends and the batch is not stored: whoever comes next reads it again."""


class Inserter:
    """One batch at a time."""

    def __init__(
        self,
        client: ClickHouse,
        settings: SinkSettings,
        metrics: SinkMetrics,
        health: Health,
        clock: Clock = time.monotonic,
        now: Clock = time.time,
    ) -> None:
        self._client = client
        self._settings = settings
        self._metrics = metrics
        self._health = health
        self._clock = clock
        self._now = now
        self._watch = ColumnWatch(client)
        self._next_look = 0.0
        self._at_most: int | None = None

    def insert(self, batch: Batch, give_up: threading.Event) -> list[Rejected]:
        """Store the batch; returns the rows that cannot be stored, and why. Raises GivenUp."""
        rejected: list[Rejected] = []
        for table, items in batch.tables.items():
            rejected += self._until_done(partial(self._store, table, items), give_up)
        return rejected

    def _until_done(self, attempt: Callable[[], list[Rejected]], give_up: threading.Event) -> list[Rejected]:
        backoff = Backoff(self._settings.retry_first_s, self._settings.retry_max_s)
        while True:
            try:
                done = attempt()
            except (SinkUnavailable, SinkMisconfigured) as error:
                wait_s = backoff.next_s()
                self._failed(error, wait_s)
                if give_up.wait(wait_s):
                    raise GivenUp from error
            else:
                self._succeeded(backoff.failures)
                return done

    def _store(self, table: str, items: Sequence[Item]) -> list[Rejected]:
        self._look_for_unknown_columns(table, items[-1])
        start = time.perf_counter()
        try:
            outcome = insert_rows(self._client, table, items, self._at_most)
        except SinkError as error:
            if self._may_be_too_much(error):
                self._at_most = max(1, (self._at_most or len(items)) // 2)
            raise
        self._at_most = None
        metrics = self._metrics
        metrics.batch_seconds.labels("insert").observe(time.perf_counter() - start)
        metrics.batch_size.labels("insert").observe(len(items))
        metrics.inserted.labels(table).inc(outcome.inserted)
        metrics.inserted_bytes.labels(table).inc(outcome.inserted_bytes)
        metrics.splits.inc(outcome.splits)
        self._observe_age(items)
        return outcome.rejected

    def _may_be_too_much(self, error: SinkError) -> bool:
        """Whether less at once might pass: out of memory, or cut off by a server that does answer."""
        return error.code == _MEMORY_LIMIT or (isinstance(error, SinkUnreachable) and self._client.answers())

    def _observe_age(self, items: Sequence[Item]) -> None:
        now_ms = self._now() * 1000
        for item in items[:: max(1, len(items) // _TIMED_ROWS)]:
            self._metrics.publish_to_inserted.observe(max(0.0, (now_ms - item.timestamp_ms) / 1000))

    def _look_for_unknown_columns(self, table: str, item: Item) -> None:
        if self._clock() < self._next_look:
            return
        self._next_look = self._clock() + _LOOK_EVERY_S
        columns = self._watch.left_out(table, item.line())
        for column in columns:
            self._metrics.columns_left_out.labels(table, column[:64]).inc()
        if news := self._watch.news(table, columns):
            logs.get().warning(
                "rows bring columns that the table does not have; they are left out until "
                "`ragpulse migrate` has run",
                table=table,
                columns=news,
            )

    def _failed(self, error: SinkError, wait_s: float) -> None:
        self._metrics.insert_failures.labels(type(error).__name__).inc()
        self._metrics.sink_up.set(0)
        self._health.lost(CLICKHOUSE)
        say = logs.get().error if isinstance(error, SinkMisconfigured) else logs.get().warning
        say(
            f"{error} Nothing is lost; trying again.",
            setting="RAGPULSE_CLICKHOUSE__DSN",
            retry_in_s=round(wait_s, 2),
        )

    def _succeeded(self, failures: int) -> None:
        self._metrics.sink_up.set(1)
        self._health.got(CLICKHOUSE)
        if failures:
            logs.get().info("ClickHouse takes rows again", failures=failures)


__all__ = ["CLICKHOUSE", "GivenUp", "Inserter", "Rejected"]
