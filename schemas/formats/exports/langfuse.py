"""Langfuse's exports: traces with observations and scores, single observations, ingestion batches.

Each observation becomes a span with the attributes that Langfuse's own SDK would have written, so
that one module reads both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from schemas.formats.conventions.langfuse import SCORE
from schemas.formats.exports.times import read_moment
from schemas.formats.span import ERROR, PART, Span
from schemas.formats.values import parse, unquote

_O: Final = "langfuse.observation."
_FIELDS: Final = {
    "type": _O + "type", "level": _O + "level", "statusMessage": _O + "status_message",
    "providedModelName": _O + "model.name", "model": _O + "model.name",
    "modelParameters": _O + "model.parameters", "usageDetails": _O + "usage_details",
    "usage": _O + "usage_details",
    "costDetails": _O + "cost_details", "completionStartTime": _O + "completion_start_time",
    "promptName": _O + "prompt.name", "promptVersion": _O + "prompt.version", "version": "langfuse.version",
    "environment": "langfuse.environment",
}  # fmt: skip
"""Fields of an observation, to the attributes of the SDK."""
_TRACE_FIELDS: Final = {
    "userId": "user.id", "sessionId": "session.id", "release": "langfuse.release",
    "version": "langfuse.version",
    "environment": "langfuse.environment", "tags": "langfuse.trace.tags", "name": "langfuse.trace.name",
}  # fmt: skip
_OF_TRACE: Final = (("userId", "user.id"), ("sessionId", "session.id"), ("tags", "langfuse.trace.tags"))
"""What observations of newer versions say of their trace."""
_EVENT_TYPES: Final = {"trace": "trace", "span": "SPAN", "generation": "GENERATION", "event": "EVENT"}


def is_langfuse(value: Any) -> bool:
    """Whether parsed JSON looks like one of Langfuse's exports."""
    if isinstance(value, list):
        return bool(value) and is_langfuse(value[0])
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("trace"), dict) and "observations" in value["trace"]:
        return True
    if isinstance(value.get("batch"), list) or isinstance(value.get("observations"), list):
        return True
    if isinstance(value.get("data"), list):
        return is_langfuse(value["data"])
    if _is_trace_alone(value):
        return True
    return ("traceId" in value or "trace_id" in value) and (
        "parentObservationId" in value
        or "parent_observation_id" in value
        or "dataType" in value
        or "data_type" in value
    )


def _is_trace_alone(value: dict[str, Any]) -> bool:
    """A row of an export of traces, whose observations are rows of another."""
    named = _camel(value)
    return "traceId" not in named and all(
        name in named for name in ("id", "timestamp", "sessionId", "bookmarked")
    )


def read_langfuse(value: Any) -> list[Span]:
    """The spans of parsed JSON; what is none of Langfuse's shapes is passed over."""
    return list(_read(value))


def _read(value: Any) -> Iterator[Span]:
    if isinstance(value, list):
        for item in value:
            yield from _read(item)
    elif isinstance(value, dict):
        if isinstance(value.get("batch"), list):
            yield from _read_batch(value["batch"])
        elif isinstance(value.get("data"), list):
            yield from _read(value["data"])
        elif isinstance(value.get("trace"), dict):
            yield from _read_trace(_joined(value))
        elif isinstance(value.get("observations"), list):
            yield from _read_trace(value)
        else:
            value = _camel(value)
            if _is_trace_alone(value):
                yield _root(value, str(value["id"]), _shared(value))
            elif "dataType" in value and "traceId" in value:
                yield _score(value)
            elif "traceId" in value:
                yield _observation(value, str(value["traceId"]), {})


def _joined(value: dict[str, Any]) -> dict[str, Any]:
    """A trace and what lies beside it: observations in full, where the trace holds them in brief."""
    trace = dict(value["trace"])
    for name in ("observations", "scores"):
        held: dict[str, dict[str, Any]] = {}
        for item in [*_list(trace.get(name)), *_list(value.get(name))]:
            known = {key: inner for key, inner in item.items() if inner is not None}
            held.setdefault(str(item.get("id", len(held))), {}).update(known)
        trace[name] = list(held.values())
    return trace


