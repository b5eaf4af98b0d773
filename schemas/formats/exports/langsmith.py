"""LangSmith's runs, as its SDK and API give them: one object a run, alone or in a list."""

from __future__ import annotations

from typing import Any, Final

from schemas.formats.exports.times import read_moment
from schemas.formats.span import ERROR, Event, Span
from schemas.formats.values import parse

_CONTAINERS: Final = ("runs", "data", "items")


def is_langsmith(value: Any) -> bool:
    """Whether parsed JSON looks like a run, or like a list of them."""
    if isinstance(value, list):
        return bool(value) and is_langsmith(value[0])
    if not isinstance(value, dict):
        return False
    if "run_type" in value and ("inputs" in value or "dotted_order" in value or "trace_id" in value):
        return True
    return any(isinstance(value.get(name), list) and is_langsmith(value[name]) for name in _CONTAINERS)


def read_langsmith(value: Any) -> list[Span]:
    """The spans of parsed JSON; children inside a run (`child_runs`) are runs too."""
    waiting, spans = [value], []
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict) and "run_type" in item:
            spans.append(_span(item))
            children = item.get("child_runs")
            if isinstance(children, list):
                trace_id = item.get("trace_id") or item.get("id")
                waiting += [
                    {"trace_id": trace_id, "parent_run_id": item.get("id"), **child}
                    for child in children
                    if isinstance(child, dict)
                ]
        elif isinstance(item, dict):
            waiting += [item[name] for name in _CONTAINERS if isinstance(item.get(name), list)]
    return spans


def _span(run: dict[str, Any]) -> Span:
    error = run.get("error")
    events = _first_token(run)
    return Span(
        trace_id=_text(run.get("trace_id") or run.get("id")),
        span_id=_text(run.get("id")),
        parent_id=_text(run.get("parent_run_id")),
        name=_text(run.get("name")),
        start_ns=read_moment(run.get("start_time")),
        end_ns=read_moment(run.get("end_time")),
        attributes=_attributes(run),
        events=events,
        status=ERROR if error else 1,
        status_message=_message(error),
    )


def _attributes(run: dict[str, Any]) -> dict[str, Any]:
    extra = parse(run.get("extra"))
    extra = extra if isinstance(extra, dict) else {}
    metadata = parse(extra.get("metadata"))
    metadata = metadata if isinstance(metadata, dict) else {}
    given = extra.get("invocation_params")
    found: dict[str, Any] = {
        "langsmith.span.kind": _text(run.get("run_type")),
        "gen_ai.prompt": parse(run.get("inputs")),
        "gen_ai.completion": parse(run.get("outputs")),
        "langsmith.span.tags": run.get("tags"),
        "gen_ai.usage.input_tokens": run.get("prompt_tokens"),
        "gen_ai.usage.output_tokens": run.get("completion_tokens"),
        "gen_ai.usage.total_cost": run.get("total_cost"),
        "langsmith.reference_outputs": run.get("reference_outputs"),
        "service.name": run.get("session_name"),
        **{f"langsmith.metadata.{key}": value for key, value in metadata.items()},
    }
    if isinstance(given, dict):
        found["gen_ai.request.model"] = given.get("model") or given.get("model_name")
    stats = run.get("feedback_stats")
    if isinstance(stats, dict):
        found |= {f"langsmith.feedback.{name}": held for name, held in stats.items()}
    return {name: value for name, value in found.items() if value is not None}


def _first_token(run: dict[str, Any]) -> tuple[Event, ...]:
    moment = read_moment(run.get("first_token_time"))
    events = parse(run.get("events"))
    for event in events if isinstance(events, list) and not moment else ():
        if isinstance(event, dict) and event.get("name") == "new_token":
            moment = moment or read_moment(event.get("time"))
    return (Event("new_token", moment, {}),) if moment else ()


def _message(error: Any) -> str:
    """The last line of a traceback says what happened; a plain message stays."""
    text = _text(error).strip()
    if "Traceback (most recent call last)" in text and not text.startswith("Traceback"):
        return text.splitlines()[0]
    return text.splitlines()[-1] if text.startswith("Traceback") else text


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


__all__ = ["is_langsmith", "read_langsmith"]
