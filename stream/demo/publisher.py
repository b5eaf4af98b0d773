"""Publishes the simulated traffic at its rate, and keeps the truth about it in this process alone."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

from stream.demo.traffic import Kind, Message, Traffic, Truth
from stream.errors import RagpulseError
from stream.files.publish import Published, open_output, send
from stream.kafka.producer import Output
from stream.settings import KafkaSettings

_NAP_S: Final = 0.02
_CONFIRM_S: Final = 30.0


class TrafficPublisher(threading.Thread):
    """A thread that publishes `seconds` × `rate` traces; from halfway on, with the spike.

    `truths` holds what was injected, by trace_id; read it when the thread has ended.
    """

    def __init__(
        self,
        traffic: Traffic,
        kafka: KafkaSettings,
        topic: str,
        *,
        seconds: float,
        rate: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(name="demo-publisher", daemon=True)
        self.truths: dict[str, Truth] = {}
        self.sent: Counter[Kind] = Counter()
        self.feedback_on: set[str] = set()
        self.failure: RagpulseError | None = None
        self.spike_began: float | None = None
        """When the spike's first trace was published, by `clock`."""
        self.spike_at: float | None = None
        """The same in seconds since 1970."""
        self.started: float | None = None
        self.ended: float | None = None
        self._traffic, self._kafka, self._topic = traffic, kafka, topic
        self._seconds, self._rate, self._clock = seconds, rate, clock
        self._stopping = threading.Event()
        self.finished = threading.Event()
        """Set when nothing more comes. (A join that Ctrl-C interrupts may call a live thread ended.)"""

    def stop(self) -> None:
        """Publish nothing more; what was sent is still confirmed."""
        self._stopping.set()

    def run(self) -> None:
        """The thread's work; what goes wrong is left in `failure`."""
        done = Published()
        try:
            output = open_output(self._kafka, done)
            self._publish(output, done)
            if not output.flush(_CONFIRM_S):
                raise RagpulseError(f"The broker did not confirm {done.sent - done.confirmed} messages.")
        except RagpulseError as error:
            self.failure = error
        finally:
            self.ended = self._clock()
            self.finished.set()

    def _publish(self, output: Output, done: Published) -> None:
        count = max(1, round(self._seconds * self._rate))
        self.started = self._clock()
        for number in range(count):
            elapsed = self._wait_for(number)
            if elapsed > self._seconds or self._stopping.is_set():
                break
            spiking = number * 2 >= count or elapsed * 2 >= self._seconds
            self._send_all(output, done, self._traffic.next(spiking=spiking))
        self._send_all(output, done, self._traffic.flush())

    def _wait_for(self, number: int) -> float:
        """Seconds since the start, when the trace of this number is due."""
        assert self.started is not None
        while True:
            elapsed = self._clock() - self.started
            ahead = number / self._rate - elapsed
            if ahead <= 0 or self._stopping.wait(min(ahead, _NAP_S)):
                return elapsed

    def _send_all(self, output: Output, done: Published, messages: list[Message]) -> None:
        for message in messages:
            if message.truth and message.trace_id:
                self.truths[message.trace_id] = message.truth
                if message.truth.spiking and self.spike_began is None:
                    self.spike_began, self.spike_at = self._clock(), time.time()
            elif message.kind is Kind.FEEDBACK and message.trace_id:
                self.feedback_on.add(message.trace_id)
            send(output, done, self._topic, message.value, message.key.encode())
            self.sent[message.kind] += 1


__all__ = ["TrafficPublisher"]
