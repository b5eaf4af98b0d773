"""OTLP logs: events that OpenTelemetry sends apart from the spans that they belong to.

An event is a log record with a name, in the context of a span. An evaluation becomes a small span of its own
below that one, so that it finds its trace like any span; what was asked and answered becomes a part of the
span itself. All other records are somebody else's and passed over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from schemas.formats import base
from schemas.formats.base import Unreadable
from schemas.formats.conventions.genai_content import CONTENT, EVENTS
from schemas.formats.otlp.as_json import read_attributes, read_id, read_value
from schemas.formats.otlp.as_proto import read_any, read_pairs
from schemas.formats.own import parse_json
from schemas.formats.shape import shape_of
from schemas.formats.span import BESIDE, PART, Attributes, Event, Span

EVALUATION: Final = "gen_ai.evaluation.result"
_OURS: Final = "ragpulse"
"""The scope of what ragpulse itself sent: it must not come back as somebody's opinion."""
_NAMES: Final = ("event.name", "event_name")
_KNOWN: Final = frozenset({EVALUATION, *EVENTS})
_SAID: Final = (*CONTENT, "gen_ai.event.content", "content", "message")
"""How attributes begin that hold what was said, where the record has no body."""


def read_logs_proto(data: bytes) -> list[Span] | Unreadable:
    """The events of one message of protobuf; none is an ordinary answer. Never raises."""
    if not data:
        return Unreadable(base.EMPTY, "no bytes")
    try:
        request = ExportLogsServiceRequest.FromString(data)
        return list(_from_proto(request))
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Unreadable(base.NOT_OTLP, f"not OTLP logs: {error}"[:200])


def read_logs_json(data: bytes) -> list[Span] | Unreadable:
    """The same of one message of JSON. Never raises."""
    if not data:
        return Unreadable(base.EMPTY, "no bytes")
    value = parse_json(data)
    return value if isinstance(value, Unreadable) else read_parsed_logs(value)


def is_logs(value: Any) -> bool:
    """Whether parsed JSON is a message of OTLP logs."""
    return isinstance(value, dict) and ("resourceLogs" in value or "resource_logs" in value)


def read_parsed_logs(value: Any) -> list[Span] | Unreadable:
    """The same for JSON that is already parsed."""
    if not is_logs(value):
        return Unreadable(base.NOT_OTLP, "no resourceLogs: not OTLP logs")
    return list(_from_json(value))


def _from_proto(request: ExportLogsServiceRequest) -> Iterator[Span]:
    for group in request.resource_logs:
        resource = read_pairs(group.resource.attributes)
        for scoped in group.scope_logs:
            for record in scoped.log_records if scoped.scope.name != _OURS else ():
                attributes = read_pairs(record.attributes)
                name = record.event_name or _named(attributes)
                if name in _KNOWN:
                    moment = record.time_unix_nano or record.observed_time_unix_nano
                    ids = record.trace_id.hex(), record.span_id.hex()
                    body = read_any(record.body) if name in EVENTS else None
                    yield from _told(name, ids, moment, attributes, body, resource)


def _from_json(value: dict[str, Any]) -> Iterator[Span]:
    for group in _dicts(_pick(value, "resourceLogs", "resource_logs")):
        resource = read_attributes(_dict(group.get("resource")).get("attributes"))
        for scoped in _dicts(_pick(group, "scopeLogs", "scope_logs")):
            if _dict(scoped.get("scope")).get("name") == _OURS:
                continue
            for record in _dicts(_pick(scoped, "logRecords", "log_records")):
                attributes = read_attributes(record.get("attributes"))
                name = _pick(record, "eventName", "event_name") or _named(attributes)
                if isinstance(name, str) and name in _KNOWN:
                    moment = _nanos(_pick(record, "timeUnixNano", "time_unix_nano")) or _nanos(
                        _pick(record, "observedTimeUnixNano", "observed_time_unix_nano")
                    )
                    ids = (
                        read_id(_pick(record, "traceId", "trace_id")),
                        read_id(_pick(record, "spanId", "span_id")),
                    )
                    body = read_value(record.get("body")) if name in EVENTS else None
                    yield from _told(name, ids, moment, attributes, body, resource)


def _told(
    name: str, ids: tuple[str, str], moment: int, attributes: Attributes, body: Any, resource: Attributes
) -> Iterator[Span]:
    """An evaluation, or a part of the span that a message was said in; nothing where it says nothing."""
    if name == EVALUATION:
        yield _span(*ids, moment, attributes, resource)
    elif all(ids) and (body or shape_of(attributes).has(*_SAID)):
        event = Event(name, moment, {**attributes, "body": body} if body else attributes)
        yield Span(*ids, BESIDE, name, moment, moment, {PART: moment}, (event,), resource=resource)


def _span(trace_id: str, span_id: str, moment: int, attributes: Attributes, resource: Attributes) -> Span:
    """Known by what it says, so that a record that comes twice is one."""
    said = repr((trace_id, span_id, moment, sorted(attributes.items(), key=repr)))
    identity = hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]
    return Span(
        trace_id=trace_id,
        span_id=f"event:{identity}",
        parent_id=span_id or BESIDE,
        name=EVALUATION,
        start_ns=moment,
        end_ns=moment,
        events=(Event(EVALUATION, moment, attributes),),
        resource=resource,
    )


def _named(attributes: Mapping[str, Any]) -> Any:
    return next((attributes[name] for name in _NAMES if name in attributes), None)


def _nanos(value: Any) -> int:
    try:
        number = int(value or 0)
    except (ValueError, TypeError, OverflowError):
        return 0
    return number if 0 <= number < 2**63 else 0


def _pick(value: Mapping[str, Any], *names: str) -> Any:
    return next((value[name] for name in names if name in value), None)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


__all__ = ["EVALUATION", "is_logs", "read_logs_json", "read_logs_proto", "read_parsed_logs"]
