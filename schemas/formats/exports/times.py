"""Moments as exports write them, to nanoseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from schemas.formats.span import as_number

_MAX_NS: Final = 2**63
_UNITS: Final = ((1e17, 1), (1e14, 1_000), (1e11, 1_000_000), (0.0, 1_000_000_000))
"""From which size a number counts nanoseconds, microseconds, milliseconds, seconds."""


def read_moment(value: Any) -> int:
    """ISO 8601 text, a number of any unit, or `[seconds, nanoseconds]`; 0 where it is none of these."""
    if isinstance(value, (list, tuple)) and len(value) == 2:
        seconds, nanos = as_number(value[0]), as_number(value[1])
        return _bounded(seconds * 1e9 + nanos) if seconds is not None and nanos is not None else 0
    if isinstance(value, str) and not value.strip().lstrip("-").replace(".", "", 1).isdigit():
        return _from_text(value.strip())
    number = as_number(value)
    if number is None or number <= 0:
        return 0
    return _bounded(number * next(scale for least, scale in _UNITS if number >= least))


def _from_text(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        return _bounded(round(moment.timestamp() * 1_000_000) * 1_000)
    except (ValueError, OverflowError):
        return 0


def _bounded(number: float) -> int:
    return int(number) if 0 < number < _MAX_NS else 0


__all__ = ["read_moment"]
