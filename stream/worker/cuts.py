"""Shorter bytes where a message does not fit its topic: texts go, scores and names stay."""

from __future__ import annotations

from typing import Any, Final

import orjson

from schemas.trace import MAX_ID_CHARS
from stream.kafka.producer import Headers

CUT_SIGNAL: Final = "row_cut"
"""In the `signals` of a row whose texts did not fit: the columns that were left out."""

_LEFT_OUT: Final = {"chunks": None, "history": "[]", "prompt_context": None, "extra": "", "evidence": "[]"}
"""The long columns that no metric reads, and what stands in them when their texts are left out."""
_LONGEST_JSON: Final = 16 * 1024
_SHORTEST_TEXT: Final = MAX_ID_CHARS
_MOST_ITEMS: Final = 1024
_MOST_COLUMNS: Final = 128


def cut_scored(value: bytes, headers: Headers, limit: int) -> tuple[bytes, Headers]:
    """A scored row without its long texts: scores and names stay, and `signals` says what went."""
    row = orjson.loads(value)
    because, signals = _facts(row.pop("because", None)), _facts(row.pop("signals", None))
    went = [name for name, nothing in _LEFT_OUT.items() if row.get(name) not in (None, nothing)]
    signals[CUT_SIGNAL] = ",".join(went)
    row.update(_LEFT_OUT)
    facts = orjson.dumps({"because": _text(because), "signals": _text(signals)})
    return _fit(row, limit - len(facts))[:-1] + b"," + facts[1:], headers


def cut_judge(value: bytes, headers: Headers, limit: int) -> tuple[bytes, Headers]:
    """A message for the judges with its texts (and, if need be, its lists) cut to what fits."""
    return _fit(orjson.loads(value), limit), headers


def _facts(text: str | None) -> dict[str, Any]:
    """The facts in a JSON column, unless there are absurdly many."""
    facts: dict[str, Any] = orjson.loads(text) if text and len(text) <= _LONGEST_JSON else {}
    return facts


def _text(facts: dict[str, Any]) -> str:
    return orjson.dumps(facts).decode()


def _fit(value: Any, limit: int) -> bytes:
    """Cut texts to one length, and after them lists, until the whole fits `limit` bytes."""
    longest, most = max(_SHORTEST_TEXT, limit // 8), _MOST_ITEMS
    while True:
        data = orjson.dumps(_shorten(value, longest, most))
        if len(data) <= limit or most == 1:
            return data
        if longest > _SHORTEST_TEXT:
            longest = max(_SHORTEST_TEXT, longest // 2)
        else:
            most //= 2


def _shorten(value: Any, longest: int, most: int) -> Any:
    if isinstance(value, str):
        return value[:longest]
    if isinstance(value, dict):
        items = list(value.items())[: max(most, _MOST_COLUMNS)]
        return {key[:_SHORTEST_TEXT]: _shorten(item, longest, most) for key, item in items}
    if isinstance(value, list):
        return [_shorten(item, longest, most) for item in value[:most]]
    return value


__all__ = ["CUT_SIGNAL", "cut_judge", "cut_scored"]
