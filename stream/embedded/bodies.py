"""Request bodies of the engine's front: sized or chunked, plain or compressed, in bounded pieces."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser
from io import BufferedIOBase
from typing import Any, Final

PIECE: Final = 1024 * 1024


class BadBody(Exception):
    """The body cannot be read as its headers say."""


def read_body(source: BufferedIOBase, headers: Message) -> Iterator[bytes]:
    """The body in pieces of at most 1 MiB on the wire, decompressed. Raises BadBody while it is read."""
    encoding = (headers.get("Content-Encoding") or "identity").lower()
    if "chunked" in (headers.get("Transfer-Encoding") or "").lower():
        pieces = _chunked(source)
    else:
        pieces = _sized(source, _length(headers))
    return pieces if encoding == "identity" else _decompressed(pieces, encoding)


def read_form(body: bytes, content_type: str) -> dict[str, str]:
    """The text fields of a multipart form."""
    form = BytesParser().parsebytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body)
    if not form.is_multipart():
        raise BadBody("the form cannot be read")
    fields: dict[str, str] = {}
    for part in form.get_payload():
        assert isinstance(part, Message)
        name = part.get_param("name", header="content-disposition")
        payload = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(payload, bytes):
            fields[name] = payload.decode()
    return fields


def _length(headers: Message) -> int:
    said = headers.get("Content-Length") or "0"
    if not said.isdigit():
        raise BadBody(f"Content-Length {said!r} is no length")
    return int(said)


def _sized(source: BufferedIOBase, length: int) -> Iterator[bytes]:
    while length > 0:
        piece = source.read(min(PIECE, length))
        if not piece:
            raise BadBody("the body ended early")
        length -= len(piece)
        yield piece


def _chunked(source: BufferedIOBase) -> Iterator[bytes]:
    while True:
        line = source.readline(1024)
        try:
            size = int(line.split(b";")[0], 16)
        except ValueError:
            raise BadBody("the chunked body is malformed") from None
        if size == 0:
            while source.readline(PIECE) not in (b"\r\n", b"\n", b""):
                pass
            return
        yield from _sized(source, size)
        source.readline(2)


def _decompressed(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    expand = _decompressor(encoding)
    for piece in pieces:
        try:
            data = expand(piece)
        except Exception as error:
            raise BadBody(f"the body is not {encoding}: {error}") from error
        if data:
            yield data


def _decompressor(encoding: str) -> Any:
    if encoding in ("gzip", "deflate"):
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress
    if encoding == "lz4":
        import lz4.frame

        return lz4.frame.LZ4FrameDecompressor().decompress
    if encoding == "zstd":
        from backports import zstd

        return zstd.ZstdDecompressor().decompress
    raise BadBody(f"Content-Encoding {encoding} is not known here")


__all__ = ["PIECE", "BadBody", "read_body", "read_form"]
