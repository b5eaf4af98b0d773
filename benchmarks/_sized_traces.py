"""Traces of a wanted size, from real ones: their contexts cut, or filled up with chunks of other traces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import orjson

TOLERANCE = 0.05
_ENDING = 200
"""Bytes of a chunk's own frame (ids, score), and room for the trace_id that is put in later."""


def resize(bodies: Sequence[dict[str, Any]], wanted: int) -> list[dict[str, Any]]:
    """The traces that can be brought within 5 % of `wanted` bytes of JSON, brought there.

    Questions and answers stay as they are; what grows or shrinks is what was retrieved. Raises ValueError
    where none can be, because questions and answers alone are longer.
    """
    texts = cycle([chunk["text"] for body in bodies for chunk in _chunks(body) if chunk["text"].strip()])
    resized = [found for body in bodies if (found := _resize(body, wanted, texts)) is not None]
    if not resized:
        raise ValueError(f"No trace can be made {wanted} bytes long")
    return resized


def _resize(body: dict[str, Any], wanted: int, texts: Iterator[str]) -> dict[str, Any] | None:
    retrieval = body.get("retrieval")
    if not retrieval:
        return None
    chunks: list[dict[str, Any]] = []
    own = iter([dict(chunk) for chunk in _chunks(body) if chunk["text"].strip()])
    found = {**body, "retrieval": {**retrieval, "chunks": chunks}}
    room = wanted - _length(found)
    while room > _ENDING:
        number = len(chunks) + 1
        chunk = next(own, None) or {"id": f"more-{number}", "text": next(texts), "rank": number, "score": 0.3}
        chunks.append(chunk)
        room = wanted - _length(found)
        if room < 0:
            kept = chunk["text"].encode()[: len(chunk["text"].encode()) + room]
            chunk["text"] = kept.decode(errors="ignore")
            room = wanted - _length(found)
            break
    return found if abs(room) <= wanted * TOLERANCE and chunks else None


def _chunks(body: dict[str, Any]) -> list[dict[str, Any]]:
    return (body.get("retrieval") or {}).get("chunks") or []


def _length(body: dict[str, Any]) -> int:
    return len(orjson.dumps(body))
