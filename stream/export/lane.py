"""The export's loop: rows in, requests out, offsets behind what was sent or given up.

One thread. While a receiver is slow or away, nothing is fetched, the group still hears from us, and
neither the sink nor another receiver notices: each has a group of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any, Final

import orjson

from sinks.evaluations.finding import Finding, from_trace_row, from_verdict_row
from stream import topics
from stream.endpoint import Clock, Health
from stream.export.delivery import LEFT_OUT, Delivery
from stream.kafka.config import Message
from stream.kafka.ledger import Partition, Slot
from stream.kafka.source import Source
from stream.settings import Settings
from stream.telemetry import ExportMetrics
from stream.turns import Turns

_TURN_S: Final = 0.2
_COMMIT_EVERY_S: Final = 1.0
_LEAST_COMMIT_S: Final = 0.5
_TRACES: Final = "traces"
EXPORT: Final = "export"


class Lane:
    """Moves findings from the topics to one receiver, until it is told to stop."""

    def __init__(
        self,
        settings: Settings,
        source: Source,
        delivery: Delivery,
        metrics: ExportMetrics,
        health: Health,
        destination: str,
        clock: Clock = time.monotonic,
    ) -> None:
        self._settings = settings.export
        self._verdicts = settings.kafka.topic(topics.VERDICTS)
        self._stop_budget_s = settings.sink.stop_budget_s
        self._source = source
        self._delivery = delivery
        self._metrics = metrics
        self._destination = destination
        self._clock = clock
        self._slots: list[Slot] = []
        self._turns = Turns(source, None, metrics, health, _COMMIT_EVERY_S, clock)

    def run(self, stop: threading.Event) -> None:
        """Turn until `stop`, then try for the stop budget to finish what is in hand."""
        self._turns.run(stop, self._turn, self._finish)

    def drain(self, partitions: Sequence[Partition], budget_s: float) -> None:
        """Send what is in hand before partitions go, within the budget."""
        self._send_until(self._clock() + budget_s)

    def _turn(self) -> None:
        if self._delivery.done:
            self._settle()
            self._source.resume()
            self._take_in(self._source.take(self._settings.batch_size, self._settings.batch_wait_s))
        else:
            self._source.pause()
            self._take_in(self._source.take(1, min(_TURN_S, self._delivery.wait_s)))
        start = time.perf_counter()
        if not self._delivery.done and not self._delivery.wait_s:
            self._delivery.attempt()
            self._metrics.batch_seconds.labels(EXPORT).observe(time.perf_counter() - start)

    def _take_in(self, messages: list[Message]) -> None:
        findings = []
        for message in messages:
            topic = str(message.topic())
            partition = (topic, int(message.partition() or 0))
            self._slots.append(self._source.ledger.open(partition, int(message.offset() or 0)))
            self._metrics.received.labels(topic).inc()
            self._metrics.received_bytes.labels(topic).inc(len(message))
            finding = self._read(message, topic)
            if finding is None:
                continue
            if self._settings.only_failures and not finding.failed:
                self._metrics.exported.labels(self._destination, LEFT_OUT).inc()
            else:
                findings.append(finding)
        if findings:
            self._metrics.batch_size.labels(EXPORT).observe(len(findings))
            self._delivery.add(findings)

    def _read(self, message: Message, topic: str) -> Finding | None:
        """What a row says; null for rows of other tables and for what is none. The sink buries those."""
        if topic != self._verdicts and table_of(message) != _TRACES:
            return None
        try:
            row = orjson.loads(message.value() or b"")
        except orjson.JSONDecodeError:
            return None
        if not isinstance(row, dict):
            return None
        read = from_verdict_row if topic == self._verdicts else from_trace_row
        return read(row, texts=self._settings.include_text)

    def _settle(self) -> None:
        """Everything in hand was sent, refused or given up: its offsets may pass."""
        for slot in self._slots:
            self._source.ledger.settle(slot)
        self._slots.clear()

    def _send_until(self, deadline: float) -> None:
        while not self._delivery.done and self._clock() + self._delivery.wait_s < deadline:
            if self._delivery.wait_s:
                time.sleep(min(self._delivery.wait_s, _TURN_S))
            self._delivery.attempt()
        if self._delivery.done:
            self._settle()

    def _finish(self) -> None:
        deadline = self._clock() + self._stop_budget_s
        self._send_until(deadline)
        self._source.commit_within(max(_LEAST_COMMIT_S, deadline - self._clock()))
        self._turns.report()
        self._source.close()


def table_of(message: Message) -> str:
    """The table that a scored row belongs to, by its header; `traces` without one."""
    headers: Any = message.headers() or ()
    for name, value in headers:
        if name == topics.HEADER_TABLE:
            return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return _TRACES


__all__ = ["Lane", "table_of"]
