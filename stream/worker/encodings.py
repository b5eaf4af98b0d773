"""What lies in a message: told by the topic's format, or found out from the bytes (`auto`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from schemas.formats import base
from schemas.formats.base import Unreadable
from schemas.formats.foreign import (
    OTLP_JSON,
    OTLP_LOGS_JSON,
    OTLP_LOGS_PROTO,
    OTLP_PROTO,
    SPAN_FORMATS,
    read_recognised,
    recognise,
)
from schemas.formats.own import parse_json
from schemas.formats.span import Span
from stream.assembly.splitting import NotSpans, looks_like_logs, pack, split_json, split_proto, unpack
from stream.files.framing import GZIP_MAGIC, ZSTD_MAGIC, decompress

AUTO: Final = "auto"
OWN: Final = "ragpulse"
PACKED: Final = "spans"
"""Spans that were read once and packed, on our own topic alone."""
_MAGIC: Final = (GZIP_MAGIC, ZSTD_MAGIC)
_MAY_BE_EMPTY: Final = (OTLP_JSON, OTLP_LOGS_JSON, OTLP_LOGS_PROTO)
_PROTO_FIRST: Final = b"\x0a"
"""The tag of the first field of an OTLP message: resource spans."""
_JSON_FIRST: Final = (b"{", b"[")
_HEAD_BYTES: Final = 64
_BLANK: Final = b" \t\r\n"


@dataclass(slots=True, frozen=True)
class Opened:
    """A message without its wrappings. `form` is the name of its format; `value` its JSON, if parsed."""

    form: str
    body: bytes
    value: Any = None


def is_plainly_own(data: bytes) -> bool:
    """Whether an `auto` message begins as our own JSON does. Cheap; what it says is only a first try."""
    begin = 5 if data[:1] == b"\0" else 0
    return data[begin : begin + 1] == b"{" and b"esource" not in data[:_HEAD_BYTES]


def open_message(data: bytes, format: str, longest: int) -> Opened | Unreadable:
    """Take a message out of its wrappings (gzip, zstd, Confluent's five bytes) and name its format."""
    if not data:
        return Unreadable(base.EMPTY, "no bytes")
    if data.startswith(_MAGIC):
        unpacked = decompress(data, longest)
        if isinstance(unpacked, Unreadable):
            return unpacked
        data = unpacked
    data = without_wire_header(data)
    if format != AUTO:
        if format in (OTLP_PROTO, OTLP_LOGS_PROTO) and data[:1] != _PROTO_FIRST:
            return Unreadable(base.NOT_OTLP, "it does not begin as OTLP protobuf does")
        return Opened(format, data)
    return _recognise(data)


def without_wire_header(data: bytes) -> bytes:
    """The payload behind Confluent's zero byte and schema id (and, for protobuf, its message index)."""
    if data[:1] != b"\0" or len(data) < 7:
        return data
    body = data[5:]
    if body.lstrip(_BLANK)[:1] in _JSON_FIRST:
        return body
    return body[1:] if body[:2] == b"\0\x0a" else data


def _recognise(data: bytes) -> Opened | Unreadable:
    if data[:1] == _PROTO_FIRST:
        try:
            split_proto(data)
            return Opened(OTLP_LOGS_PROTO if looks_like_logs(data) else OTLP_PROTO, data)
        except NotSpans:
            pass  # a line end before JSON is the same byte
    begin = data[: _HEAD_BYTES * 4].lstrip(_BLANK)
    if begin[:1] not in _JSON_FIRST:
        begin = (
            data[: _HEAD_BYTES * 4].decode("utf-8-sig", "replace").encode("utf-8", "replace").lstrip(_BLANK)
        )
    if begin[:1] not in _JSON_FIRST:
        return Unreadable(base.UNKNOWN_ENCODING, f"it begins with {data[:16]!r}")
    value = parse_json(data)
    if isinstance(value, Unreadable):
        return value
    return Opened(recognise(value) or OWN, data, value)


def read_spans(opened: Opened) -> list[Span] | Unreadable:
    """All spans of a message, of any number of traces. Never raises."""
    if opened.form == PACKED:
        try:
            return unpack(opened.body)
        except NotSpans as error:
            return Unreadable(base.NOT_OTLP, str(error)[:300])
    if opened.value is not None:
        found = read_recognised(opened.value, opened.form)
    else:
        found = SPAN_FORMATS[opened.form](opened.body)
    if not found and isinstance(found, list) and not _holds_no_spans(opened):
        return Unreadable(base.NOT_OTLP, "no spans in it")
    return found


def _holds_no_spans(opened: Opened) -> bool:
    """Whether a message without spans is one all the same: a Collector may send an empty one."""
    try:
        return opened.form in _MAY_BE_EMPTY or not split_proto(opened.body)
    except NotSpans:
        return False


def split(opened: Opened) -> dict[str, bytes] | Unreadable:
    """A message by trace id, each part in the format `split_form` says. Never raises."""
    try:
        if opened.form == OTLP_PROTO:
            return split_proto(opened.body)
        if opened.form == OTLP_JSON:
            value = parse_json(opened.body) if opened.value is None else opened.value
            return value if isinstance(value, Unreadable) else split_json(value)
    except (NotSpans, AttributeError, TypeError, KeyError) as error:
        return Unreadable(base.NOT_OTLP, f"{type(error).__name__}: {error}"[:300])
    spans = read_spans(opened)
    return spans if isinstance(spans, Unreadable) else pack(spans)


def split_form(form: str) -> str:
    """The format of what `split` makes of a message."""
    return form if form in (OTLP_PROTO, OTLP_JSON) else PACKED


__all__ = [
    "AUTO", "OWN", "PACKED", "Opened", "is_plainly_own", "open_message", "read_spans", "split", "split_form",
    "without_wire_header",
]  # fmt: skip
