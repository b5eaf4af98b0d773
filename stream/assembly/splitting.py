"""One message of many traces, cut into one message a trace, without reading the spans themselves.

Protobuf is cut along its lengths: each span's bytes are copied as they are, under the resource and scope
that they stood in. Nothing is decoded but the trace ids, so a cut costs a small part of what reading does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

import orjson

from schemas.formats.otlp.as_json import read_id
from schemas.formats.span import Event, Span
from schemas.tame import tame

_RESOURCE_SPANS, _SCOPE_SPANS, _SPANS = 1, 2, 2
_TRACE_ID: Final = 1
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_OUTER_TAG: Final = b"\x0a"
_SCOPE_TAG: Final = b"\x12"
_ID_FIRST: Final = b"\x0a\x10"
"""How a span begins that every writer we know writes: its trace id, of 16 bytes."""
_MOST_VARINT_BYTES: Final = 10
_LOG_FIRST: Final = (0x09, 0x59, 0x10)
"""Tags that a log record begins with: its time, the time it was seen, its severity."""
_WRITTEN: Final = tuple(field.name for field in fields(Span) if field.init)


class NotSpans(ValueError):
    """Bytes, or JSON, that are no OTLP spans."""


def split_proto(data: bytes) -> dict[str, bytes]:
    """An OTLP message by trace id (lower-case hex, empty where a span has none). Raises NotSpans."""
    whole: dict[str, list[bytes]] = defaultdict(list)
    for number, kind, _, begin, end in _fields(data, 0, len(data)):
        if number != _RESOURCE_SPANS or kind != _BYTES:
            raise NotSpans(f"field {number} at the top")
        for trace_id, part in _split_resource(data, begin, end).items():
            whole[trace_id].append(_OUTER_TAG + _length(len(part)) + part)
    if len(whole) == 1:
        return {next(iter(whole)): data}
    return {trace_id: b"".join(parts) for trace_id, parts in whole.items()}


def looks_like_logs(data: bytes) -> bool:
    """Whether a message with the outline of spans holds log records, which begin with a time, not an id.

    Raises NotSpans.
    """
    for _, _, _, begin, end in _fields(data, 0, len(data)):
        for number, kind, _, at, stop in _fields(data, begin, end):
            if number == _SCOPE_SPANS and kind == _BYTES:
                for inner, held, _, first, _ in _fields(data, at, stop):
                    if inner == _SPANS and held == _BYTES:
                        return data[first] in _LOG_FIRST
    return False


def _split_resource(data: bytes, begin: int, end: int) -> dict[str, bytes]:
    around: list[bytes] = []
    inside: dict[str, list[bytes]] = defaultdict(list)
    for number, kind, start, at, stop in _fields(data, begin, end):
        if number == _SCOPE_SPANS and kind == _BYTES:
            for trace_id, part in _split_scope(data, at, stop).items():
                inside[trace_id].append(_SCOPE_TAG + _length(len(part)) + part)
        else:
            around.append(data[start:stop])
    shared = b"".join(around)
    return {trace_id: shared + b"".join(parts) for trace_id, parts in inside.items()}


def _split_scope(data: bytes, begin: int, end: int) -> dict[str, bytes]:
    around: list[bytes] = []
    inside: dict[str, list[bytes]] = defaultdict(list)
    for number, kind, start, at, stop in _fields(data, begin, end):
        if number == _SPANS and kind == _BYTES:
            inside[_trace_id(data, at, stop)].append(data[start:stop])
        else:
            around.append(data[start:stop])
    shared = b"".join(around)
    return {trace_id: shared + b"".join(parts) for trace_id, parts in inside.items()}


def _trace_id(data: bytes, begin: int, end: int) -> str:
    if data[begin : begin + 2] == _ID_FIRST:
        return data[begin + 2 : begin + 18].hex()
    for number, kind, _, at, stop in _fields(data, begin, end):
        if number == _TRACE_ID and kind == _BYTES:
            return data[at:stop].hex()
    return ""


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Number, wire type, and where the tag begins, the value begins, the value ends. Raises NotSpans."""
    while at < end:
        start = at
        tag, at = _varint(data, at, end)
        kind = tag & 7
        if kind == _BYTES:
            size, at = _varint(data, at, end)
            stop = at + size
        elif kind == _VARINT:
            stop = _varint(data, at, end)[1]
        elif kind == _FIXED64:
            stop = at + 8
        elif kind == _FIXED32:
            stop = at + 4
        else:
            raise NotSpans(f"wire type {kind} at byte {start}")
        if stop > end or not tag >> 3:
            raise NotSpans(f"a field at byte {start} that ends behind its message")
        yield tag >> 3, kind, start, at, stop
        at = stop


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    number = shift = 0
    for i in range(at, min(end, at + _MOST_VARINT_BYTES)):
        byte = data[i]
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, i + 1
        shift += 7
    raise NotSpans(f"a number at byte {at} that does not end")


def _length(size: int) -> bytes:
    found = bytearray()
    while size > 0x7F:
        found.append(size & 0x7F | 0x80)
        size >>= 7
    found.append(size)
    return bytes(found)


def split_json(value: Mapping[str, Any]) -> dict[str, bytes]:
    """The same for OTLP JSON that is already parsed. Raises NotSpans."""
    outer = _name_of(value, "resourceSpans", "resource_spans")
    whole: dict[str, list[Any]] = defaultdict(list)
    for group in _dicts(value[outer]):
        inner = _name_of(group, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")
        inside: dict[str, list[Any]] = defaultdict(list)
        for scope in _dicts(group[inner]):
            spans: dict[str, list[Any]] = defaultdict(list)
            for span in _dicts(scope.get("spans")):
                spans[read_id(span.get("traceId", span.get("trace_id")))].append(span)
            for trace_id, held in spans.items():
                inside[trace_id].append({**scope, "spans": held})
        for trace_id, scopes in inside.items():
            whole[trace_id].append({**group, inner: scopes})
    return {trace_id: _dump({outer: groups}) for trace_id, groups in whole.items()}


def _name_of(value: Mapping[str, Any], *names: str) -> str:
    name = next((name for name in names if isinstance(value.get(name), list)), None)
    if name is None:
        raise NotSpans(f"no {names[0]}")
    return name


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def pack(spans: Sequence[Span]) -> dict[str, bytes]:
    """Spans that are read already, as bytes of our own, by trace id."""
    whole: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        whole[span.trace_id].append(span)
    return {trace_id: _dump([_plain(span) for span in held]) for trace_id, held in whole.items()}


def _plain(span: Span) -> dict[str, Any]:
    found = {name: getattr(span, name) for name in _WRITTEN}
    found["attributes"], found["resource"] = dict(span.attributes), dict(span.resource)
    found["events"] = [(event.name, event.time_ns, dict(event.attributes)) for event in span.events]
    return found


def unpack(data: bytes) -> list[Span]:
    """What `pack` made. Raises NotSpans."""
    try:
        return [_full(held) for held in orjson.loads(data)]
    except (AttributeError, TypeError, ValueError) as error:
        raise NotSpans(str(error)) from error


def _full(held: dict[str, Any]) -> Span:
    events = tuple(Event(*event) for event in held.pop("events", ()))
    return Span(**held, events=events)


def _dump(value: Any) -> bytes:
    try:
        return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:  # numbers beyond 64 bits, half characters
        return orjson.dumps(tame(value, keep_digits=True), default=str, option=orjson.OPT_NON_STR_KEYS)


__all__ = ["NotSpans", "looks_like_logs", "pack", "split_json", "split_proto", "unpack"]
