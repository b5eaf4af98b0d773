"""What every format answers with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from schemas.trace import LateFeedback, Trace

EMPTY: Final = "empty"
"""No bytes at all: a tombstone, or an empty line."""
TOO_LARGE: Final = "too_large"
NOT_UTF8: Final = "not_utf8"
NOT_JSON: Final = "not_json"
NOT_AN_OBJECT: Final = "not_an_object"
TOO_DEEP: Final = "too_deep"
MISSING_FIELD: Final = "missing_field"
WRONG_TYPE: Final = "wrong_type"
BAD_VALUE: Final = "bad_value"
"""The right type, and yet impossible: an empty trace_id, a month 13."""
UNSUPPORTED_VERSION: Final = "unsupported_version"
NOT_OTLP: Final = "not_otlp"
"""Bytes of a topic or file of spans that hold no spans."""
NO_TRACE_ID: Final = "no_trace_id"
"""A span that belongs to no trace."""
UNKNOWN_ENCODING: Final = "unknown_encoding"
"""Bytes in which no format that we read can be recognised."""

REASONS: Final = (
    EMPTY, TOO_LARGE, NOT_UTF8, NOT_JSON, NOT_AN_OBJECT, TOO_DEEP, MISSING_FIELD, WRONG_TYPE, BAD_VALUE,
    UNSUPPORTED_VERSION, NOT_OTLP, NO_TRACE_ID,
    UNKNOWN_ENCODING,
)  # fmt: skip
"""All of them: a closed set, so that they can be counted."""


@dataclass(slots=True, frozen=True)
class Unreadable:
    """Bytes that are no trace: a stable `reason` for counting, and a `detail` for people."""

    reason: str
    detail: str


Decoded = Trace | LateFeedback | Unreadable
Decode = Callable[[bytes], list[Decoded]]
