"""A redacted trace, ready to be shown: claims numbered, their evidence marked in the chunks.

What lies in the queue was written by us, yet out of what others sent: each value is looked at before use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from console.labels import ShownClaim
from console.rendering.highlight import Mark
from judges.distilled.reading.claims import split_claims

_MOST_CHUNKS: Final = 100
_MOST_TURNS: Final = 50


@dataclass(frozen=True, slots=True)
class ShownChunk:
    """One chunk: its place, its id, its text (null where it was not recorded), and what is marked in it."""

    number: int
    id: str
    title: str
    text: str | None
    marks: tuple[Mark, ...] = ()
    score: float | None = None


@dataclass(frozen=True, slots=True)
class ShownCase:
    """A case for whoever labels it. `answer` is null where there was none."""

    question: str
    rewritten: str | None
    history: tuple[tuple[str, str], ...]
    answer: str | None
    answer_marks: tuple[Mark, ...]
    claims: tuple[ShownClaim, ...]
    chunks: tuple[ShownChunk, ...] | None
    """Null: no retrieval was seen. Empty: it ran and found nothing."""
    context: str | None
    """The part of the prompt that held the context, where chunks have no text."""
    errors: tuple[str, ...]
    scores: Mapping[str, Any]
    feedback: int | None
    comment: str | None


def show_case(payload: Mapping[str, Any], language: str) -> ShownCase:
    """The payload of an item of the queue."""
    trace, scores = _mapping(payload.get("trace")), _mapping(payload.get("scores"))
    retrieval, generation = trace.get("retrieval"), _mapping(trace.get("generation"))
    answer = _text(trace.get("answer"))
    evidence = [_mapping(one) for one in _list(scores.get("evidence"))]
    claims = find_claims(answer, language, evidence)
    feedback = _mapping(trace.get("feedback"))
    return ShownCase(
        question=_text(trace.get("question")) or "",
        rewritten=_text(trace.get("rewritten_query")),
        history=tuple(_turn(one) for one in _list(trace.get("history"))[-_MOST_TURNS:]),
        answer=answer,
        answer_marks=tuple(Mark(c.start, c.end, "claim", "", c.number) for c in claims),
        claims=claims,
        chunks=_chunks(retrieval, claims, evidence),
        context=_text(_mapping(retrieval).get("prompt_context")),
        errors=tuple(
            text for source in (_mapping(retrieval), generation) if (text := _text(source.get("error")))
        ),
        scores=scores,
        feedback=_whole(feedback.get("rating")),
        comment=_text(feedback.get("comment")),
    )


def find_claims(
    answer: str | None, language: str, evidence: Sequence[Mapping[str, Any]] = ()
) -> tuple[ShownClaim, ...]:
    """The claims of an answer, numbered from 1: its sentences, and what was scored outside of them."""
    if not answer:
        return ()
    spans = {(span.start, span.end) for span in split_claims(answer, language or None)}
    for one in evidence:
        start, end = _span(one.get("start"), one.get("end"), len(answer))
        if start < end and not any(start < e and s < end for s, e in spans):
            spans.add((start, end))
    return tuple(
        ShownClaim(number, answer[start:end], start, end)
        for number, (start, end) in enumerate(sorted(spans), start=1)
    )


def _chunks(
    retrieval: Any, claims: Sequence[ShownClaim], evidence: Sequence[Mapping[str, Any]]
) -> tuple[ShownChunk, ...] | None:
    if not isinstance(retrieval, Mapping):
        return None
    found = []
    for at, raw in enumerate(_list(retrieval.get("chunks"))[:_MOST_CHUNKS]):
        chunk = _mapping(raw)
        text = _text(chunk.get("text"))
        marks = tuple(_marks_in(at, len(text or ""), claims, evidence))
        score = chunk.get("score")
        found.append(
            ShownChunk(
                number=at + 1,
                id=_text(chunk.get("id")) or "",
                title=_text(chunk.get("doc_id")) or "",
                text=text,
                marks=marks,
                score=float(score) if isinstance(score, int | float) else None,
            )
        )
    return tuple(found)


def _marks_in(
    chunk: int, length: int, claims: Sequence[ShownClaim], evidence: Sequence[Mapping[str, Any]]
) -> list[Mark]:
    marks = []
    for one in evidence:
        if one.get("chunk") == chunk and not isinstance(one.get("chunk"), bool):
            start, end = _span(one.get("chunk_start"), one.get("chunk_end"), length)
            number = _number_of(one, claims)
            marks.append(Mark(start, end, "evidence", "" if number is None else f"→ {number}", number))
    return marks


def _number_of(evidence: Mapping[str, Any], claims: Sequence[ShownClaim]) -> int | None:
    """The claim that overlaps most with what the evidence is for."""
    start, end = _span(evidence.get("start"), evidence.get("end"), 1 << 30)
    shared = [(min(end, c.end) - max(start, c.start), -c.number) for c in claims]
    best = max(shared, default=(0, 0))
    return -best[1] if best[0] > 0 else None


def _turn(raw: Any) -> tuple[str, str]:
    turn = _mapping(raw)
    return _text(turn.get("role")) or "", _text(turn.get("content")) or ""


def _span(start: Any, end: Any, length: int) -> tuple[int, int]:
    first, last = _whole(start) or 0, _whole(end) or 0
    return max(0, min(first, length)), max(0, min(last, length))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


__all__ = ["ShownCase", "ShownChunk", "find_claims", "show_case"]
