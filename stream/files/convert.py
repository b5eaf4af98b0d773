"""What ragpulse sees in a trace, as own JSON: one line, null wherever the source says nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import orjson

from schemas.trace import LateFeedback, Trace


def own_line(item: Trace | LateFeedback) -> bytes:
    """One line of own JSON, with its line end. Keys unknown to this version go under `extra`."""
    body = item.model_dump()
    if isinstance(item, Trace):
        for name in item.model_extra or ():
            body.pop(name, None)
        body["extra"] = item.unknown or None
    body["timestamp"] = _stamp(item.timestamp)
    return orjson.dumps(body, default=str, option=orjson.OPT_APPEND_NEWLINE)


def _stamp(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment else None


__all__ = ["own_line"]
