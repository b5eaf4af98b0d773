"""From messages to traces. Late feedback and what is unreadable leave from here; nothing is dropped.

A message holds one trace in our own JSON, or spans of any number of traces. Spans whose trace may have
others in another partition are sent on to its owner; the others wait in their lane (`Assembly`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar

from schemas.formats import Decode, Decoded, Unreadable, decoder
from schemas.formats.base import NO_TRACE_ID, TOO_LARGE
from schemas.formats.span import Span
from schemas.row import EARLIEST, Provenance
from schemas.trace import LateFeedback, Trace
from stream.kafka.config import Message
from stream.kafka.ledger import Slot
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.topics import SPANS_CUT, SPANS_FORMAT, SPANS_FROM
from stream.worker.aside import BY, ROW_ERROR, Aside
from stream.worker.assembling import Assembly, Part
from stream.worker.encodings import (
    AUTO,
    OWN,
    Opened,
    is_plainly_own,
    open_message,
    read_spans,
    split,
    split_form,
)
from stream.worker.found import Found
from stream.worker.regrouping import Regrouper

DECODER_ERROR: Final = "decoder_error"
"""Reason of a dead letter on whose bytes the decoder itself failed."""
Now = Callable[[], datetime]
T = TypeVar("T")

_CLOCKS_DIFFER: Final = timedelta(days=2)


def utc_now() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)


class Intake:
    """Decodes by the format of each topic, and buries what cannot be decoded."""

    def __init__(
        self,
        settings: Settings,
        aside: Aside,
        assembly: Assembly,
        regrouper: Regrouper,
        metrics: WorkerMetrics,
        now: Now = utc_now,
    ) -> None:
        self.bury = aside.bury
        self._aside = aside
        self._assembly = assembly
        self._regrouper = regrouper
        self._metrics = metrics
        self._now = now
        self._max_bytes = settings.worker.max_trace_bytes
        self._formats = {source.name: source.format for source in settings.kafka.sources}
        self._decoders: dict[str, Decode] = {
            source.name: decoder(source.format)
            for source in settings.kafka.sources
            if source.format in (AUTO, OWN)
        }

    def read(self, slots: list[Slot], messages: list[Message]) -> list[Found]:
        """All traces of these messages that are complete in themselves, in order."""
        found = [
            item for slot, message in zip(slots, messages, strict=True) for item in self._read(slot, message)
        ]
        self._count(found)
        return found

    def recall(self, message: Message) -> None:
        """Take in a message that was done before, for the traces of it that go on behind it."""
        self._metrics.read_again.inc()
        value = message.value() or b""
        outcome = self._decode(message, value) if len(value) <= self._max_bytes else []
        if isinstance(outcome, Opened):
            spans = self._stay(message, outcome)
            if isinstance(spans, list):
                self._feed(None, message, outcome, spans)

    def due(self) -> list[Found]:
        """The traces that are complete by now, out of spans that came before."""
        found = self._assembly.due()
        self._count(found)
        return found

    def _count(self, found: list[Found]) -> None:
        for form, count in Counter(item.provenance.format for item in found).items():
            self._metrics.decoded.labels(form).inc(count)

    def _read(self, slot: Slot, message: Message) -> Iterator[Found]:
        value = message.value() or b""
        if len(value) > self._max_bytes:
            self.bury(slot, message, TOO_LARGE, f"{len(value)} bytes, over RAGPULSE_WORKER__MAX_TRACE_BYTES")
            return
        outcome = self._decode(message, value)
        if isinstance(outcome, Opened):
            self._read_spans(slot, message, outcome)
            return
        provenance = self._provenance(message, OWN)
        for item in outcome:
            if isinstance(item, Trace):
                yield Found(slot, message, provenance, item)
            elif isinstance(item, LateFeedback):
                self._aside.send_feedback(slot, message, item, provenance)
            else:
                self.bury(slot, message, item.reason, item.detail)

    def _decode(self, message: Message, value: bytes) -> list[Decoded] | Opened:
        """What is in a message: our own JSON, read; or spans, not read yet. Never raises."""
        opened = _attempt(lambda: self._open(message, value))
        return [opened] if isinstance(opened, Unreadable) else opened

    def _open(self, message: Message, value: bytes) -> list[Decoded] | Opened | Unreadable:
        topic = str(message.topic())
        form = self._formats.get(topic)
        if form is None:
            return self._open_regrouped(message, value)
        decode = self._decoders.get(topic)
        if decode is None:
            return open_message(value, form, self._max_bytes)
        if form == OWN or is_plainly_own(value):
            items = decode(value)
            if form == OWN or not (len(items) == 1 and isinstance(items[0], Unreadable)):
                return items
            opened = open_message(value, form, self._max_bytes)
            return opened if isinstance(opened, Opened) and opened.form != OWN else items
        opened = open_message(value, form, self._max_bytes)
        return decode(opened.body) if isinstance(opened, Opened) and opened.form == OWN else opened

    def _open_regrouped(self, message: Message, value: bytes) -> Opened | Unreadable:
        headers = _headers(message)
        if SPANS_CUT in headers:
            origin = headers.get(SPANS_FROM, b"").decode("utf-8", "replace")
            return Unreadable(TOO_LARGE, f"spans that did not fit the topic; they are in message {origin}")
        form = headers.get(SPANS_FORMAT, AUTO.encode()).decode("utf-8", "replace")
        return open_message(value, AUTO, self._max_bytes) if form == AUTO else Opened(form, value)

    # Spans.

    def _read_spans(self, slot: Slot, message: Message, opened: Opened) -> None:
        spans = self._stay(message, opened, slot)
        if isinstance(spans, Unreadable):
            self.bury(slot, message, spans.reason, spans.detail)
        elif spans is not None:
            named = [span for span in spans if span.trace_id]
            if len(named) < len(spans):
                self.bury(slot, message, NO_TRACE_ID, f"{len(spans) - len(named)} spans without a trace id")
            self._metrics.spans_received.labels(opened.form).inc(len(spans))
            self._feed(slot, message, opened, named)

    def _stay(
        self, message: Message, opened: Opened, slot: Slot | None = None
    ) -> list[Span] | Unreadable | None:
        """The spans of a message whose traces are ours; null where they were sent on to their owners."""
        topic = str(message.topic())
        if topic != self._regrouper.topic and not self._regrouper.may_stay(topic):
            parts = _attempt(lambda: split(opened))
            if isinstance(parts, Unreadable):
                return parts
            if not self._regrouper.stays(message, parts):
                if slot is not None:
                    self._send_on(slot, message, opened, parts)
                return None
        return _attempt(lambda: read_spans(opened))

    def _send_on(self, slot: Slot, message: Message, opened: Opened, parts: dict[str, bytes]) -> None:
        if parts.pop("", None) is not None:
            self.bury(slot, message, NO_TRACE_ID, "spans without a trace id")
        form = split_form(opened.form)
        self._regrouper.send(slot, form, parts, self._provenance(message, opened.form))

    def _feed(self, slot: Slot | None, message: Message, opened: Opened, spans: list[Span]) -> None:
        if spans:
            at, now = (str(message.topic()), int(message.partition() or 0)), self._now()
            part = Part(slot, message, self._provenance(message, opened.form))
            stamp = min(received_at(message, now), now).timestamp()
            self._assembly.feed(at, int(message.offset() or 0), stamp, part, spans)

    def _provenance(self, message: Message, form: str) -> Provenance:
        """Where a message came from: for spans that were sent on, the message that they were in first."""
        topic, partition, offset = (
            str(message.topic()),
            int(message.partition() or 0),
            int(message.offset() or 0),
        )
        received = received_at(message, self._now())
        if topic == self._regrouper.topic:
            return read_origin(_headers(message)) or Provenance(topic, partition, offset, received, form)
        return Provenance(topic, partition, offset, received, form)


def _attempt(read: Callable[[], T]) -> T | Unreadable:
    """What a format makes of a message. It promises to read anything; if it does not, no stream stops."""
    try:
        return read()
    except Exception as error:
        return Unreadable(DECODER_ERROR, f"{type(error).__name__}: {error}"[:300])


def read_origin(headers: dict[str, bytes]) -> Provenance | None:
    """What a regrouped message says of the one that its spans came in; null where it does not."""
    try:
        topic, partition, offset, stamp, form = headers[SPANS_FROM].decode().split(" ")
        moment = datetime.fromtimestamp(int(stamp) / 1000, UTC)
        return Provenance(topic, int(partition), int(offset), moment, form)
    except (KeyError, ValueError, OverflowError, OSError):
        return None


def _headers(message: Message) -> dict[str, bytes]:
    pairs: Any = message.headers() or ()
    return {name: value or b"" for name, value in pairs}


def received_at(message: Message, now: datetime) -> datetime:
    """The broker's time of a message; `now` where it says none, or an absurd one."""
    try:
        said = datetime.fromtimestamp(message.timestamp()[1] / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return now
    return said if EARLIEST <= said <= now + _CLOCKS_DIFFER else now


__all__ = ["BY", "DECODER_ERROR", "ROW_ERROR", "Found", "Intake", "Now", "received_at", "utc_now"]