def _list(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _read_trace(trace: dict[str, Any]) -> Iterator[Span]:
    trace = _camel(trace)
    trace_id = str(trace.get("id") or trace.get("traceId") or "")
    shared = _shared(trace)
    observations = [_camel(item) for item in _list(trace.get("observations"))]
    yield _root(trace, trace_id, shared)
    for item in observations:
        yield _observation(item, trace_id, shared)
    for score in _list(trace.get("scores")):
        yield _score({"traceId": trace_id, **_camel(score)})


def _root(trace: dict[str, Any], trace_id: str, shared: dict[str, Any]) -> Span:
    """The trace itself: its input and output stand above all observations."""
    attributes = {**shared, _O + "type": "span"}
    for name in ("input", "output"):
        held = unquote(trace.get(name))
        if held is not None:
            attributes[_O + name] = held
    start = read_moment(trace.get("timestamp"))
    name, resource = _text(trace.get("name")), _resource(trace)
    return Span(trace_id, f"trace:{trace_id}", "", name, start, start, attributes, resource=resource)


def _resource(item: dict[str, Any]) -> dict[str, Any]:
    """What the service said of itself, where OpenTelemetry brought it along."""
    metadata = parse(item.get("metadata"))
    held = parse(metadata.get("resourceAttributes")) if isinstance(metadata, dict) else None
    return held if isinstance(held, dict) else {}


def _observation(item: dict[str, Any], trace_id: str, shared: dict[str, Any]) -> Span:
    attributes = {**shared}
    for name, attribute in (*_FIELDS.items(), *_OF_TRACE):
        held = item.get(name)
        if held not in (None, "", {}, []):
            attributes[attribute] = held
    for name in ("input", "output"):
        held = item.get(name)
        if held not in (None, ""):
            attributes[_O + name] = unquote(held)
    for key, held in _metadata(item.get("metadata")).items():
        attributes[f"{_O}metadata.{key}"] = held
    if isinstance(item.get("totalCost"), (int, float)) and _O + "cost_details" not in attributes:
        attributes[_O + "cost_details"] = {"total": item["totalCost"]}
    failed = str(item.get("level", "")).upper() == "ERROR"
    parent = item.get("parentObservationId")
    return Span(
        trace_id,
        _text(item.get("id")),
        _text(parent) if parent else f"trace:{trace_id}",
        _text(item.get("name")),
        read_moment(item.get("startTime")),
        read_moment(item.get("endTime")),
        attributes,
        status=ERROR if failed else 0,
        status_message=_text(item.get("statusMessage")),
        resource=_resource(item),
    )


def _score(score: dict[str, Any]) -> Span:
    trace_id = _text(score.get("traceId"))
    identity = _text(score.get("id")) or f"score:{score.get('name')}"
    moment = read_moment(score.get("timestamp") or score.get("createdAt"))
    parent = _text(score.get("observationId")) or f"trace:{trace_id}"
    return Span(trace_id, f"score:{identity}", parent, "score", moment, moment, {SCORE: score})


def _read_batch(events: list[Any]) -> Iterator[Span]:
    """An ingestion batch: each creation and each update is a part, for others may be in other batches."""
    bodies = [
        (event, _camel(event["body"])) for event in _list(events) if isinstance(event.get("body"), dict)
    ]
    for event, body in bodies:
        kind = str(event.get("type", "")).partition("-")[0]
        if kind == "observation":
            kind = str(body.get("type", "span")).lower()
        told = {key: value for key, value in body.items() if value is not None}
        trace_id = str(told.get("id") if kind == "trace" else told.get("traceId") or "")
        if kind == "score":
            yield _score(told)
        elif kind == "trace":
            yield _part(_root(told, trace_id, _shared(told)), event)
        elif kind in _EVENT_TYPES or told.get("startTime"):
            named = {"type": _EVENT_TYPES.get(kind, kind.upper())}
            yield _part(_observation(named | told, trace_id, {}), event)


def _part(span: Span, event: dict[str, Any]) -> Span:
    span.attributes = {**span.attributes, PART: read_moment(event.get("timestamp"))}
    return span


def _shared(trace: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name, attribute in _TRACE_FIELDS.items():
        held = trace.get(name)
        if held not in (None, "", []):
            found[attribute] = held
    for key, held in _metadata(trace.get("metadata")).items():
        found[f"langfuse.trace.metadata.{key}"] = held
    return found


def _metadata(value: Any) -> dict[str, Any]:
    """Metadata of the application; what OpenTelemetry put beside it is left out."""
    opened = parse(value)
    if not isinstance(opened, dict):
        return {}
    return {
        key: held for key, held in opened.items() if key not in ("attributes", "resourceAttributes", "scope")
    }


def _camel(item: dict[str, Any]) -> dict[str, Any]:
    """Field names as the API has them; exports to files write them in lower case with underscores."""
    if not any("_" in key for key in item):
        return item
    named = {}
    for key, value in item.items():
        head, *rest = key.split("_")
        named[head + "".join(part.capitalize() for part in rest) if rest and head else key] = value
    return named


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


__all__ = ["is_langfuse", "read_langfuse"]
