"""The filler's loop: cases of the topic are gathered, and every interval a turn is done with them.

One thread. An offset is committed behind the turn that put its case into the tables, or behind the confirmed
dead letter of a message that is no case. While ClickHouse is away the same cases are tried again, and nothing
more is fetched.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from sinks.errors import SinkError
from stream import logs, topics
from stream.annotation.filler import Filler, Turned
from stream.annotation.handed_in import HandedIn, UnreadableCase, read_case
from stream.dead import letters
from stream.endpoint import Clock, Health
from stream.kafka.config import Message
from stream.kafka.ledger import Partition, Slot
from stream.kafka.producer import Output
from stream.kafka.source import Source
from stream.settings import Settings
from stream.telemetry import AnnotationMetrics
from stream.turns import Turns

BY: Final = "annotate"
FILLED: Final = "first turn"
MOST_GATHERED: Final = 200
"""Cases in hand: then a turn is done before its time. Each may hold all texts of a trace."""
_TURN_S: Final = 0.2
_COMMIT_EVERY_S: Final = 1.0
_LEAST_COMMIT_S: Final = 0.5
_HOUSE_TURN_S: Final = 1.0
"""Between two turns at least, however much comes over the topic."""


class FillLoop:
    """Gathers and fills until it is told to stop."""

    def __init__(
        self,
        settings: Settings,
        source: Source,
        output: Output,
        filler: Filler,
        metrics: AnnotationMetrics,
        health: Health,
        clock: Clock = time.monotonic,
    ) -> None:
        self._settings = settings.annotation
        self._dead = settings.kafka.topic(topics.DEAD)
        self._source, self._output, self._filler = source, output, filler
        self._metrics, self._health, self._clock = metrics, health, clock
        self._gathered: list[tuple[Slot, HandedIn]] = []
        self._due = clock()
        self._stop_budget_s = settings.sink.stop_budget_s
        self._turns = Turns(source, output, metrics, health, _COMMIT_EVERY_S, clock)

    def run(self, stop: threading.Event) -> None:
        """Turn until `stop`. What was gathered and not filled in is read again by whoever comes next."""
        self._turns.run(stop, self._turn, self._finish)

    def drain(self, partitions: Sequence[Partition], budget_s: float) -> None:
        """Partitions go. A turn takes longer than anybody waits: what was gathered of them is read again."""
        self._gathered = [(slot, case) for slot, case in self._gathered if slot.partition not in partitions]

    def _turn(self) -> None:
        if len(self._gathered) < MOST_GATHERED:
            self._source.resume()
            self._take_in(self._source.take(MOST_GATHERED - len(self._gathered), _TURN_S))
        else:
            self._source.pause()
            self._take_in(self._source.take(1, _TURN_S))
        self._output.poll()
        if self._clock() >= self._due:
            self._fill()

    def _take_in(self, messages: Sequence[Message]) -> None:
        for message in messages:
            topic = str(message.topic())
            slot = self._source.ledger.open(
                (topic, int(message.partition() or 0)), int(message.offset() or 0)
            )
            self._metrics.received.labels(topic).inc()
            self._metrics.received_bytes.labels(topic).inc(len(message))
            try:
                self._gathered.append((slot, read_case(message.value(), _sent_at(message))))
            except UnreadableCase as error:
                self._metrics.dead.labels(error.reason).inc()
                value, key, headers = letters.write(message, error.reason, str(error), BY)
                self._output.send(slot, self._dead, value, key, headers)
                self._source.ledger.settle(slot)
        if len(self._gathered) >= MOST_GATHERED:
            self._due = min(self._due, self._clock() + _HOUSE_TURN_S)

    def _fill(self) -> None:
        start = time.perf_counter()
        cases, self._gathered = [one for one in self._gathered if not one[0].abandoned], []
        try:
            turned = self._filler.turn([case for _, case in cases])
        except SinkError as error:
            self._gathered = cases + self._gathered
            self._metrics.failures.inc()
            self._due = self._clock() + min(self._settings.interval_s, 5.0)
            logs.get().warning(f"a turn failed; the next one does it again: {error}")
            return
        for slot, _ in cases:
            self._source.ledger.settle(slot)
        took_s = time.perf_counter() - start
        self._due = self._clock() + max(self._settings.interval_s - took_s, _HOUSE_TURN_S)
        self._health.got(FILLED)
        record(self._metrics, turned, took_s)
        if turned.entered or turned.left:
            logs.get().info("queue filled", seconds=round(took_s, 2), **turned.as_dict())

    def _finish(self) -> None:
        self._output.flush(self._stop_budget_s)
        self._source.commit_within(_LEAST_COMMIT_S)
        self._source.close()


def record(metrics: AnnotationMetrics, turned: Turned, took_s: float) -> None:
    """What a turn did, into the metrics."""
    metrics.turn_seconds.observe(took_s)
    metrics.looked_at.inc(turned.traces)
    metrics.merged.inc(turned.merged)
    metrics.left.inc(turned.left)
    metrics.left_out.inc(turned.left_out)
    for reason, count in turned.unusable.items():
        metrics.unusable.labels(reason).inc(count)
    for item in turned.entered:
        metrics.entered.labels(item.reason).inc()
        for kind, count in item.redactions.items():
            metrics.redacted.labels(kind).inc(count)
    stages = [case.item.first_failed_stage for case in turned.open]
    stages += [item.first_failed_stage for item in turned.entered]
    metrics.open.clear()
    for stage in set(stages):
        metrics.open.labels(stage).set(stages.count(stage))
    created = [case.item.created_at for case in turned.open]
    metrics.oldest.set((datetime.now(UTC) - min(created)).total_seconds() if created else 0.0)


def _sent_at(message: Message) -> datetime:
    """The broker's time of a message; now, where it has none."""
    milliseconds = message.timestamp()[1]
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds > 0 else datetime.now(UTC)


__all__ = ["BY", "FILLED", "MOST_GATHERED", "FillLoop", "record"]
