"""A file of spans, read as traces: what one trace's spans say, wherever in the file they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Final

from schemas.formats import base
from schemas.formats.assembly import DEFAULT, NotRag, Segments
from schemas.formats.base import Decoded, Unreadable
from schemas.formats.foreign import SPAN_FORMATS, read_recognised, recognise
from schemas.formats.otlp import read_proto
from schemas.formats.own import decode_object, parse_json
from schemas.formats.span import Span
from stream.assembly.assembler import Assembler, Bounds, Gathered
from stream.assembly.finish import finish
from stream.files.convert import own_line
from stream.files.framing import BROKEN, Message
from stream.files.lines import FileDamaged, Line, size_of

AUTO: Final = "auto"
OPEN: Final = Bounds(spans=400_000)
"""A file holds everything it will ever hold: traces wait for its end, unless too much is open."""


class SpanFile:
    """Messages of spans as lines of traces. Iterate once.

    A trace is handed over when the file ends, in the order in which traces began, or earlier where too
    many spans are open. Each line carries the trace as own JSON. `left_out` counts, by reason, traces
    that ragpulse has nothing to say of.
    """

    def __init__(
        self,
        raw: BinaryIO,
        messages: Iterable[Message],
        name: str,
        format: str,
        longest: int,
        segments: Segments = DEFAULT,
    ) -> None:
        self.name = name
        self.size = size_of(raw)
        self.left_out: Counter[str] = Counter()
        self._raw = raw
        self._messages = messages
        self._format = format
        self._longest = longest
        self._segments = segments
        self._assembler: Assembler[int] = Assembler(lambda: 0.0, OPEN)

    def position(self) -> int:
        """Bytes of the file (as it lies on disk) that were read so far."""
        try:
            return self._raw.tell()
        except OSError:
            return 0

    def __iter__(self) -> Iterator[Line]:
        """Each trace, and each message that cannot be read. Raises FileDamaged, after what came before."""
        traces, number = 0, 0
        broken: Exception | None = None
        messages = iter(self._messages)
        while True:
            number += 1
            try:
                message = next(messages)
            except StopIteration:
                break
            except BROKEN as error:
                broken = error
                break
            found = self._read(message)
            if isinstance(found, list):
                ready = self._assembler.feed(found, number)
                decoded: list[Decoded] = [item for held in ready for item in self._finish(held)]
            else:
                decoded = [found]
            for item in decoded:
                traces += 1
                yield _line(number if isinstance(item, Unreadable) else traces, item)
        for held in self._assembler.flush():
            for item in self._finish(held):
                traces += 1
                yield _line(traces, item)
        if broken is not None:
            raise FileDamaged(
                f"{self.name} cannot be read beyond message {number - 1}: {broken}. "
                "It may have been cut off while it was copied."
            ) from broken

    def _read(self, message: Message) -> list[Span] | Decoded:
        if isinstance(message, Unreadable):
            return message
        if self._format != AUTO:
            return SPAN_FORMATS[self._format](message)
        if message.lstrip()[:1] not in (b"{", b"["):
            return read_proto(message)
        value = parse_json(message)
        return value if isinstance(value, Unreadable) else _read_parsed(value)

    def _finish(self, held: Gathered[int]) -> Iterator[Decoded]:
        item = finish(held, self._segments)
        if isinstance(item, NotRag):
            self.left_out[item.reason] += 1
        elif not isinstance(item, Unreadable) and len(own_line(item)) > self._longest:
            yield Unreadable(base.TOO_LARGE, f"trace {held.trace_id}: over {self._longest:,} bytes")
        else:
            yield item


def _read_parsed(value: Any) -> list[Span] | Decoded:
    name = recognise(value)
    if name is not None:
        return read_recognised(value, name)
    if isinstance(value, dict):
        return decode_object(value)
    return Unreadable(base.NOT_AN_OBJECT, f"JSON, but a {type(value).__name__}")


def _line(number: int, item: Decoded) -> Line:
    return Line(number, b"" if isinstance(item, Unreadable) else own_line(item).rstrip(b"\n"), [item])


__all__ = ["AUTO", "SpanFile"]
