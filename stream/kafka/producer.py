"""Whatever we publish: confirmed by the broker before anything that depends on it goes on.

A message that does not fit is cut by its topic's own rule and sent again; a broker that is away is
waited for; any other refusal is raised, and the process ends without committing past it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from confluent_kafka import KafkaError, KafkaException, Producer

from stream.errors import RagpulseError
from stream.kafka.config import producer_config, settings_checked
from stream.kafka.ledger import Slot
from stream.settings import KafkaSettings
from stream.telemetry import StreamMetrics

Headers = list[tuple[str, str | bytes | None]]
Cut = Callable[[bytes, Headers, int], tuple[bytes, Headers]]
"""Shortens a value (and says so in it, or in its headers) to at most so many bytes."""

_PURGED = (KafkaError._PURGE_QUEUE, KafkaError._PURGE_INFLIGHT)
_BROKER_OVERHEAD_BYTES = 4 * 1024
_SMALLEST_CUT_BYTES = 1024
_FULL_WAIT_S = 0.05
_ALONE_S = 30.0
_REMEDIES: dict[int | None, str] = {
    KafkaError.INVALID_TIMESTAMP: "this machine's clock is further ahead of the broker's than the "
    "topic allows (message.timestamp.after.max.ms, an hour by default): set the clock",
}


@dataclass(slots=True, frozen=True)
class _Sent:
    """One message on its way."""

    slot: Slot | None
    topic: str
    value: bytes
    key: bytes | None
    headers: Headers
    timestamp_ms: int = 0
    """0: the time at which it is sent."""
    alone: bool = False
    """Sent in a batch of its own: a refusal for size means this message and no neighbour."""


class DeliveryFailed(RagpulseError):
    """The broker refused a message for good: the process stops before its offset, and may be restarted."""

    exit_code = 3

    @classmethod
    def refused(cls, brokers: str, code: int | None, said: str) -> Self:
        """What a broker refused for good, by Kafka's code for it, with what to do where the code tells."""
        do = _REMEDIES.get(code, "correct the cause")
        return cls(
            f"The broker at {brokers} (RAGPULSE_KAFKA__BROKERS) refused a message for good: {said}. "
            f"Nothing was committed past it; {do} and start again."
        )


class Output:
    """One producer. `settle` is told of each confirmed output of a message in work (its slot)."""

    def __init__(
        self,
        settings: KafkaSettings,
        settle: Callable[[Slot], None],
        metrics: StreamMetrics,
        cuts: dict[str, Cut] | None = None,
    ) -> None:
        self._limit = settings.max_message_bytes
        self._brokers = settings.brokers
        self._settle = settle
        self._cuts = cuts or {}
        self._metrics = metrics
        self._failure: KafkaError | None = None
        self._sent: dict[str, int] = {}
        self._delivered: dict[str, int] = {}
        self._too_large: list[_Sent] = []
        self.unconfirmed_bytes = 0
        """Bytes of values that were sent and not yet confirmed."""
        with settings_checked():
            self._producer = Producer(producer_config(settings))

    def send(
        self,
        slot: Slot | None,
        topic: str,
        value: bytes,
        key: bytes | None,
        headers: Headers,
        timestamp_ms: int = 0,
    ) -> None:
        """Publish one message; `slot`, where given, is settled once more when it is confirmed.

        `timestamp_ms`: milliseconds since 1970; 0 is now. Waits while the producer's queue is full. Raises
        DeliveryFailed.
        """
        if slot is not None:
            slot.left += 1
        self._sent[topic] = self._sent.get(topic, 0) + 1
        self._produce(_Sent(slot, topic, value, key, headers, timestamp_ms))

    def poll(self) -> None:
        """Take in what the broker has confirmed so far. Raises DeliveryFailed."""
        self._producer.poll(0)
        self._take_in()

    def flush(self, budget_s: float, until: Callable[[], bool] | None = None) -> bool:
        """Wait for confirmations, of all or until `until` holds. False when the budget ran out first.

        Raises DeliveryFailed.
        """
        deadline = time.monotonic() + budget_s
        while (len(self._producer) or self._too_large) and not (until and until()):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self._producer.poll(min(left, 0.1))
            self._take_in()
        return True

    def abandon(self) -> None:
        """Drop what is queued: nobody will wait for it any more."""
        self._producer.purge(in_queue=True, in_flight=True, blocking=False)

    def _produce(self, message: _Sent) -> None:
        while True:
            try:
                self._producer.produce(
                    message.topic,
                    message.value,
                    key=message.key,
                    headers=message.headers,
                    timestamp=message.timestamp_ms,
                    on_delivery=partial(self._confirmed, message),
                )
            except BufferError:
                self._producer.poll(_FULL_WAIT_S)
                self._take_in()
            except KafkaException as error:
                if error.args[0].code() != KafkaError.MSG_SIZE_TOO_LARGE:
                    raise self._failed(error.args[0]) from error
                message = self._cut(message)
            else:
                self.unconfirmed_bytes += len(message.value)
                return

    def _confirmed(self, message: _Sent, error: KafkaError | None, _report: object) -> None:
        self.unconfirmed_bytes -= len(message.value)
        if error is None:
            self._delivered[message.topic] = self._delivered.get(message.topic, 0) + 1
            if message.slot is not None:
                self._settle(message.slot)
        elif error.code() == KafkaError.MSG_SIZE_TOO_LARGE:
            self._too_large.append(message)
        elif error.code() not in _PURGED:
            self._failure = error

    def _take_in(self) -> None:
        """Act on what the delivery reports said: count, send again, or stop."""
        for counts, metric in (
            (self._sent, self._metrics.produced),
            (self._delivered, self._metrics.delivered),
        ):
            for topic, count in counts.items():
                metric.labels(topic).inc(count)
            counts.clear()
        if self._failure:
            raise self._failed(self._failure)
        refused, self._too_large = self._too_large, []
        for message in refused:
            self._send_again(message)

    def _send_again(self, message: _Sent) -> None:
        """A broker refuses a batch as a whole: find out whether this message is meant, and cut it then."""
        self._producer.flush(_ALONE_S)
        self._produce(self._cut(message) if message.alone else replace(message, alone=True))
        self._producer.flush(_ALONE_S)

    def _cut(self, message: _Sent) -> _Sent:
        """Half of it, or what the broker takes, if that is less."""
        size = len(message.value)
        limit = min(self._limit - _BROKER_OVERHEAD_BYTES, size // 2)
        cut = self._cuts.get(message.topic)
        if cut is not None and limit >= _SMALLEST_CUT_BYTES:
            value, headers = cut(message.value, message.headers, limit)
            if len(value) < size:
                self._metrics.cut.labels(message.topic).inc()
                return replace(message, value=value, headers=headers)
        raise DeliveryFailed(
            f"A message of {size} bytes does not fit topic {message.topic} at {self._brokers}, and cannot be "
            "cut: raise max.message.bytes of the topic, and RAGPULSE_KAFKA__MAX_MESSAGE_BYTES with it."
        )

    def _failed(self, error: KafkaError) -> DeliveryFailed:
        return DeliveryFailed.refused(self._brokers, error.code(), error.str())


__all__ = ["Cut", "DeliveryFailed", "Headers", "Output"]
