"""Spans that come in parts: what an ingestion creates and then updates, what is told of a span in logs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from schemas.formats.span import BESIDE, PART, Span


def without_doubles(spans: Iterable[Span]) -> list[Span]:
    """Each span once, its parts put together; of two whole ones with one id the one that says more.

    What was told beside a span that is not here says nothing: the span may have been sampled out.
    """
    whole: dict[str, Span] = {}
    parts: dict[str, list[Span]] = {}
    nameless = []
    for span in spans:
        if not span.span_id:
            nameless.append(span)
        elif PART in span.attributes:
            parts.setdefault(span.span_id, []).append(span)
        else:
            known = whole.get(span.span_id)
            if known is None or _weight(span) > _weight(known):
                whole[span.span_id] = span
    for span_id, held in parts.items():
        if span_id in whole or any(part.parent_id != BESIDE for part in held):
            whole[span_id] = _join(whole.get(span_id), held)
    return [*whole.values(), *nameless]


def _weight(span: Span) -> tuple[int, int, int]:
    return len(span.attributes), len(span.events), span.end_ns


def _join(whole: Span | None, parts: Sequence[Span]) -> Span:
    """One span: what a later part says stands, and what the whole one says above all."""
    ordered = sorted(parts, key=lambda part: (_moment(part), part.end_ns, repr(part)))
    told = [*ordered, whole] if whole is not None else ordered
    attributes = {name: value for span in told for name, value in span.attributes.items() if name != PART}
    events = {(e.name, e.time_ns, repr(e.attributes)): e for span in told for e in span.events}
    if whole is not None:
        return replace(whole, attributes=attributes, events=tuple(events.values()))
    return Span(
        told[0].trace_id,
        told[0].span_id,
        _parent(told),
        _last(span.name for span in told),
        min((span.start_ns for span in told if span.start_ns), default=0),
        max(span.end_ns for span in told),
        attributes,
        tuple(events.values()),
        max(span.status for span in told),
        _last(span.status_message for span in told),
        next((span.resource for span in reversed(told) if span.resource), {}),
        _last(span.scope for span in told),
        max(span.dropped for span in told),
    )


def _moment(part: Span) -> int:
    moment = part.attributes[PART]
    return moment if isinstance(moment, int) else 0


def _parent(told: Sequence[Span]) -> str:
    """The parent that is told; an update that names none hangs below its trace, or below nothing known."""
    named = [span.parent_id for span in told if ":" not in span.parent_id]
    return _last(named) or _last(span.parent_id for span in told)


def _last(texts: Iterable[str]) -> str:
    found = ""
    for text in texts:
        found = text or found
    return found


__all__ = ["without_doubles"]
