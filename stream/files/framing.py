"""Where a message ends in a file of spans: lines, length-prefixed frames, one document, one message.

The Collector's file exporter writes JSON lines; with `format: proto`, or with any compression, it
writes each message behind its length (4 bytes, big-endian), compressed on its own.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from enum import StrEnum
from typing import BinaryIO, Final, Protocol, cast

from backports import zstd

from schemas.formats.base import NOT_OTLP, TOO_LARGE, Unreadable
from stream.files.lines import FileProblem

GZIP_MAGIC: Final = b"\x1f\x8b"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
HEAD_BYTES: Final = 64 * 1024
_LENGTH_BYTES: Final = 4
_PROTO_FIRST: Final = 0x0A
"""The tag of a message's first field: resource spans."""
_PIECE_BYTES: Final = 1 << 20

Message = bytes | Unreadable
BROKEN: Final = (EOFError, zlib.error, zstd.ZstdError, OSError)
"""What reading a file that was cut off, or damaged, raises."""


class Plain(Protocol):
    """Decompressed bytes, read from front to back."""

    def peek(self, size: int, /) -> bytes:
        """What comes next, without taking it."""

    def read(self, size: int, /) -> bytes:
        """What comes next."""

    def readline(self, size: int, /) -> bytes:
        """The next line, or `size` bytes of it."""


class Framing(StrEnum):
    """How messages follow one another."""

    LINES = "lines"
    FRAMES = "frames"
    MESSAGE = "message"


def open_compressed(raw: BinaryIO, name: str) -> Plain:
    """The bytes of a file, decompressed where they are gzip or zstd as a whole. Raises FileProblem."""
    buffered = io.BufferedReader(cast(io.RawIOBase, raw), _PIECE_BYTES)
    try:
        begin = buffered.peek(len(ZSTD_MAGIC))
    except OSError as error:
        raise FileProblem(f"{name} cannot be read: {error.strerror}.") from error
    if begin.startswith(GZIP_MAGIC):
        return cast(Plain, gzip.GzipFile(fileobj=buffered))
    if begin.startswith(ZSTD_MAGIC):
        return cast(Plain, zstd.ZstdFile(buffered))
    return cast(Plain, buffered)


def guess_framing(head: bytes) -> Framing:
    """From the first bytes of a file, decompressed."""
    if head[:1] == bytes([_PROTO_FIRST]) and head.lstrip()[:1] not in (b"{", b"["):
        return Framing.MESSAGE
    body = head[_LENGTH_BYTES:]
    begins = body[:1] in (bytes([_PROTO_FIRST]), b"{") or body.startswith((ZSTD_MAGIC, GZIP_MAGIC))
    if head[:1] in (b"\x00", b"\x01") and begins:
        return Framing.FRAMES
    return Framing.LINES


def read_frames(stream: Plain, longest: int) -> Iterator[Message]:
    """Messages behind their lengths, each decompressed. A length that cannot be ends the file."""
    while True:
        prefix = stream.read(_LENGTH_BYTES)
        if not prefix:
            return
        size = int.from_bytes(prefix, "big")
        if len(prefix) < _LENGTH_BYTES or size > longest:
            yield Unreadable(
                TOO_LARGE, f"a length of {size:,} bytes, over {longest:,}: the framing is lost here"
            )
            return
        data = stream.read(size)
        if len(data) < size:
            yield Unreadable(
                NOT_OTLP, f"the file ends {size - len(data):,} bytes before its last message does"
            )
            return
        yield decompress(data, longest)


def decompress(data: bytes, longest: int) -> Message:
    """One message, decompressed where it is compressed; bounded, whatever it claims."""
    try:
        if data.startswith(ZSTD_MAGIC):
            plain = zstd.ZstdDecompressor().decompress(data, longest + 1)
        elif data.startswith(GZIP_MAGIC):
            plain = zlib.decompressobj(wbits=31).decompress(data, longest + 1)
        else:
            return data
    except (zstd.ZstdError, zlib.error, EOFError) as error:
        return Unreadable(NOT_OTLP, f"a compressed message cannot be read: {error}")
    if len(plain) > longest:
        return Unreadable(TOO_LARGE, f"more than {longest:,} bytes in one message, decompressed")
    return plain


__all__ = [
    "BROKEN", "GZIP_MAGIC", "HEAD_BYTES", "ZSTD_MAGIC", "Framing", "Message", "Plain", "decompress",
    "guess_framing",
    "open_compressed", "read_frames",
]  # fmt: skip
