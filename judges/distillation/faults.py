"""Failure traces to learn from: made by controlled corruption, and by nature, from permitted rows."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from judges.corruption.traces import Made, Material, Pool, make_trace
from judges.corruption.traces.overlap import coverage
from judges.distillation.material import Source, ask_on
from schemas.taxonomy import HEALTHY, Failure
from schemas.trace import Trace

CLASSES = ("rewrite_failure", "poor_retrieval", "over_refusal", "hallucination", HEALTHY)
"""Those that only learning tells apart: errors and empty retrievals are seen in the trace itself."""
DRAWN = 24
"""Other sources that the pool of one trace is drawn from."""
TRIES = 6
REWORDED = 0.5
"""Share of resolved follow-ups whose rewrite is worded anew."""
UNLOGGED = 0.25
"""Share of those with no rewrite."""
_WORDS_EN = re.compile(r"\b[a-z]{5,12}\b")
_CLAUSES_ZH = re.compile(r"(?<![\u4e00-\u9fff])[\u4e00-\u9fff]{3,7}(?![\u4e00-\u9fff])")
_HEAD = 24
"""Characters that tell one passage from another; its end may have been broken off."""
HONEST = frozenset({"refused", "copied", "paraphrased"})
"""Ways to answer that need no answer known to be right."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One trace, its class (or `healthy`), and what it was made from."""

    trace: Trace
    failure: str
    language: str
    group: str
    kind: str
    source: str
    holds_answer: bool
    found: bool
    """The chunks are what a retriever really found for the question, and people saw no answer in them."""
    answering: int | None
    """Which chunk holds most of the answer, where any does."""
    others: tuple[int, ...]
    """Chunks that may hold a part of it."""


def make_faults(sources: Sequence[Source], each: int, seed: int) -> list[Fault]:
    """`each` traces of every class in `CLASSES` and each language, as far as the sources admit."""
    random = Random(seed)
    faults: list[Fault] = []
    for language in ("en", "zh"):
        mine = [s for s in sources if s.material.language == language]
        for name in CLASSES if mine else ():
            faults += _make_class(mine, name, each, random)
    return faults


def _make_class(sources: Sequence[Source], name: str, each: int, random: Random) -> Iterator[Fault]:
    by_set: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        if _admits(source, name):
            by_set[source.name].append(source)
    names = sorted(by_set)
    for _ in range(each if names else 0):
        for _ in range(TRIES):
            source = random.choice(by_set[random.choice(names)])
            fault = _WRITERS[name](source, _draw_pool(source, sources, random), random)
            if fault is not None:
                if name != Failure.REWRITE_FAILURE:
                    fault = reword(fault, source, random)
                answering, others = _find_answering(source, fault)
                yield Fault(
                    trace=fault.trace,
                    failure=name,
                    language=source.material.language,
                    group=source.group,
                    kind=fault.truth.kind,
                    source=source.name,
                    holds_answer=fault.truth.context_holds_answer,
                    found=not source.answerable and not source.material.is_follow_up,
                    answering=answering,
                    others=others,
                )
                break


def reword(made: Made, source: Source, random: Random) -> Made:
    """A follow-up as other retrievers log it: with a rewrite in new words, or with none at all.

    Good rewriters add words that stood in no earlier turn, and some retrievers read the history themselves.
    """
    trace = made.trace
    if not trace.history or not trace.rewritten_query or random.random() >= REWORDED:
        return made
    if random.random() < UNLOGGED:
        rewrite = None if made.truth.context_holds_answer else trace.rewritten_query
    else:
        rewrite = _mix_in(trace.rewritten_query, source, random)
    return replace(made, trace=trace.model_copy(update={"rewritten_query": rewrite}))


def _mix_in(query: str, source: Source, random: Random) -> str:
    """Some words of a query replaced by words of the passage that it is after."""
    passage = random.choice(source.material.chunks)
    if source.material.language == "zh":
        clauses = [c for c in _CLAUSES_ZH.findall(passage) if c not in query]
        if not clauses:
            return query
        mark = "？" if query.endswith(("？", "?")) else ""
        return random.choice(
            (f"{random.choice(clauses)}，{query}", query.rstrip("？?") + random.choice(clauses) + mark)
        )
    words, new = query.split(), _WORDS_EN.findall(passage)
    for _ in range(random.randint(1, 3) if len(words) > 3 and new else 0):
        at = random.randrange(len(words))
        if words[at][:1].islower() and len(words[at]) > 3 and random.random() < 0.6:
            words[at] = random.choice(new)
        else:
            words.insert(at, random.choice(new))
    return " ".join(words)


