"""The sink's loop: gather a batch, have it stored, commit behind it.

One thread listens to the broker and keeps the offsets; while it gathers the next batch, another gets
the last one stored.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from typing import Final

from stream import logs, topics
from stream.dead import letters
from stream.endpoint import Clock, Health
from stream.kafka.config import Message
from stream.kafka.ledger import Partition
from stream.kafka.producer import Output
from stream.kafka.source import Source
from stream.settings import Settings
from stream.sink.batch import Batch, Item
from stream.sink.inserter import Inserter, Rejected
from stream.sink.roller import Roller
from stream.sink.routes import SCORED_TABLES, Routes
from stream.telemetry import SinkMetrics
from stream.turns import Turns

BY: Final = "sink"
REJECTED: Final = "rejected_by_clickhouse"
UNKNOWN_TABLE: Final = "unknown_table"
_NO_TABLE: Final = f"the header `table` names none of {', '.join(sorted(SCORED_TABLES))}"

_TURN_S: Final = 0.05
_PATIENCE_S: Final = 1.0
_COMMIT_EVERY_S: Final = 1.0
_LEAST_COMMIT_S: Final = 0.5


class SinkLoop:
    """Moves batches from a source into ClickHouse, until it is told to stop."""

    def __init__(
        self,
        settings: Settings,
        source: Source,
        output: Output,
        inserter: Inserter,
        roller: Roller,
        metrics: SinkMetrics,
        health: Health,
        clock: Clock = time.monotonic,
    ) -> None:
        self._settings = settings.sink
        self._routes = Routes(settings.kafka)
        self._dead = settings.kafka.topic(topics.DEAD)
        self._source = source
        self._output = output
        self._inserter = inserter
        self._roller = roller
        self._metrics = metrics
        self._health = health
        self._clock = clock
        self._batch = Batch(clock)
        self._usual_size = 4096
        self._under_way: tuple[Batch, Future[list[Rejected]]] | None = None
        self._give_up = threading.Event()
        self._turns = Turns(source, output, metrics, health, _COMMIT_EVERY_S, clock)

    def run(self, stop: threading.Event) -> None:
        """Turn until `stop`, then finish within the stop budget."""
        try:
            self._roller.start()
            self._turns.run(stop, self._turn, self._finish)
        finally:
            self._give_up.set()
            self._roller.stop(0)

    def drain(self, partitions: Sequence[Partition], budget_s: float) -> None:
        """Store what is in hand of these partitions, within the budget."""
        until = self._clock() + budget_s
        self._work_off(until, lambda: self._source.ledger.idle(partitions))

    def _turn(self) -> None:
        if self._has_room():
            self._source.resume()
            self._take_in(self._source.take(self._room(), _TURN_S))
        elif self._batch.age_s < self._settings.batch_wait_s + _PATIENCE_S:
            self._wait(_TURN_S)
        else:  # the store is slow or away: fetch nothing, and still be heard by the group
            self._source.pause()
            self._take_in(self._source.take(1, _TURN_S))
        self._go_on()

    # Gathering.

    def _has_room(self) -> bool:
        return self._batch.rows < self._settings.batch_rows and self._batch.bytes < self._settings.batch_bytes

    def _room(self) -> int:
        rows = self._settings.batch_rows - self._batch.rows
        return max(1, min(rows, (self._settings.batch_bytes - self._batch.bytes) // self._usual_size))

    def _take_in(self, messages: list[Message]) -> None:
        count: Counter[str] = Counter()
        volume: Counter[str] = Counter()
        for message in messages:
            topic = str(message.topic())
            count[topic] += 1
            volume[topic] += len(message)
            self._route(message, topic)
        for topic in count:
            self._metrics.received.labels(topic).inc(count[topic])
            self._metrics.received_bytes.labels(topic).inc(volume[topic])

    def _route(self, message: Message, topic: str) -> None:
        slot = self._source.ledger.open((topic, int(message.partition() or 0)), int(message.offset() or 0))
        table, made = self._routes.table(message)
        item = Item(message, slot, made)
        if table is None:
            self._bury(item, UNKNOWN_TABLE, _NO_TABLE)
            self._source.ledger.settle(slot)
        else:
            self._batch.add(table, item)

    # Storing.

    def _go_on(self) -> None:
        """Take in what was stored, and start with the next batch once that is due."""
        self._output.poll()
        self._settle_stored()
        full = not self._has_room()
        if self._under_way is None and (full or self._batch.age_s >= self._settings.batch_wait_s):
            self._start()

    def _start(self) -> None:
        batch, self._batch = self._batch, Batch(self._clock)
        batch.forget_abandoned()
        if batch.rows:
            self._usual_size = max(1, batch.bytes // batch.rows)
            self._under_way = batch, _in_background(lambda: self._inserter.insert(batch, self._give_up))

    def _settle_stored(self) -> None:
        if self._under_way is None or not self._under_way[1].done():
            return
        batch, future = self._under_way
        self._under_way = None
        for item, detail in future.result():
            self._bury(item, REJECTED, detail)
        for items in batch.tables.values():
            for item in items:
                self._source.ledger.settle(item.slot)

    def _bury(self, item: Item, reason: str, detail: str) -> None:
        self._metrics.dead.labels(reason).inc()
        if item.topic == self._dead:  # it lies among the dead letters already; one more would never end
            logs.get().error("a dead letter cannot be counted", offset=item.offset, detail=detail)
            return
        value, key, headers = letters.write(item.message, reason, detail, BY)
        self._output.send(item.slot, self._dead, value, key, headers)

    def _wait(self, seconds: float) -> None:
        if self._under_way:
            wait([self._under_way[1]], seconds)

    def _work_off(self, until: float, done: Callable[[], bool]) -> None:
        """Store everything in hand, until that is `done` or the time is over."""
        while not done() and self._clock() < until:
            self._go_on_now()
            self._wait(min(_TURN_S, max(0.0, until - self._clock())))
            if self._under_way is None:
                self._output.flush(min(_TURN_S, max(0.0, until - self._clock())))
            self._health.beat()

    def _go_on_now(self) -> None:
        self._output.poll()
        self._settle_stored()
        if self._under_way is None:
            self._start()

    # Ending.

    def _finish(self) -> None:
        until = self._clock() + self._settings.stop_budget_s
        self._work_off(until, lambda: self._source.ledger.in_flight == 0)
        if self._source.ledger.in_flight:
            logs.get().warning(
                "not everything could be stored in time; the rest will be read again",
                setting="RAGPULSE_SINK__STOP_BUDGET_S",
                in_flight=self._source.ledger.in_flight,
            )
        self._source.commit_within(max(_LEAST_COMMIT_S, until - self._clock()))
        self._turns.report()
        self._source.close()
        self._output.abandon()
        self._roller.stop(max(0.0, until - self._clock()))


def _in_background(call: Callable[[], list[Rejected]]) -> Future[list[Rejected]]:
    """Run it on a thread that does not keep the process from ending."""
    future: Future[list[Rejected]] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="inserter", daemon=True).start()
    return future


__all__ = ["BY", "REJECTED", "UNKNOWN_TABLE", "SinkLoop"]
