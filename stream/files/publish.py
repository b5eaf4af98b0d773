"""Traces of a file to Kafka: the original bytes, keyed, each confirmed by the broker."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from schemas.trace import LateFeedback, Trace
from stream.errors import RagpulseError, ServiceUnreachable
from stream.files.lines import Reader
from stream.kafka.admin import ensure_topics, partition_counts
from stream.kafka.ledger import Slot
from stream.kafka.producer import DeliveryFailed, Output
from stream.settings import KafkaSettings
from stream.telemetry import StreamMetrics

REACH_S: Final = 4.0
_DELIVERY_TIMEOUT_MS: Final = 15_000
_QUEUE_KBYTES: Final = 64 * 1024
_SLICE_S: Final = 0.25


@dataclass(slots=True)
class Published:
    """How many messages were sent, and how many of them the broker confirmed."""

    sent: int = 0
    confirmed: int = 0


class Pace:
    """Holds a stream to `rate` a second (null: no limit)."""

    def __init__(
        self,
        rate: float | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._rate, self._clock, self._sleep = rate, clock, sleep
        self._start = clock()
        self._count = 0

    def wait(self) -> None:
        """Wait until the next one is due."""
        if self._rate:
            ahead = self._start + self._count / self._rate - self._clock()
            self._count += 1
            if ahead > 0:
                self._sleep(ahead)


def key_of(item: Trace | LateFeedback) -> bytes:
    """The message's key: the conversation, else the trace."""
    conversation = item.conversation_id if isinstance(item, Trace) else None
    return (conversation or item.trace_id).encode("utf-8", "replace")


def open_output(settings: KafkaSettings, done: Published) -> Output:
    """A producer that counts confirmations in `done`, and gives up after a while: a person is waiting."""
    options = {"message.timeout.ms": _DELIVERY_TIMEOUT_MS, "queue.buffering.max.kbytes": _QUEUE_KBYTES}
    impatient = settings.model_copy(update={"options": {**options, **settings.options}})

    def count(_: Slot) -> None:
        done.confirmed += 1

    return Output(impatient, settle=count, metrics=StreamMetrics())


def send(output: Output, done: Published, topic: str, value: bytes, key: bytes | None) -> None:
    """Hand one message to the producer; `done` counts it now, and once more when it is confirmed."""
    output.send(Slot((topic, 0), done.sent), topic, value, key, [])
    done.sent += 1
    output.poll()


def publish_file(
    reader: Reader,
    settings: KafkaSettings,
    *,
    topic: str,
    raw: bool = False,
    pace: Pace | None = None,
    on_progress: Callable[[Published], None] = lambda _: None,
) -> Published:
    """Send each readable line as it is; with `raw`, the unreadable ones as well.

    Returns when the broker has confirmed all of them. Raises ServiceUnreachable, DeliveryFailed.
    """
    partition_counts(settings, REACH_S)
    ensure_topics(settings, [topic])
    done = Published()
    output = open_output(settings, done)
    pace = pace or Pace(None)
    last_line = 0
    try:
        for line, item in reader.items():
            if line.number == last_line or not line.data or (item is None and not raw):
                continue
            last_line = line.number
            pace.wait()
            send(output, done, topic, line.data, key_of(item) if item else None)
            on_progress(done)
        while not output.flush(_SLICE_S):
            on_progress(done)
    except DeliveryFailed as error:
        raise _explain(settings, done, error) from error
    finally:
        output.abandon()
    return done


def _explain(settings: KafkaSettings, done: Published, error: DeliveryFailed) -> RagpulseError:
    try:
        partition_counts(settings, REACH_S)
    except ServiceUnreachable as gone:
        return ServiceUnreachable(
            f"{gone} It went away while we published: {done.confirmed} of {done.sent} messages are "
            "confirmed; publishing the file again is safe, a trace with a timestamp is counted once."
        )
    return error


__all__ = ["REACH_S", "Pace", "Published", "key_of", "open_output", "publish_file", "send"]
