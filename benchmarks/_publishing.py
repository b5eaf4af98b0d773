"""Traces published at a steady rate, whether or not anybody keeps up with them."""

from __future__ import annotations

import math
import threading
import time
from bisect import bisect_left
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import orjson
from confluent_kafka import KafkaError, Message, Producer

TICK_S = 0.005


class Publisher:
    """`with Publisher(...):` publishes in a thread until the body ends, then waits for the broker.

    Each message carries as its timestamp the moment it was **due** by the rate, not the moment the thread
    got round to it: a machine that is too busy to publish in time is too slow, and the latency says so.
    """

    def __init__(
        self, brokers: str, topic: str, bodies: Sequence[dict[str, Any]], rate: float, name: str
    ) -> None:
        self._producer = Producer(
            {"bootstrap.servers": brokers, "linger.ms": 5, "enable.idempotence": True, "log_level": 0}
        )
        self._topic, self._bodies, self._rate, self._name = topic, bodies, rate, name
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)
        self._error: BaseException | None = None
        self.began = 0.0
        """Time of day of the first message, in seconds."""
        self.count = 0
        self.confirmed = 0
        self.bytes = 0

    def __enter__(self) -> Self:
        self.began = time.time() + TICK_S
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(30)
        left = self._producer.flush(30 if kind is None else 2)
        if kind is not None:
            return
        if self._error is not None:
            raise self._error
        if left or self.confirmed != self.count:
            raise RuntimeError(f"{self.count - self.confirmed} of {self.count} messages were not confirmed")

    def due_between(self, since: float, until: float) -> int:
        """How many messages were due from one time of day up to another (excluded), in seconds."""
        return self._due_before(until) - self._due_before(since)

    def _due_before(self, moment: float) -> int:
        return bisect_left(range(self.count), math.floor(moment * 1000), key=self._stamp)

    def _stamp(self, number: int) -> int:
        """When a message is due, in milliseconds since 1970: what it carries, and what it is counted by."""
        return int((self.began + number / self._rate) * 1000)

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                due = int((time.time() - self.began) * self._rate) + 1
                while self.count < due and not self._stop.is_set():
                    self._publish(self.count)
                self._producer.poll(0)
                self._stop.wait(TICK_S)
        except BaseException as error:
            self._error = error

    def _publish(self, number: int) -> None:
        trace_id = f"{self._name}-{number:08d}"
        value = orjson.dumps({**self._bodies[number % len(self._bodies)], "trace_id": trace_id})
        while True:
            try:
                self._producer.produce(
                    self._topic,
                    value,
                    key=trace_id,
                    timestamp=self._stamp(number),
                    on_delivery=self._delivered,
                )
                break
            except BufferError:
                self._producer.poll(0.05)
                if self._stop.is_set():
                    return
        self.count += 1
        self.bytes += len(value)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self.confirmed += 1
        elif self._error is None:
            self._error = RuntimeError(f"A message was not accepted: {error.str()}")
