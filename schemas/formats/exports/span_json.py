"""One span as JSON: Phoenix's exports, OpenTelemetry's console exporters, in-memory exporters' dumps."""

from __future__ import annotations

from typing import Any, Final

from schemas.formats.exports.times import read_moment
from schemas.formats.otlp.as_json import read_attributes, read_id
from schemas.formats.span import Event, Span, as_number
from schemas.formats.values import parse

_CONTEXTS: Final = ("context", "spanContext", "span_context", "_spanContext")
_STARTS: Final = ("start_time", "startTime", "startTimeUnixNano", "start_timestamp", "timestamp")
_ENDS: Final = ("end_time", "endTime", "endTimeUnixNano", "end_timestamp")
_CONTAINERS: Final = ("spans", "data")


def is_span_json(value: Any) -> bool:
    """Whether parsed JSON looks like a span, or like a list of them."""
    if isinstance(value, list):
        return bool(value) and is_span_json(value[0])
    if not isinstance(value, dict):
        return False
    if any(isinstance(value.get(name), list) and is_span_json(value[name]) for name in _CONTAINERS):
        return True
    flat = any(name.startswith(("attributes.", "context.")) for name in value)
    return bool(_trace_id(value)) and ("attributes" in value or flat or "span_kind" in value)


def read_span_json(value: Any) -> list[Span]:
    """The spans of parsed JSON; what is none is passed over."""
    if isinstance(value, list):
        return [span for item in value for span in read_span_json(item)]
    if not isinstance(value, dict):
        return []
    if not _trace_id(value):
        return [span for name in _CONTAINERS if name in value for span in read_span_json(value[name])]
    return [_span(value)]


def _span(item: dict[str, Any]) -> Span:
    resource = item.get("resource")
    scope = (
        item.get("instrumentationScope")
        or item.get("instrumentation_scope")
        or item.get("instrumentationLibrary")
    )
    start = read_moment(_first(item, *_STARTS))
    return Span(
        trace_id=_trace_id(item),
        span_id=read_id(_in_context(item, "span_id", "spanId") or item.get("id")),
        parent_id=read_id(_parent(item)),
        name=_text(item.get("name")),
        start_ns=start,
        end_ns=read_moment(_first(item, *_ENDS)) or _after(start, item.get("duration")),
        attributes=_attributes(item),
        events=tuple(_event(event) for event in _list(item.get("events")) if isinstance(event, dict)),
        status=_status(item),
        status_message=_status_message(item),
        resource=read_attributes(resource.get("attributes", resource)) if isinstance(resource, dict) else {},
        scope=_text(scope.get("name")) if isinstance(scope, dict) else "",
    )


def _parent(item: dict[str, Any]) -> Any:
    """Its id; JavaScript's exporters have it inside a context."""
    held = item.get("parentSpanContext")
    inside = held.get("spanId") if isinstance(held, dict) else None
    return inside or _first(item, "parent_id", "parentId", "parentSpanId", "parent_span_id")


def _after(start: int, duration: Any) -> int:
    """When it ended, where a console tells microseconds instead."""
    passed = as_number(duration)
    return start + int(passed * 1_000) if start and passed is not None else 0


def _list(value: Any) -> list[Any]:
    opened = parse(value)
    return opened if isinstance(opened, list) else []


def _attributes(item: dict[str, Any]) -> dict[str, Any]:
    """Attributes, and the columns of a table of spans (`attributes.input.value`)."""
    found = dict(read_attributes(parse(item.get("attributes"))))
    for name, value in item.items():
        if name.startswith("attributes.") and value is not None:
            found[name.removeprefix("attributes.")] = value
    if "openinference.span.kind" not in found and isinstance(item.get("span_kind"), str):
        kind = item["span_kind"].upper()
        if not isinstance(found.get("openinference"), dict) and kind not in ("INTERNAL", "CLIENT", "SERVER"):
            found["openinference.span.kind"] = kind
    return found


def _event(event: dict[str, Any]) -> Event:
    moment = read_moment(_first(event, "timestamp", "time", "timeUnixNano"))
    return Event(_text(event.get("name")), moment, read_attributes(event.get("attributes")))


def _status(item: dict[str, Any]) -> int:
    status = item.get("status")
    code = (
        status.get("status_code", status.get("code"))
        if isinstance(status, dict)
        else item.get("status_code", status)
    )
    if isinstance(code, int) and not isinstance(code, bool):
        return code
    text = _text(code).upper()
    return 2 if text.endswith("ERROR") else 1 if text.endswith("OK") else 0


def _status_message(item: dict[str, Any]) -> str:
    status = item.get("status")
    if isinstance(status, dict):
        return _text(status.get("description") or status.get("message"))
    return _text(item.get("status_message"))


def _trace_id(item: dict[str, Any]) -> str:
    return read_id(_in_context(item, "trace_id", "traceId"))


def _in_context(item: dict[str, Any], *names: str) -> Any:
    for place in _CONTEXTS:
        held = item.get(place)
        if isinstance(held, dict) and (found := _first(held, *names)):
            return found
    return _first(item, *names, *(f"context.{name}" for name in names))


def _first(item: dict[str, Any], *names: str) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


__all__ = ["is_span_json", "read_span_json"]
