"""One owner for each trace: spans that may lie in several partitions go through a topic keyed by trace id.

Spans of one trace come in several messages, and a Collector spreads messages over partitions, which
different workers read. So the worker that reads such a message cuts it by trace and sends each part on,
keyed by its trace id, to a topic that the same group reads: whoever owns a partition of it has whole
traces. The offset of the first message waits for the confirmation of all its parts, so nothing is lost
between the two.

The detour is left out where it would change nothing: the topic has one partition, or a message's key is
the trace id of all its spans (`partition_traces_by_id` of the Collector's Kafka exporter, which writes the
id as lower-case hex).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from schemas.row import Provenance
from stream import topics
from stream.errors import ServiceRefuses, ServiceUnreachable
from stream.kafka.admin import partition_counts
from stream.kafka.config import Message
from stream.kafka.ledger import Slot
from stream.kafka.producer import Headers, Output
from stream.settings import KafkaSettings, Settings
from stream.telemetry import WorkerMetrics
from stream.topics import SPANS_CUT, SPANS_FORMAT, SPANS_FROM

_ID_BYTES: Final = 16
_MANY: Final = 1 << 30
_ASK_S: Final = 2.0


class Partitions:
    """How many partitions a topic has; asked once, and again after the group has changed."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._known: dict[str, int] = {}

    def forget(self) -> None:
        """Something has changed: ask again when it matters."""
        self._known.clear()

    def __call__(self, topic: str) -> int:
        """The number; many where the broker does not say, which is the safe side."""
        if topic not in self._known:
            try:
                self._known = partition_counts(self._settings, _ASK_S)
            except (ServiceRefuses, ServiceUnreachable):
                return _MANY
        return self._known.get(topic, _MANY)


class Regrouper:
    """Decides whether a message's spans must change partition, and sends them on."""

    def __init__(
        self,
        settings: Settings,
        output: Output,
        metrics: WorkerMetrics,
        partitions: Callable[[str], int],
        on_first: Callable[[], None] = lambda: None,
    ) -> None:
        self.topic = settings.kafka.topic(topics.SPANS)
        self._partitioned = {source.name: source.partitioned for source in settings.kafka.sources}
        self._output = output
        self._metrics = metrics
        self._count = partitions
        self._on_first: Callable[[], None] | None = on_first

    def may_stay(self, topic: str) -> bool:
        """Whether all spans of a trace are known to lie in one partition of this topic."""
        said = self._partitioned.get(topic, "yes")
        return said == "yes" or (said == "auto" and self._count(topic) == 1)

    def stays(self, message: Message, parts: Mapping[str, bytes]) -> bool:
        """The same for one message, whose key may be the id of the only trace in it."""
        if self._partitioned.get(str(message.topic())) == "no":
            return False
        return not parts or (len(parts) == 1 and is_key_of(message.key(), next(iter(parts))))

    def send(self, slot: Slot, form: str, parts: Mapping[str, bytes], provenance: Provenance) -> None:
        """Send each part to its owner; the slot waits for all of them."""
        if self._on_first:
            self._on_first()
            self._on_first = None
        headers = write_headers(form, provenance)
        for trace_id, value in parts.items():
            self._output.send(slot, self.topic, value, trace_id.encode("utf-8", "replace"), headers)
        self._metrics.regrouped.inc(len(parts))


def is_key_of(key: bytes | str | None, trace_id: str) -> bool:
    """Whether a message's key is this trace id: in hex, as Collectors write it, or its bytes."""
    if not key or not trace_id:
        return False
    raw = key.encode() if isinstance(key, str) else key
    return raw.lower() == trace_id.encode() or (len(raw) == _ID_BYTES and raw.hex() == trace_id)


def write_headers(form: str, provenance: Provenance) -> Headers:
    """What a part remembers of the message that it was in: the row of its trace names that one."""
    at = provenance
    stamp = int(at.received_at.timestamp() * 1000)
    origin = f"{at.topic} {at.partition} {at.offset} {stamp} {at.format}"
    return [(SPANS_FORMAT, form.encode()), (SPANS_FROM, origin.encode())]


def cut_spans(value: bytes, headers: Headers, limit: int) -> tuple[bytes, Headers]:
    """Spans that do not fit the topic: nothing of them, and a header that says so to whoever reads it."""
    return b"", [*headers, (SPANS_CUT, b"1")]


__all__ = ["Partitions", "Regrouper", "cut_spans", "is_key_of", "write_headers"]
