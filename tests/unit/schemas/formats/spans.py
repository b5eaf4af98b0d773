"""Small spans for tests: times and ids are given by their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from zlib import crc32

from schemas.formats.assembly import assemble
from schemas.formats.foreign import read_recognised, recognise
from schemas.formats.span import ERROR, Event, Span
from schemas.trace import Trace

SECOND_NS = 1_000_000_000
START_NS = 1_790_000_000 * SECOND_NS
TRACE = "0af7651916cd43dd8448eb211c80319c"


def span(
    name: str,
    at: float = 0.0,
    *,
    parent: Span | None = None,
    lasts: float = 0.5,
    error: str | None = None,
    events: tuple[Event, ...] = (),
    resource: dict[str, Any] | None = None,
    **attributes: Any,
) -> Span:
    """A span that starts `at` seconds. Underscores in attribute names stand for themselves: use `also`."""
    start = START_NS + int(at * SECOND_NS)
    return Span(
        TRACE,
        f"{crc32(name.encode()):08x}{crc32(str(at).encode()):08x}",
        parent.span_id if parent else "",
        name,
        start,
        start + int(lasts * SECOND_NS),
        attributes.pop("also", {}) | attributes,
        events,
        status=ERROR if error else 0,
        status_message=error or "",
        resource=resource or {"service.name": "helpdesk", "service.version": "7"},
    )


def convert(*spans: Span) -> Trace:
    """The trace of these spans, whatever order they come in."""
    trace = assemble(spans)
    assert isinstance(trace, Trace), trace
    assert assemble(spans[::-1]) == trace
    return trace


def texts(trace: Trace) -> list[str | None]:
    """The texts of its chunks; it must have some list of them."""
    assert trace.retrieval is not None
    assert trace.retrieval.chunks is not None
    return [chunk.text for chunk in trace.retrieval.chunks]


def read_export(values: Iterable[Any], form: str) -> Trace:
    """The one trace in values of an export, each of which is recognised as of that form."""
    spans: list[Span] = []
    for value in values:
        name = recognise(value)
        assert name == form
        found = read_recognised(value, name)
        assert isinstance(found, list)
        spans += found
    trace = assemble(spans)
    assert isinstance(trace, Trace)
    return trace
