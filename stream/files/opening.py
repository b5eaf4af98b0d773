"""Opens a file of traces in whatever format: told, or found out from its first bytes."""

from __future__ import annotations

import io
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import BinaryIO, Final, cast

from schemas.formats import decoder
from schemas.formats.assembly import DEFAULT, Segments
from schemas.formats.base import TOO_LARGE, Unreadable
from schemas.formats.foreign import OTLP_PROTO, SPAN_FORMATS, recognise
from schemas.formats.own import parse_json
from stream.files.framing import (
    BROKEN,
    HEAD_BYTES,
    Framing,
    Message,
    Plain,
    guess_framing,
    open_compressed,
    read_frames,
)
from stream.files.lines import Lines, TraceFile, open_raw
from stream.files.spans import AUTO, SpanFile

OWN: Final = "ragpulse"
FORMATS: Final = (AUTO, OWN, *SPAN_FORMATS)
"""What `--format` may be."""
MESSAGE_BYTES: Final = 64 * 1024 * 1024
"""A message of spans may be larger than a trace: it holds many."""
OpenSpans = Callable[[BinaryIO, Iterable[Message], str, str], SpanFile]
_GOES_ON: Final = (b"{", b"[", b",")
"""How the first line of a document over many lines ends: a broken line of its own does not."""
_TRIED_LINES: Final = 20
"""So many lines may be damaged before a file counts as own JSON."""
DOCUMENT_BYTES: Final = 512 * 1024 * 1024
"""A document is read as a whole."""


@contextmanager
def open_any(path: str, format: str, longest: int, segments: Segments = DEFAULT) -> Iterator[Lines]:
    """A file of traces, or standard input for `-`. `longest`: bytes of one trace. Raises FileProblem."""
    spans = partial(SpanFile, longest=longest, segments=segments)
    with open_raw(path) as (raw, name):
        if format == OWN:
            yield TraceFile(raw, name, decoder(OWN), longest)
            return
        try:
            file = _find_out(raw, open_compressed(raw, name), name, format, longest, spans)
        except BROKEN as error:
            file = spans(raw, _broken(error), name, AUTO)
        yield file


def _find_out(raw: BinaryIO, plain: Plain, name: str, format: str, longest: int, spans: OpenSpans) -> Lines:
    framing = guess_framing(plain.peek(HEAD_BYTES)[:HEAD_BYTES])
    if framing is Framing.FRAMES:
        return spans(raw, read_frames(plain, MESSAGE_BYTES), name, format)
    if framing is Framing.MESSAGE or format == OTLP_PROTO:
        return spans(raw, _whole(plain.read(DOCUMENT_BYTES + 1)), name, format)
    return _open_json(raw, plain, name, format, longest, spans)


def _broken(error: Exception) -> Iterator[Message]:
    """A file that breaks off before it says anything: told by whoever reads it."""
    yield from _raise(error)


def _raise(error: Exception) -> Iterator[Message]:
    raise error


def _open_json(raw: BinaryIO, plain: Plain, name: str, format: str, longest: int, spans: OpenSpans) -> Lines:
    """JSON lines, or one JSON document over many lines. A format that was named is not doubted."""
    first = plain.readline(MESSAGE_BYTES + 1).removeprefix(BOM_UTF8)
    while first and first.isspace():
        first = plain.readline(MESSAGE_BYTES + 1)
    begun, value = [first], _parsed(first)
    if value is None and first.lstrip()[:1] in (b"{", b"[") and first.rstrip().endswith(_GOES_ON):
        whole = first + plain.read(DOCUMENT_BYTES - len(first) + 1)
        value = _parsed(whole)
        if value is not None and (format != AUTO or recognise(value) is not None):
            return spans(raw, _whole(whole), name, format)
        begun = whole.splitlines(keepends=True)
    if value is None and format == AUTO:
        value = _look_further(begun, plain)
    if format == AUTO and (value is None or recognise(value) is None):
        return _own(raw, b"".join(begun), plain, name, longest)
    return spans(raw, _lines(begun, plain), name, format)


def _look_further(begun: list[bytes], plain: Plain) -> object | None:
    """The first line behind a damaged one that is JSON, as in a log that was cut in its middle."""
    for at in range(1, _TRIED_LINES):
        if at == len(begun):
            if not begun[-1] or sum(map(len, begun)) > MESSAGE_BYTES:
                return None
            begun.append(plain.readline(MESSAGE_BYTES + 1))
        if (value := _parsed(begun[at])) is not None:
            return value
    return None


def _own(raw: BinaryIO, begun: bytes, plain: Plain, name: str, longest: int) -> Lines:
    return TraceFile(cast(BinaryIO, Rewound(begun, plain, raw)), name, decoder(OWN), longest)


def _parsed(data: bytes) -> object | None:
    found: object = parse_json(data)
    return None if isinstance(found, Unreadable) else found


def _whole(data: bytes) -> Iterator[Message]:
    if len(data) > DOCUMENT_BYTES:
        yield Unreadable(TOO_LARGE, f"one document of more than {DOCUMENT_BYTES:,} bytes")
    else:
        yield data


def _lines(begun: list[bytes], plain: Plain) -> Iterator[Message]:
    """Lines that were read already, and those behind them."""
    for line in chain(begun, iter(partial(plain.readline, MESSAGE_BYTES + 1), b"")):
        if len(line) > MESSAGE_BYTES:
            yield Unreadable(TOO_LARGE, f"more than {MESSAGE_BYTES:,} bytes in one line")
            rest = line
            while rest and not rest.endswith(b"\n"):
                rest = plain.readline(1 << 20)
        elif line and not line.isspace():
            yield line


class Rewound(io.RawIOBase):
    """A stream with its beginning put back; where it is in the file below is told by that file."""

    def __init__(self, begun: bytes, rest: Plain, below: BinaryIO) -> None:
        self._begun = memoryview(begun)
        self._rest, self._below = rest, below

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def seekable(self) -> bool:
        """Whether the file below has a size."""
        return self._below.seekable()

    def fileno(self) -> int:
        """Of the file below."""
        return self._below.fileno()

    def tell(self) -> int:
        """Of the file below."""
        return self._below.tell()

    def readinto(self, target: object, /) -> int:
        """The beginning first, then the rest."""
        room = memoryview(cast(bytearray, target)).cast("B")
        data: bytes | memoryview
        if self._begun:
            data, self._begun = self._begun[: len(room)], self._begun[len(room) :]
        else:
            data = self._rest.read(len(room))
        room[: len(data)] = data
        return len(data)


__all__ = ["FORMATS", "OWN", "open_any"]
