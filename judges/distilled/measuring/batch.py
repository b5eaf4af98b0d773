"""A batch of traces laid out for array work: which texts there are, whose, and which are chunks.

Long input is cut here, once, and says so: a trace keeps at most `MAX_CONTEXT_CHARS` of context (each
chunk gives up the same share) and `MAX_CLAIMS` claims of its answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from judges.distilled.reading.citations import Citation, find_citations, strip_citations
from judges.distilled.reading.claims import MAX_ANSWER_CHARS, MAX_CLAIMS, Span, split_claims
from judges.distilled.reading.language import detect, normalise
from judges.distilled.reading.refusal import NONE, Refusal, find_refusal
from schemas.blank import is_blank
from schemas.trace import Trace

MAX_CONTEXT_CHARS = 400_000
MAX_CHUNKS = 400
"""Fewer than `schemas.bounds` keeps: those beyond are stored, for people, and not scored."""
MAX_QUESTION_CHARS = 4_000
MAX_HISTORY_CHARS = 8_000
BATCH_CHARS = 120_000
"""A batch is scored in parts of about this many characters, which bounds its memory to some 20 MB and
keeps its arrays in the cache."""


class Role(IntEnum):
    """What a text of a trace is."""

    QUESTION = 0
    REWRITE = 1
    HISTORY = 2
    ANSWER = 3
    CHUNK = 4


@dataclass(slots=True)
class Case:
    """One trace, read once: what the scorers look at."""

    trace: Trace
    language: str | None
    question: str
    rewrite: str
    history: str
    answer: str
    chunks: list[str]
    chunk_index: list[int]
    """Place of each of `chunks` among the trace's chunks; -1 for the prompt's context."""
    claims: list[Span]
    citations: list[Citation]
    refusal: Refusal
    truncated: bool
    unread: bool
    """Chunks were returned, none with anything to read, and of some the source recorded no text."""
    from_prompt: bool


@dataclass(slots=True)
class Layout:
    """The texts of some cases in one list, with the case and the role of each."""

    cases: Sequence[Case]
    texts: list[str] = field(default_factory=list)
    case: list[int] = field(default_factory=list)
    role: list[int] = field(default_factory=list)
    place: list[int] = field(default_factory=list)
    """For chunks: which of the case's chunks."""
    chunk_first: list[int] = field(default_factory=list)
    """Where in `texts` the chunks of each case begin."""


def read_case(trace: Trace) -> Case:
    """Pick out of a trace what scoring needs, and cut what is too long."""
    whole_question = trace.question or ""
    question = whole_question[:MAX_QUESTION_CHARS]
    rewrite = (trace.rewritten_query or "")[:MAX_QUESTION_CHARS]
    whole_answer = trace.answer or ""
    answer = whole_answer[:MAX_ANSWER_CHARS]
    language = detect(question, answer, rewrite) or normalise(trace.language)
    chunks, places, cut, unread, from_prompt = _read_context(trace)
    citations = find_citations(answer) if answer else []
    plain = strip_citations(answer, citations) if citations else answer
    refusal = find_refusal(plain, question) if plain else NONE
    claims = split_claims(plain, detect(plain) or language) if plain else []
    claims = [c for c in claims if not _overlaps(c, refusal.declining)]
    history = "\n".join(m.content for m in trace.history[-12:] if m.content)[-MAX_HISTORY_CHARS:]
    return Case(
        trace=trace,
        language=language,
        question=question,
        rewrite=rewrite,
        history=history,
        answer=plain,
        chunks=chunks,
        chunk_index=places,
        claims=claims,
        citations=citations,
        refusal=refusal,
        truncated=cut
        or len(whole_question) > MAX_QUESTION_CHARS
        or len(whole_answer) > MAX_ANSWER_CHARS
        or len(claims) >= MAX_CLAIMS,
        unread=unread,
        from_prompt=from_prompt,
    )


def lay_out(cases: Sequence[Case]) -> Layout:
    """The texts of `cases`, in a fixed order within each: question, rewrite, history, answer, chunks."""
    layout = Layout(cases)
    for i, case in enumerate(cases):
        fixed = [case.question, case.rewrite, case.history, case.answer]
        layout.texts += fixed
        layout.chunk_first.append(len(layout.texts))
        layout.texts += case.chunks
        layout.case += [i] * (4 + len(case.chunks))
        layout.role += [0, 1, 2, 3]
        layout.role += [int(Role.CHUNK)] * len(case.chunks)
        layout.place += [-1] * 4
        layout.place += range(len(case.chunks))
    return layout


def split_cases(cases: Sequence[Case]) -> Iterator[Sequence[Case]]:
    """Parts of about `BATCH_CHARS` characters, at least one case each."""
    start = size = 0
    for i, case in enumerate(cases):
        weight = len(case.answer) + len(case.history) + sum(map(len, case.chunks)) + 64
        if i > start and size + weight > BATCH_CHARS:
            yield cases[start:i]
            start, size = i, 0
        size += weight
    if start < len(cases):
        yield cases[start:]


def _overlaps(claim: Span, spans: tuple[tuple[int, int], ...]) -> bool:
    return any(claim.start < end and start < claim.end for start, end in spans)


def _read_context(trace: Trace) -> tuple[list[str], list[int], bool, bool, bool]:
    retrieval = trace.retrieval
    if retrieval is None:
        return [], [], False, False, False
    found = retrieval.chunks
    texts = [(i, c.text or "") for i, c in enumerate(found or ()) if not is_blank(c.text)]
    unread = not texts and any(c.text is None for c in found or ())
    from_prompt = not texts and not is_blank(retrieval.prompt_context)
    if from_prompt:
        texts = [(-1, retrieval.prompt_context or "")]
    cut = len(texts) > MAX_CHUNKS
    texts = texts[:MAX_CHUNKS]
    total = sum(len(t) for _, t in texts)
    if total > MAX_CONTEXT_CHARS:
        cut = True
        share = MAX_CONTEXT_CHARS // len(texts)
        texts = [(i, t[:share]) for i, t in texts]
    return [t for _, t in texts], [i for i, _ in texts], cut, unread, from_prompt
