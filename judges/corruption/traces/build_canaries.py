"""Canaries: copies of a healthy trace that failed in a known way, marked, for a running system.

A canary keeps what its trace has (app, tenant, release, scores, times): only what must differ differs.
The truth stays with whoever built it; the trace carries nothing but the marker.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from random import Random

from judges.corruption.traces.draft import Draft, Truth, start_draft
from judges.corruption.traces.follow_up import make_follow_up
from judges.corruption.traces.make import WRITERS, truth_of
from judges.corruption.traces.material import Material, Pool, Turn
from judges.corruption.traces.surface import to_messages
from judges.distilled.reading.language import SUPPORTED, detect
from schemas.taxonomy import Failure
from schemas.trace import Chunk, Generation, Message, Retrieval, Trace

MARKER_KEY = "canary"
"""Where a trace carries its marker, among its extra keys."""
ANSWERED = frozenset({None, Failure.HALLUCINATION, Failure.OVER_REFUSAL})
_STEP = 0.97


@dataclass(frozen=True, slots=True)
class Canary:
    """A marked trace, the truth about it, and the trace it was made from."""

    trace: Trace
    truth: Truth
    source_id: str


def build_canaries(
    trace: Trace,
    pool: Pool,
    random: Random,
    *,
    marker: str,
    failures: Collection[Failure | None] = tuple(WRITERS),
    each: int = 1,
) -> list[Canary]:
    """Up to `each` canaries of every class in `failures` (null: a healthy one), of different kinds.

    `trace` must be healthy: its chunks hold its answer. Kinds that it does not admit are left out. Raises
    `ValueError` where it has no question, answer or chunk with text, is in no supported language, or for an
    empty marker.
    """
    if not marker.strip():
        raise ValueError("a canary needs a marker, or nobody can tell it from real traffic")
    material = read_material(trace)
    canaries = []
    for failure in WRITERS:
        if failure in failures:
            canaries += _build_class(trace, material, pool, random, marker, failure, each)
    return canaries


def read_marker(trace: Trace) -> str | None:
    """The marker of a canary; null for real traffic."""
    marker = trace.unknown.get(MARKER_KEY)
    return marker if isinstance(marker, str) else None


def read_material(trace: Trace) -> Material:
    """The material of a healthy trace. Raises `ValueError` where something is missing (see above)."""
    language = detect(trace.question, trace.answer)
    if language not in SUPPORTED:
        raise ValueError(
            f"canaries are built in {' and '.join(SUPPORTED)}, not in {language or 'no language'}"
        )
    chunks = (trace.retrieval.chunks if trace.retrieval else None) or []
    history = _read_turns(trace.history)
    return Material(
        language=language,
        question=trace.question or "",
        chunks=tuple(c.text for c in chunks if c.text and c.text.strip()),
        answer=trace.answer or "",
        history=history,
        rewrite=trace.rewritten_query if history else None,
    )


def _build_class(
    trace: Trace,
    material: Material,
    pool: Pool,
    random: Random,
    marker: str,
    failure: Failure | None,
    each: int,
) -> list[Canary]:
    if failure is Failure.REWRITE_FAILURE:
        material = make_follow_up(material, random) or material
    writers = WRITERS[failure]
    canaries: list[Canary] = []
    for kind in random.sample(list(writers), len(writers)):
        if len(canaries) == each:
            break
        draft = start_draft(material, tuple(pool.questions), random)
        draft.kind, draft.history, draft.rewrite = kind, material.history, _rewrite_of(trace, material)
        if not writers[kind](draft, pool if failure not in ANSWERED else Pool(), random):
            continue
        if failure in ANSWERED:
            draft.chunks = list(material.chunks)
        canaries.append(Canary(_copy(trace, draft, random, marker), truth_of(draft, failure), trace.trace_id))
    return canaries


def _rewrite_of(trace: Trace, material: Material) -> str | None:
    return material.rewrite if material.rewrite is not None else trace.rewritten_query


def _copy(trace: Trace, draft: Draft, random: Random, marker: str) -> Trace:
    generation = trace.generation or Generation()
    return trace.model_copy(
        deep=True,
        update={
            "trace_id": f"canary-{random.getrandbits(96):024x}",
            "question": draft.question,
            "history": to_messages(draft.history),
            "rewritten_query": draft.rewrite,
            "retrieval": _copy_retrieval(trace.retrieval or Retrieval(), draft),
            "generation": generation.model_copy(
                update={"finish_reason": draft.finish_reason, "error": draft.generation_error}
            ),
            "answer": draft.answer,
            "feedback": None,
            "extra": {**(trace.extra or {}), MARKER_KEY: marker},
        },
    )


def _copy_retrieval(retrieval: Retrieval, draft: Draft) -> Retrieval:
    """The new chunks under the old scores, in falling order; where more are needed, a little lower each."""
    originals = {c.text: c for c in retrieval.chunks or ()}
    known = sorted((c.score for c in retrieval.chunks or () if c.score is not None), reverse=True)
    chunks = []
    for place, text in enumerate(draft.chunks or ()):
        if known and place >= len(known):
            known.append(known[-1] - abs(known[-1]) * (1 - _STEP))
        score = known[place] if known else None
        same = originals.get(text) or Chunk(id=f"c{place + 1}", doc_id=f"d{place + 1}")
        chunks.append(Chunk(id=same.id, doc_id=same.doc_id, text=text, score=score, rank=place + 1))
    bar = retrieval.min_score
    if draft.below_bar:
        chunks = [c if c.score is not None else c.model_copy(update={"score": 0.2}) for c in chunks]
        bar = max(c.score or 0.0 for c in chunks) + 0.05
    return retrieval.model_copy(
        update={
            "chunks": None if draft.chunks is None else chunks,
            "error": draft.retrieval_error,
            "min_score": bar,
            "prompt_context": None,
        }
    )


def _read_turns(history: list[Message]) -> tuple[Turn, ...]:
    """Pairs of what the user said and what came back; what does not pair up is left out."""
    turns: list[Turn] = []
    asked: str | None = None
    for message in history:
        if message.role == "user":
            asked = message.content
        elif asked and message.content:
            turns.append((asked, message.content))
            asked = None
    return tuple(turns)
