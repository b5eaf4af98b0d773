"""Our own JSON: one trace, or late feedback, a message. The Confluent wire format is recognised.

The quick way reads what is right in one step. Whatever it refuses, and whatever is large, is read
with patience: JSON as other languages write it (NaN, lone surrogates, integers of any size, a byte
order mark) is mended where its meaning is clear, long lists are cut before they become objects, and
only then is a reason given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

import orjson
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from schemas.bounds import MAX_CHUNKS, MAX_TURNS, cut_lists
from schemas.formats import base
from schemas.formats.base import Decoded, Unreadable
from schemas.tame import tame
from schemas.trace import LateFeedback, Trace

_WIRE_MAGIC: Final = 0
_WIRE_HEADER_BYTES: Final = 5
_QUICK_BYTES: Final = 256 * 1024
_QUICK_PARTS: Final = min(MAX_CHUNKS, MAX_TURNS)
_MAX_PARTS: Final = 200_000
_DETAIL_CHARS: Final = 300
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)

_VALUE_KINDS = frozenset(
    {"string_too_short", "string_too_long", "datetime_parsing", "datetime_from_date_parsing", "value_error"}
)


def decode(data: bytes) -> list[Decoded]:
    """One message to a trace, late feedback, or the reason why it is neither. Never raises."""
    if not data:
        return [Unreadable(base.EMPTY, "no bytes")]
    if data[0] == _WIRE_MAGIC and len(data) > _WIRE_HEADER_BYTES:
        data = data[_WIRE_HEADER_BYTES:]
    if len(data) <= _QUICK_BYTES and data.count(b"{") <= _QUICK_PARTS:
        try:
            return [Trace.model_validate_json(data)]
        except ValidationError:
            pass  # the patient way says why, or mends it
    return [_decode_patiently(data)]


def decode_object(value: dict[str, Any]) -> Decoded:
    """The same for JSON that is already parsed. Long lists in `value` are cut in place."""
    late = "feedback" in value and "question" not in value and "answer" not in value
    cut_lists(value)
    try:
        return LateFeedback.model_validate(value) if late else Trace.model_validate(value)
    except ValidationError as error:
        return _explain(error.errors(include_url=False, include_input=False, include_context=False))


def _decode_patiently(data: bytes) -> Decoded:
    # An object costs a hundred times its bytes in memory: count them before any is built.
    parts = data.count(b"{") + data.count(b"[")
    if parts > _MAX_PARTS:
        bare = _STRING.sub(b"", data)  # a text may hold as many brackets as it likes
        parts = bare.count(b"{") + bare.count(b"[")
    if parts > _MAX_PARTS:
        return Unreadable(base.TOO_LARGE, f"{parts} objects and lists in one message, over {_MAX_PARTS}")
    value = parse_json(data)
    if isinstance(value, Unreadable):
        return value
    if not isinstance(value, dict):
        return Unreadable(base.NOT_AN_OBJECT, f"JSON, but a {type(value).__name__}")
    return decode_object(value)


def parse_json(data: bytes) -> Any:
    """JSON as other languages write it too, or the reason why it is none. Never raises."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass  # strict; the standard library knows what other languages write
    try:
        return tame(json.loads(data.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        return Unreadable(base.NOT_UTF8, f"byte {error.start} is not UTF-8")
    except RecursionError:
        return Unreadable(base.TOO_DEEP, "nested deeper than a parser goes")
    except ValueError as error:
        return Unreadable(base.NOT_JSON, str(error)[:_DETAIL_CHARS])


def _explain(errors: Sequence[ErrorDetails]) -> Unreadable:
    """The first error that pydantic found, as one of our reasons; what is missing goes first."""
    error = min(errors, key=lambda e: e["type"] != "missing")
    where = ".".join(str(part) for part in error["loc"]) or "message"
    detail = f"{where}: {error['msg']}"[:_DETAIL_CHARS]
    if error["loc"] == ("schema_version",):
        return Unreadable(base.UNSUPPORTED_VERSION, detail)
    if error["type"] == "missing":
        return Unreadable(base.MISSING_FIELD, detail)
    return Unreadable(base.BAD_VALUE if error["type"] in _VALUE_KINDS else base.WRONG_TYPE, detail)


__all__ = ["decode", "decode_object", "parse_json"]
