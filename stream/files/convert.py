"""What ragpulse sees in a trace, as own JSON: one line, null wherever the source says nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson

from schemas.tame import tame
from schemas.trace import LateFeedback, Trace


def own_line(item: Trace | LateFeedback) -> bytes:
    """One line of own JSON, with its line end. Keys unknown to this version go under `extra`."""
    body = item.model_dump()
    if isinstance(item, Trace):
        for name in item.model_extra or ():
            body.pop(name, None)
        body["extra"] = item.unknown or None
    elif not item.evaluations:
        del body["evaluations"]
    body["timestamp"] = _stamp(item.timestamp)
    try:
        return _dump(body)
    except (TypeError, RecursionError):  # numbers beyond 64 bits, half characters, bottomless nesting
        return _dump(tame(body, keep_digits=True))


def _dump(body: dict[str, Any]) -> bytes:
    return orjson.dumps(body, default=str, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS)


def _stamp(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    try:
        return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except OverflowError:  # year 1 or 9999: no UTC there
        return moment.isoformat()


__all__ = ["own_line"]
