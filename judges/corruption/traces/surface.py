"""Everything about a trace that says nothing of its quality: ids, scores, times, feedback.

Drawn in one place and alike for all classes, so that nothing here can give a class away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from judges.corruption.traces.draft import Draft
from schemas.trace import Chunk, Feedback, Generation, Message, Release, Retrieval, Trace

SCALES = ("cosine", "bm25", "logit", "none")
_EPOCH = datetime(2026, 1, 5, tzinfo=UTC)
_DAYS = 120
_APPS = ("help-desk", "handbook", "product-faq", "intranet")
_TENANTS = ("north", "south", "east", "west", "harbour")
_EMBEDDERS = ("bge-m3", "e5-large", "text-embedding-3-small", "gte-base")
_GENERATORS = ("qwen-max", "llama-3.1-8b", "gpt-4o-mini", "deepseek-chat", "glm-4-9b")
_INTENTS = (None, None, "faq", "lookup", "how-to")


@dataclass(frozen=True, slots=True)
class Scale:
    """How an index scores: the first score, the greatest step down, and digits."""

    top: tuple[float, float]
    step: float
    digits: int
    bar: float
    """Share of traces with a least score."""


_SCALES = {
    "cosine": Scale((0.45, 0.93), 0.06, 4, 0.4),
    "bm25": Scale((6.0, 38.0), 4.0, 3, 0.2),
    "logit": Scale((-2.0, 9.0), 2.0, 3, 0.2),
    "none": Scale((0.0, 0.0), 0.0, 1, 0.0),
}


def dress(draft: Draft, random: Random) -> Trace:
    """The trace of a draft."""
    scale = random.choice(SCALES if not draft.below_bar else SCALES[:3])
    retrieval = _draw_retrieval(draft, scale, random)
    generation = _draw_generation(draft, retrieval, random)
    talks = bool(draft.history) or random.random() < 0.3
    return Trace(
        trace_id=f"{random.getrandbits(128):032x}",
        timestamp=_EPOCH
        + timedelta(seconds=random.randrange(_DAYS * 86_400), milliseconds=random.randrange(1000)),
        app=random.choice(_APPS),
        tenant=random.choice(_TENANTS),
        environment="prod",
        intent=random.choice(_INTENTS),
        language=random.choice((draft.material.language, None)),
        release=_draw_release(generation.model, random),
        conversation_id=f"c-{random.getrandbits(48):012x}" if talks else None,
        turn=len(draft.history) + 1 if talks else None,
        history=to_messages(draft.history),
        question=draft.question,
        rewritten_query=draft.rewrite,
        retrieval=retrieval,
        generation=generation,
        answer=draft.answer,
        feedback=_draw_feedback(random),
    )


def to_messages(history: Sequence[tuple[str, str]]) -> list[Message]:
    """Turns as the messages of a trace.

    >>> [message.role for message in to_messages([("Hi", "Hello!")])]
    ['user', 'assistant']
    """
    return [
        Message(role=role, content=content)
        for turn in history
        for role, content in zip(("user", "assistant"), turn, strict=True)
    ]


def draw_scores(count: int, scale: str, random: Random) -> list[float | None]:
    """Falling scores on one scale (`none`: no scores at all).

    >>> draw_scores(2, "none", Random(1))
    [None, None]
    """
    if scale == "none":
        return [None] * count
    kind = _SCALES[scale]
    value = random.uniform(*kind.top)
    scores: list[float | None] = []
    for _ in range(count):
        scores.append(round(value, kind.digits))
        value -= random.uniform(0.01, 1.0) * kind.step
        if scale != "logit":
            value = max(value, 0.01)
    return scores


def _draw_retrieval(draft: Draft, scale: str, random: Random) -> Retrieval:
    count = len(draft.chunks or ())
    scores = draw_scores(count, scale, random)
    reranked = random.random() < 0.25
    ranked = random.random() < 0.6
    bar = _draw_bar(scores, scale, draft.below_bar, random)
    chunks = []
    for place, (text, score) in enumerate(zip(draft.chunks or (), scores, strict=True), 1):
        document = f"d{random.getrandbits(32):08x}"
        chunks.append(
            Chunk(
                id=f"{document}#{random.randrange(900)}",
                doc_id=document,
                text=text,
                score=score,
                rerank_score=round(random.uniform(0.2, 1.0) / place, 4) if reranked else None,
                rank=place if ranked else None,
            )
        )
    return Retrieval(
        top_k=random.choice((count, count, count + 1, count + 2, 10))
        if count
        else random.choice((3, 5, 8, 10)),
        min_score=bar,
        latency_ms=round(random.lognormvariate(4.2, 0.6), 1),
        error=draft.retrieval_error,
        chunks=None if draft.chunks is None else chunks,
    )


def _draw_bar(scores: Sequence[float | None], scale: str, below: bool, random: Random) -> float | None:
    """The least score that counts: above all scores where `below`, else under the best of them."""
    known = [s for s in scores if s is not None]
    kind = _SCALES[scale]
    if below and known:
        return round(max(known) + random.uniform(0.05, 1.0) * kind.step + 0.01, 2)
    if random.random() >= kind.bar:
        return None
    lowest = min(known, default=kind.top[0])
    return round(lowest - random.uniform(0.0, 1.0) * kind.step - 0.01, 2)


def _draw_generation(draft: Draft, retrieval: Retrieval, random: Random) -> Generation:
    latency = random.lognormvariate(7.0, 0.5)
    read = sum(len(c.text or "") for c in retrieval.chunks or ()) + len(draft.question)
    density = 4.0 if draft.material.language == "en" else 1.6
    return Generation(
        model=random.choice(_GENERATORS),
        finish_reason=draft.finish_reason,
        latency_ms=round(latency, 1),
        ttft_ms=round(latency * random.uniform(0.1, 0.4), 1),
        input_tokens=int(read / density) + random.randint(60, 240),
        output_tokens=int(len(draft.answer or "") / density) + random.randint(0, 12),
        error=draft.generation_error,
    )


def _draw_release(generator: str | None, random: Random) -> Release:
    return Release(
        app=f"v{random.randint(1, 4)}",
        prompt=f"p{random.randint(1, 5)}",
        index=f"kb-{random.randint(1, 3)}",
        embedding_model=random.choice(_EMBEDDERS),
        generator=generator,
    )


def _draw_feedback(random: Random) -> Feedback | None:
    if random.random() >= 0.15:
        return None
    return Feedback(rating=random.choice((-1, 0, 1, 1)), comment=None)
