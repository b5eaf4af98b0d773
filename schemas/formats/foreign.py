"""Formats of spans: one message or one file's document to spans, by name, or by what it looks like.

Such a message may hold many traces, and a trace may lie in many messages: spans are put together by
`schemas.formats.assembly`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from schemas.formats import base
from schemas.formats.base import Unreadable
from schemas.formats.exports.langfuse import is_langfuse, read_langfuse
from schemas.formats.exports.langsmith import is_langsmith, read_langsmith
from schemas.formats.exports.span_json import is_span_json, read_span_json
from schemas.formats.exports.trulens import is_trulens, read_trulens
from schemas.formats.otlp import (
    is_logs,
    read_json,
    read_logs_json,
    read_logs_proto,
    read_parsed,
    read_parsed_logs,
    read_proto,
)
from schemas.formats.own import parse_json
from schemas.formats.span import Span

ReadSpans = Callable[[bytes], list[Span] | Unreadable]
"""A message to spans; a reason where it holds none. Never raises."""

OTLP_JSON, OTLP_PROTO = "otlp_json", "otlp_proto"
OTLP_LOGS_JSON, OTLP_LOGS_PROTO = "otlp_logs_json", "otlp_logs_proto"
"""Logs hold evaluation events, and much else that is passed over: a message of them may give nothing."""
_EXPORTS: Final[dict[str, tuple[Callable[[Any], bool], Callable[[Any], list[Span]]]]] = {
    "langsmith": (is_langsmith, read_langsmith),
    "trulens": (is_trulens, read_trulens),
    "langfuse": (is_langfuse, read_langfuse),
    "openinference": (is_span_json, read_span_json),
}
"""By name: how its JSON is recognised, and read. Tried in this order."""


def _export_reader(name: str) -> ReadSpans:
    def read(data: bytes) -> list[Span] | Unreadable:
        value = parse_json(data)
        return value if isinstance(value, Unreadable) else _spans(_EXPORTS[name][1](value), name)

    return read


def _spans(spans: list[Span], name: str) -> list[Span] | Unreadable:
    return spans or Unreadable(base.NOT_OTLP, f"JSON that holds no spans as {name} has them")


SPAN_FORMATS: Final[dict[str, ReadSpans]] = {
    OTLP_JSON: read_json,
    OTLP_PROTO: read_proto,
    OTLP_LOGS_JSON: read_logs_json,
    OTLP_LOGS_PROTO: read_logs_proto,
    **{name: _export_reader(name) for name in _EXPORTS},
}
"""By the name that `--format` uses."""


def recognise(value: Any) -> str | None:
    """Which of these formats parsed JSON is in; null for anything else, our own JSON too."""
    if isinstance(value, dict) and ("resourceSpans" in value or "resource_spans" in value):
        return OTLP_JSON
    if is_logs(value):
        return OTLP_LOGS_JSON
    if isinstance(value, dict) and "question" in value and "answer" in value:
        return None
    return next((name for name, (fits, _) in _EXPORTS.items() if fits(value)), None)


def read_recognised(value: Any, name: str) -> list[Span] | Unreadable:
    """The spans of JSON that is already parsed, in a format that was recognised."""
    if name == OTLP_LOGS_JSON:
        return read_parsed_logs(value)
    return read_parsed(value) if name == OTLP_JSON else _spans(_EXPORTS[name][1](value), name)


__all__ = [
    "OTLP_JSON", "OTLP_LOGS_JSON", "OTLP_LOGS_PROTO", "OTLP_PROTO", "SPAN_FORMATS", "ReadSpans",
    "read_recognised", "recognise",
]  # fmt: skip
