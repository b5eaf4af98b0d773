"""What several conventions share: errors, hidden content, arguments, finish reasons."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from schemas.formats.reading import read_question
from schemas.formats.span import ERROR, NS_A_MS, Span, as_number
from schemas.formats.values import is_cut_json, parse, unquote

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_MAX_ERROR_CHARS: Final = 1_000
_HIDDEN: Final = re.compile(
    r"[\[<({_*\s\"]*(?:redacted|elided|hidden|masked|filtered|omitted|scrubbed|not recorded)[\]>)}_*\s\"]*",
    re.I,
)
_OBJECT: Final = re.compile(r"\s*<[^<>]*\bobject\b(?:[^<>]|<[^<>]*>)*>\s*|\s*<coroutine [^<>]*>\s*")
_ENUM: Final = "FinishReason."
"""Some libraries write the name of their enumeration's member."""
_FRAMES: Final = re.compile(r"\n[ \t]{1,8}at [^\s(]")
"""Where in the code, as JavaScript, Java and .NET write it."""
_TOP_K: Final = ("top_k", "topK", "k", "n_results", "limit", "top_n", "topN")
_QUERY_KEYS: Final = (
    "query", "search_query", "query_str", "query_text", "question", "q", "input", "search", "keywords",
    "text", "prompt", "queryText", "searchQuery", "searchText", "userQuery", "user_query", "search_text",
)  # fmt: skip


def is_hidden(value: Any) -> bool:
    """Whether a library wrote a stand-in: content is switched off, or was an object (a stream) to it."""
    if not isinstance(value, str) or len(value) >= 200:
        return False
    if "<" in value and _OBJECT.fullmatch(value) is not None:
        return True
    return len(value) < 40 and _HIDDEN.fullmatch(value) is not None


def shown(value: Any) -> Any:
    """The value; null where content is switched off."""
    if not isinstance(value, str):
        return value
    return None if not value or is_hidden(value) else value


def as_text(value: Any) -> str | None:
    """A text to read; null for a stand-in, for nothing, and for the beginning of JSON that was cut."""
    if not isinstance(value, str) or not value.strip() or is_hidden(value) or is_cut_json(value):
        return None
    return value


def error_of(span: Span) -> str | None:
    """Why a span failed, in one line: the exception's message, else the status's."""
    if span.status != ERROR:
        return None
    for event in reversed(span.events):
        if event.name == "exception":
            message = event.attributes.get("exception.message") or event.attributes.get("exception.type")
            if isinstance(message, str) and (told := _without_traceback(message)):
                return told[:_MAX_ERROR_CHARS]
    told = _without_traceback(span.status_message) or span.text("error.message", "error.type") or "failed"
    return told.splitlines()[0][:_MAX_ERROR_CHARS]


def _without_traceback(message: str) -> str:
    """What went wrong; some libraries write where in the code right behind it."""
    if (frames := _FRAMES.search(message)) is not None and (told := message[: frames.start()].strip()):
        return told.splitlines()[0].strip()  # JavaScript's stack repeats the message
    told, _, _ = message.partition("Traceback (most recent call last)")
    return told.strip() or message.strip()


def query_in(value: Any) -> str | None:
    """The query in a retriever's or a tool's input."""
    opened = parse(value)
    if isinstance(opened, str):
        return as_text(opened)
    if isinstance(opened, dict):
        bundle = opened.get("query_bundle") or opened.get("str_or_query_bundle")
        if isinstance(bundle, dict):
            return query_in(bundle)
        for key in _QUERY_KEYS:
            held = opened.get(key)
            if isinstance(held, str) and held.strip():
                inner = parse(held)
                return query_in(inner) if isinstance(inner, dict) else held
        for key in ("input_str", "kwargs", "args", "inputs", "input", "arguments", "parameters", "query"):
            held = opened.get(key)
            if isinstance(held, (dict, list, str)) and held and (found := query_in(held)):
                return found
        several = opened.get("queries", opened.get("search_queries"))
        if isinstance(several, list) and several and all(isinstance(held, str) for held in several):
            return "\n".join(several)
        texts = [held for held in opened.values() if isinstance(held, str) and held.strip()]
        return texts[0] if len(texts) == 1 else None
    if isinstance(opened, list) and opened and isinstance(opened[0], (str, dict)):
        return query_in(opened[0]) if len(opened) == 1 or isinstance(opened[0], str) else None
    asked = read_question(opened)
    return asked.question if asked else None


def top_k_in(value: Any) -> int | None:
    """How many passages a retriever was asked for, among its other arguments."""
    opened = parse(value)
    held = (
        opened.get("kwargs")
        if isinstance(opened, dict) and isinstance(opened.get("kwargs"), dict)
        else opened
    )
    numbers = (as_number(held.get(name)) for name in _TOP_K) if isinstance(held, dict) else ()
    return next((int(number) for number in numbers if number is not None and 0 < number < 10_000), None)


def only_text(value: Any) -> str | None:
    """The one text of a value: alone, or in a list of one; null where there are several."""
    held = parse(value)
    if isinstance(held, list):
        held = unquote(held[0]) if len(held) == 1 else None
    return as_text(held)


def model_named(span: Span, *names: str) -> str | None:
    """A model's name; some libraries write a stand-in where they know none."""
    named = span.text(*names)
    return None if named is None or named.lower() in ("unknown", "none", "null") else named


def waited(span: Span, name: str) -> float | None:
    """Milliseconds until the first token, which is recorded as a moment, at times inside quotes."""
    moment = unquote(span.attributes.get(name))
    if not isinstance(moment, str) or not span.start_ns:
        return None
    try:
        first = datetime.fromisoformat(moment)
        since = (first if first.tzinfo else first.astimezone()) - _EPOCH
    except (ValueError, OverflowError, OSError):
        return None
    passed_ns = since // _MICROSECOND * 1_000 - span.start_ns  # whole numbers: a float has no room for both
    return round(passed_ns / NS_A_MS, 3) if passed_ns >= 0 else None


def first_reason(value: Any) -> str | None:
    """The first of the reasons why a model stopped."""
    opened = parse(value)
    if isinstance(opened, list):
        opened = next((item for item in opened if isinstance(item, str) and item), None)
    if not isinstance(opened, str) or not opened:
        return None
    return opened[len(_ENUM) :].lower() if opened.startswith(_ENUM) else opened


__all__ = [
    "as_text", "error_of", "first_reason", "is_hidden", "model_named", "only_text", "query_in", "shown",
    "top_k_in",
    "waited",
]  # fmt: skip
