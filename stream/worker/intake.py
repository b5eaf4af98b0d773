"""From messages to traces. Late feedback and what is unreadable leave from here; nothing is dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from schemas.formats import Decode, decoder
from schemas.formats.base import TOO_LARGE
from schemas.row import EARLIEST, Provenance
from schemas.trace import LateFeedback, Trace
from stream import topics
from stream.dead import letters
from stream.kafka.config import Message
from stream.kafka.ledger import Slot
from stream.kafka.producer import Output
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.worker.outputs import TO_FEEDBACK, RowError, encode_feedback

BY: Final = "worker"
DECODER_ERROR: Final = "decoder_error"
"""Reason of a dead letter on whose bytes the decoder itself failed."""
ROW_ERROR: Final = "row_error"
"""Reason of a dead letter that was understood and yet fits no row."""
_NAMES: Final = {"auto": "ragpulse"}
"""What `auto` finds. It knows one format so far."""
Now = Callable[[], datetime]

_CLOCKS_DIFFER: Final = timedelta(days=2)


def utc_now() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Found:
    """One trace, and the message that it came with."""

    slot: Slot
    message: Message
    provenance: Provenance
    trace: Trace


class Intake:
    """Decodes by the format of each topic, and buries what cannot be decoded."""

    def __init__(
        self, settings: Settings, output: Output, metrics: WorkerMetrics, now: Now = utc_now
    ) -> None:
        self._output = output
        self._metrics = metrics
        self._now = now
        self._max_bytes = settings.worker.max_trace_bytes
        self._formats: dict[str, tuple[str, Decode]] = {
            source.name: (_NAMES.get(source.format, source.format), decoder(source.format))
            for source in settings.kafka.sources
        }
        self._scored = settings.kafka.topic(topics.SCORED)
        self._dead = settings.kafka.topic(topics.DEAD)

    def read(self, slots: list[Slot], messages: list[Message]) -> list[Found]:
        """All traces of these messages, in order."""
        found = [
            item for slot, message in zip(slots, messages, strict=True) for item in self._read(slot, message)
        ]
        for form, count in Counter(item.provenance.format for item in found).items():
            self._metrics.decoded.labels(form).inc(count)
        return found

    def bury(self, slot: Slot, message: Message, reason: str, detail: str) -> None:
        """Send the dead letter for a message; its offset waits for the confirmation."""
        value, key, headers = letters.write(message, reason, detail, BY)
        self._output.send(slot, self._dead, value, key, headers)
        self._metrics.dead.labels(reason).inc()

    def _read(self, slot: Slot, message: Message) -> Iterator[Found]:
        value = message.value() or b""
        if len(value) > self._max_bytes:
            self.bury(slot, message, TOO_LARGE, f"{len(value)} bytes, over RAGPULSE_WORKER__MAX_TRACE_BYTES")
            return
        form, decode = self._formats[slot.partition[0]]
        try:
            items = decode(value)
        except (
            Exception
        ) as error:  # a format promises not to; one message must not stop the stream if it does
            self.bury(slot, message, DECODER_ERROR, f"{type(error).__name__}: {error}")
            return
        provenance = Provenance(*slot.partition, slot.offset, received_at(message, self._now()), form)
        for item in items:
            if isinstance(item, Trace):
                yield Found(slot, message, provenance, item)
            elif isinstance(item, LateFeedback):
                self._send_feedback(slot, message, item, provenance)
            else:
                self.bury(slot, message, item.reason, item.detail)

    def _send_feedback(
        self, slot: Slot, message: Message, late: LateFeedback, provenance: Provenance
    ) -> None:
        try:
            key, row = encode_feedback(late, provenance)
        except RowError as error:
            self.bury(slot, message, ROW_ERROR, str(error))
            return
        self._output.send(slot, self._scored, row, key, TO_FEEDBACK)
        self._metrics.feedback.inc()


def received_at(message: Message, now: datetime) -> datetime:
    """The broker's time of a message; `now` where it says none, or an absurd one."""
    try:
        said = datetime.fromtimestamp(message.timestamp()[1] / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return now
    return said if EARLIEST <= said <= now + _CLOCKS_DIFFER else now


__all__ = ["BY", "DECODER_ERROR", "ROW_ERROR", "Found", "Intake", "Now", "received_at", "utc_now"]
