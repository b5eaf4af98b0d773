"""TruLens's events: a span a line, its attributes under `record_attributes`."""

from __future__ import annotations

from typing import Any

from schemas.formats.exports.times import read_moment
from schemas.formats.span import ERROR, Span
from schemas.formats.values import parse


def is_trulens(value: Any) -> bool:
    """Whether parsed JSON looks like an event, or like a list of them."""
    if isinstance(value, list):
        return bool(value) and is_trulens(value[0])
    return isinstance(value, dict) and "record_attributes" in value and "trace" in value


def read_trulens(value: Any) -> list[Span]:
    """The spans of parsed JSON. A record is a trace; an evaluation belongs to the record it judges."""
    items = value if isinstance(value, list) else [value]
    return [span for item in items if isinstance(item, dict) and (span := _span(item)) is not None]


def _span(item: dict[str, Any]) -> Span | None:
    attributes, trace, record = (parse(item.get(name)) for name in ("record_attributes", "trace", "record"))
    if not isinstance(attributes, dict) or not isinstance(trace, dict):
        return None
    record = record if isinstance(record, dict) else {}
    resource = parse(item.get("resource_attributes"))
    target = attributes.get("ai.observability.eval.target_record_id") or attributes.get(
        "ai.observability.record_id"
    )
    return Span(
        trace_id=str(target or trace.get("trace_id") or ""),
        span_id=str(trace.get("span_id") or ""),
        parent_id=str(trace.get("parent_id") or record.get("parent_span_id") or ""),
        name=str(record.get("name") or ""),
        start_ns=read_moment(item.get("start_timestamp")),
        end_ns=read_moment(item.get("timestamp")),
        attributes=attributes,
        status=ERROR if str(record.get("status", "")).endswith("ERROR") else 0,
        resource=resource if isinstance(resource, dict) else {},
    )


__all__ = ["is_trulens", "read_trulens"]