def _find_answering(source: Source, made: Made) -> tuple[int | None, tuple[int, ...]]:
    """The chunk that comes from the passage nearest to the answer, and those of its other passages."""
    chunks = made.trace.retrieval.chunks if made.trace.retrieval else None
    if not made.truth.context_holds_answer or not chunks:
        return None, ()
    heads = [passage[:_HEAD] for passage in source.material.chunks]
    own = [i for i, chunk in enumerate(chunks) if (chunk.text or "")[:_HEAD] in heads]
    answer = source.material.answer
    best = max(own, key=lambda i: coverage(answer, chunks[i].text or ""), default=None)
    return best, tuple(i for i in own if i != best)


def _admits(source: Source, name: str) -> bool:
    """Whether traces of a class can be made from a source."""
    if not source.answerable:
        return name == Failure.POOR_RETRIEVAL or (
            name == Failure.REWRITE_FAILURE and source.material.is_follow_up
        )
    if source.flawed:
        return name == Failure.HALLUCINATION
    return True


def _draw_pool(source: Source, sources: Sequence[Source], random: Random) -> Pool:
    others = [random.choice(sources) for _ in range(DRAWN)]
    others = [o for o in others if o.group != source.group]
    passages = tuple(
        c for o in others for c in o.material.chunks if o.answerable or not o.material.is_follow_up
    )
    return Pool((*source.near, *passages), tuple(o.material.question for o in others))


def _write(
    material: Material, pool: Pool, failure: Failure | None, random: Random, kind: str | None = None
) -> Made | None:
    try:
        return make_trace(material, pool, failure, random, kind)
    except IndexError:  # no pool to draw from
        return None


def _write_healthy(source: Source, pool: Pool, random: Random) -> Made | None:
    return _write(_maybe_later(source, random), pool, None, random)


def _write_hallucination(source: Source, pool: Pool, random: Random) -> Made | None:
    """What people marked as flawed is given as it is; a supported answer gets something changed."""
    material = _maybe_later(source, random)
    return _write(material, pool, None if source.flawed else Failure.HALLUCINATION, random)


def _write_over_refusal(source: Source, pool: Pool, random: Random) -> Made | None:
    return _write(_maybe_later(source, random), pool, Failure.OVER_REFUSAL, random)


def _write_poor_retrieval(source: Source, pool: Pool, random: Random) -> Made | None:
    if source.answerable:
        return _write(_maybe_later(source, random), pool, Failure.POOR_RETRIEVAL, random)
    if source.near:  # what was really found for this question, and does not answer it
        pool = Pool(
            (*source.near, *random.sample(list(pool.passages), min(2, len(pool.passages)))), pool.questions
        )
    kind = "near" if source.near else "irrelevant"
    return _without_memory(lambda: _write(source.material, pool, Failure.POOR_RETRIEVAL, random, kind))


def _write_rewrite_failure(source: Source, pool: Pool, random: Random) -> Made | None:
    follow_up = source if source.material.is_follow_up else ask_on(source, random.randrange(64)) or source
    made: Callable[[], Made | None] = lambda: _write(  # noqa: E731
        follow_up.material, pool, Failure.REWRITE_FAILURE, random
    )
    return made() if source.answerable else _without_memory(made)


def _without_memory(make: Callable[[], Made | None]) -> Made | None:
    """A trace whose answer does not come from the material's own, which is a stand-in."""
    for _ in range(TRIES):
        made = make()
        if made is not None and made.truth.manner in HONEST:
            return made
    return None


def _maybe_later(source: Source, random: Random) -> Material:
    """In a fifth of all traces the question is asked on from an earlier turn, where that can be done."""
    later = ask_on(source, random.randrange(64)) if random.random() < 0.2 else None
    return (later or source).material


_WRITERS: dict[str, Callable[[Source, Pool, Random], Made | None]] = {
    "rewrite_failure": _write_rewrite_failure,
    "poor_retrieval": _write_poor_retrieval,
    "over_refusal": _write_over_refusal,
    "hallucination": _write_hallucination,
    HEALTHY: _write_healthy,
}
