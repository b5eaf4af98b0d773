"""OTLP protobuf: one export request, to spans. With `mending`, the only file that speaks protobuf."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from schemas.formats import base
from schemas.formats.base import Unreadable
from schemas.formats.otlp.mending import mend
from schemas.formats.shape import KNOWN_NAMES, learn_name
from schemas.formats.span import Event, Span

_MAX_DEPTH: Final = 24
_MOST_RESOURCES: Final = 1_000
_LARGEST_RESOURCE: Final = 4_096
"""Bytes."""
_resources: dict[bytes, dict[str, Any]] = {}


def read_proto(data: bytes) -> list[Span] | Unreadable:
    """The spans of one message. `TracesData` has the same bytes. Never raises."""
    if not data:
        return Unreadable(base.EMPTY, "no bytes")
    try:
        return _read(_parse(data))
    except DecodeError as error:
        return Unreadable(base.NOT_OTLP, f"not an OTLP export request: {error}")
    except (UnicodeDecodeError, RecursionError) as error:
        return Unreadable(base.NOT_OTLP, f"{type(error).__name__}: {error}"[:200])


def _parse(data: bytes) -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    try:
        request.ParseFromString(data)
    except DecodeError:
        request.ParseFromString(mend(data))
    return request


def _read(request: ExportTraceServiceRequest) -> list[Span]:
    spans: list[Span] = []
    for group in request.resource_spans:
        resource = _resource(group.resource)
        for scoped in group.scope_spans:
            scope = scoped.scope.name
            for span in scoped.spans:
                spans.append(_span(span, resource, scope))
    return spans


def _resource(resource: Any) -> dict[str, Any]:
    """What a service says of itself: the same in all its messages, so that their spans share it."""
    written: bytes = resource.SerializeToString()
    found = _resources.get(written)
    if found is None:
        found = read_pairs(resource.attributes)
        if len(written) <= _LARGEST_RESOURCE:
            if len(_resources) >= _MOST_RESOURCES:
                _resources.clear()
            _resources[written] = found
    return found


def _span(span: Any, resource: dict[str, Any], scope: str) -> Span:
    status, events = span.status, span.events
    return Span(  # by position: names cost a tenth of the whole
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.name,
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        read_pairs(span.attributes),
        tuple([Event(e.name, e.time_unix_nano, read_pairs(e.attributes)) for e in events]) if events else (),
        status.code,
        status.message,
        resource,
        scope,
        span.dropped_attributes_count,
    )


def read_pairs(pairs: Iterable[Any]) -> dict[str, Any]:
    """Keys and typed values, as a dictionary."""
    found: dict[str, Any] = {}
    known = KNOWN_NAMES.get
    for pair in pairs:
        value = pair.value
        # What is text or a number, and not empty, shows itself: asking for the kind costs as much again.
        held = value.string_value or value.int_value
        if not held:
            if (kind := value.WhichOneof("value")) is None:
                continue
            held = _value(value, kind, 0)
        name = pair.key
        found[known(name) or learn_name(name)] = held
    return found


def read_any(value: Any) -> Any:
    """One typed value."""
    return _value(value, value.WhichOneof("value"), 0)


def _value(value: Any, kind: str | None, depth: int) -> Any:
    if kind is None or depth > _MAX_DEPTH:
        return None
    if kind == "array_value":
        return [
            item.string_value or _value(item, item.WhichOneof("value"), depth + 1)
            for item in value.array_value.values
        ]
    if kind == "kvlist_value":
        return {
            pair.key: _value(pair.value, pair.value.WhichOneof("value"), depth + 1)
            for pair in value.kvlist_value.values
        }
    if kind == "bytes_value":
        return value.bytes_value.decode("utf-8", "replace")
    return getattr(value, kind)


__all__ = ["read_any", "read_pairs", "read_proto"]
