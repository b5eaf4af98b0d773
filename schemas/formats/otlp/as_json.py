"""OTLP JSON: one export request, to spans.

Ids are hex as the specification has it; base64, as a plain protobuf printer writes them, is
recognised by its length. Numbers may be text, enumerations may be names, keys may be in either case.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, Final

from schemas.formats import base
from schemas.formats.base import Unreadable
from schemas.formats.own import parse_json
from schemas.formats.span import Event, Span

_MAX_DEPTH: Final = 24
_STATUS: Final = {"STATUS_CODE_UNSET": 0, "STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": 2}
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_ID_BYTES: Final = (8, 16)
_AS_SPECIFIED: Final = re.compile(r"(?!0+$)(?:[0-9a-f]{16}|[0-9a-f]{32})")


def read_json(data: bytes) -> list[Span] | Unreadable:
    """The spans of one message. Never raises."""
    if not data:
        return Unreadable(base.EMPTY, "no bytes")
    value = parse_json(data)
    return value if isinstance(value, Unreadable) else read_parsed(value)


def read_parsed(value: Any) -> list[Span] | Unreadable:
    """The same for JSON that is already parsed."""
    if not isinstance(value, dict):
        return Unreadable(base.NOT_AN_OBJECT, f"JSON, but a {type(value).__name__}")
    groups = _pick(value, "resourceSpans", "resource_spans")
    if not isinstance(groups, list):
        return Unreadable(base.NOT_OTLP, "no resourceSpans: not OTLP traces")
    spans: list[Span] = []
    for group in _dicts(groups):
        resource = read_attributes(_dict(group.get("resource")).get("attributes"))
        scoped = _pick(group, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")
        for part in _dicts(scoped):
            named = _dict(part.get("scope") or part.get("instrumentationLibrary"))
            scope = _text(named.get("name"))
            spans += [_span(item, resource, scope) for item in _dicts(part.get("spans"))]
    return spans


def _span(item: Mapping[str, Any], resource: dict[str, Any], scope: str) -> Span:
    get = item.get
    status, events = _dict(get("status")), get("events")
    return Span(  # by position: names cost a tenth of the whole
        read_id(get("traceId") or get("trace_id")),
        read_id(get("spanId") or get("span_id")),
        read_id(get("parentSpanId") or get("parent_span_id")),
        _text(get("name")),
        _nanos(get("startTimeUnixNano") or get("start_time_unix_nano")),
        _nanos(get("endTimeUnixNano") or get("end_time_unix_nano")),
        read_attributes(get("attributes")),
        tuple([_event(event) for event in _dicts(events)]) if events else (),
        _status(status.get("code")),
        _text(status.get("message")),
        resource,
        scope,
        _nanos(get("droppedAttributesCount") or get("dropped_attributes_count")),
    )


def _event(event: Mapping[str, Any]) -> Event:
    time = _nanos(event.get("timeUnixNano") or event.get("time_unix_nano"))
    return Event(_text(event.get("name")), time, read_attributes(event.get("attributes")))


def read_attributes(pairs: Any) -> dict[str, Any]:
    """A list of keys and typed values, or a plain dictionary."""
    if isinstance(pairs, dict):
        return pairs
    found = {}
    for pair in _dicts(pairs):
        key, value = pair.get("key"), pair.get("value")
        if not isinstance(key, str):
            continue
        if isinstance(value, dict) and len(value) == 1 and "stringValue" in value:  # most are
            found[key] = value["stringValue"]
        else:
            found[key] = _value(value, 0)
    return found


def read_value(value: Any) -> Any:
    """One typed value; what has no type is what it is."""
    return _value(value, 0) if isinstance(value, dict) else value


def _value(value: Any, depth: int) -> Any:
    if not isinstance(value, dict) or depth > _MAX_DEPTH:
        return None
    for kind, held in value.items():
        match kind:
            case "stringValue" | "string_value" | "boolValue" | "bool_value":
                return held
            case "intValue" | "int_value":
                return _integer(held)
            case "doubleValue" | "double_value":
                return _double(held)
            case "arrayValue" | "array_value":
                items = _dict(held).get("values")
                return [_value(item, depth + 1) for item in items] if isinstance(items, list) else []
            case "kvlistValue" | "kvlist_value":
                pairs = _dicts(_dict(held).get("values"))
                return {str(pair.get("key")): _value(pair.get("value"), depth + 1) for pair in pairs}
            case "bytesValue" | "bytes_value":
                return _bytes(held)
    return None


def read_id(value: Any) -> str:
    """An id as lower-case hex; what is neither hex nor base64 of an id's length stays as it is."""
    if not isinstance(value, str) or not value:
        return ""
    if _AS_SPECIFIED.fullmatch(value):
        return value
    text = value.strip()
    if text[:2] in ("0x", "0X"):
        text = text[2:]
    if _HEX.issuperset(text):
        return text.lower().strip() if text.strip("0") else ""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return text
    return raw.hex() if len(raw) in _ID_BYTES else text


def _integer(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return value
    return value


def _double(value: Any) -> Any:
    if isinstance(value, (str, int)):
        try:
            return float(value)
        except (ValueError, OverflowError):
            return value
    return value


def _bytes(value: Any) -> Any:
    try:
        return base64.b64decode(value, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError, TypeError):
        return value


def _nanos(value: Any) -> int:
    try:
        number = int(value or 0)
    except (ValueError, TypeError, OverflowError):
        return 0
    return number if 0 <= number < 2**63 else 0


def _status(code: Any) -> int:
    if isinstance(code, str):
        return _STATUS.get(
            code.upper(), int(code) if code.isascii() and code.isdigit() and len(code) < 3 else 0
        )
    return code if isinstance(code, int) else 0


def _pick(value: Mapping[str, Any], *names: str) -> Any:
    return next((value[name] for name in names if name in value), None)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


__all__ = ["read_attributes", "read_id", "read_json", "read_parsed", "read_value"]
