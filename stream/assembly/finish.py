"""From the spans that were gathered to their trace, marked where spans are known to be missing."""

from __future__ import annotations

from typing import Any, Final

from schemas.formats import base
from schemas.formats.assembly import DEFAULT, NotRag, Segments, assemble
from schemas.formats.base import Decoded, Unreadable
from schemas.trace import MAX_ID_CHARS
from stream.assembly.assembler import Closed, Gathered

TOO_MANY_SPANS: Final = "too_many_spans"
_BY_CLOSING: Final = {Closed.OVERFLOW: "too_much_open", Closed.AGE: "open_too_long"}


def finish(held: Gathered[Any], segments: Segments = DEFAULT) -> Decoded | NotRag:
    """The trace of the spans that were gathered; a reason where there is none. Never raises."""
    if not held.trace_id:
        return Unreadable(base.NO_TRACE_ID, f"{len(held.spans)} spans without a trace id")
    if len(held.trace_id) > MAX_ID_CHARS:
        return Unreadable(base.BAD_VALUE, f"a trace id of {len(held.trace_id)} characters")
    incomplete = TOO_MANY_SPANS if held.left_out else _BY_CLOSING.get(held.why)
    try:
        return assemble(held.spans, segments=segments, incomplete=incomplete)
    except Exception as error:  # conventions promise to read anything; one trace must stop no other
        return Unreadable(base.BAD_VALUE, f"trace {held.trace_id}: {type(error).__name__}: {error}"[:300])


__all__ = ["TOO_MANY_SPANS", "finish"]
