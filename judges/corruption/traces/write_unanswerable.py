"""Traces whose chunks do not hold the answer: none came back, others did, or the query was wrong."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from judges.corruption.swap_entity import are_same_name
from judges.corruption.topics import list_topics
from judges.corruption.traces.answers import answer_from_wrong_context, answer_without_context
from judges.corruption.traces.draft import Draft, topic_of
from judges.corruption.traces.gather import (
    count_chunks,
    gather_astray,
    gather_cut,
    gather_near,
    gather_strangers,
)
from judges.corruption.traces.material import Pool
from judges.corruption.traces.writer import Writer

_BLANKS = ("", " ", "\n", "\n \n", "\t", "\u3000", "\u00a0")
_LOOKED_AT = 12


def write_no_chunks(draft: Draft, pool: Pool, random: Random) -> bool:
    """The retriever ran and found nothing."""
    draft.chunks = []
    answer_without_context(draft, random)
    return True


def write_blank_chunks(draft: Draft, pool: Pool, random: Random) -> bool:
    """Chunks came back, and there is nothing on them."""
    draft.chunks = [random.choice(_BLANKS) for _ in range(count_chunks(draft.material, random))]
    answer_without_context(draft, random)
    return True


def write_below_min_score(draft: Draft, pool: Pool, random: Random) -> bool:
    """Chunks came back, and none reaches the least score that counts."""
    near = gather_near(draft.material, pool, random) if random.random() < 0.4 else None
    draft.chunks = near or gather_strangers(draft.material, pool, random)
    draft.below_bar = True
    answer_without_context(draft, random)
    return bool(draft.chunks)


def write_irrelevant(draft: Draft, pool: Pool, random: Random) -> bool:
    """The question was clear, the chunks are about something else."""
    draft.chunks = gather_strangers(draft.material, pool, random)
    answer_from_wrong_context(draft, random)
    return bool(draft.chunks)


def write_near(draft: Draft, pool: Pool, random: Random) -> bool:
    """The chunks are on the topic, and do not answer."""
    draft.chunks = gather_near(draft.material, pool, random)
    answer_from_wrong_context(draft, random)
    return bool(draft.chunks)


def write_cut(draft: Draft, pool: Pool, random: Random) -> bool:
    """The right chunks, broken off before they answer."""
    draft.chunks = gather_cut(draft.material, pool, random)
    answer_from_wrong_context(draft, random)
    return bool(draft.chunks)


def write_missing_rewrite(draft: Draft, pool: Pool, random: Random) -> bool:
    """A follow-up that nobody resolved."""
    return _go_astray(draft, pool, random, None)


def write_unchanged_rewrite(draft: Draft, pool: Pool, random: Random) -> bool:
    """A follow-up that the rewriter handed on as it was."""
    return _go_astray(draft, pool, random, draft.question)


def write_wrong_rewrite(draft: Draft, pool: Pool, random: Random) -> bool:
    """A follow-up that was resolved to something else."""
    wrong = misresolve(draft, pool, random)
    return wrong is not None and _go_astray(draft, pool, random, wrong)


def misresolve(draft: Draft, pool: Pool, random: Random) -> str | None:
    """The good rewrite with another topic in place of its own; null where the pool names none."""
    material = draft.material
    if material.rewrite is None:
        return None
    topic = topic_of(material).removeprefix("the ")
    if topic not in material.rewrite:
        return random.choice(pool.questions) if pool.questions else None
    looked_at: Sequence[str] = random.sample(list(pool.passages), min(_LOOKED_AT, len(pool.passages)))
    others = [t.removeprefix("the ") for t in list_topics(looked_at, material.language)]
    told = (" ").join(
        (material.rewrite, *material.chunks, *(part for turn in material.history for part in turn))
    )
    others = [o for o in others if not are_same_name(o, topic) and o not in told]
    return material.rewrite.replace(topic, random.choice(others)) if others else None


def _go_astray(draft: Draft, pool: Pool, random: Random, rewrite: str | None) -> bool:
    if not draft.material.is_follow_up:
        return False
    draft.rewrite = rewrite
    draft.chunks = gather_astray(draft.material, pool, random, rewrite or draft.question)
    answer_from_wrong_context(draft, random)
    return bool(draft.chunks)


EMPTY_RECALL: dict[str, Writer] = {
    "no_chunks": write_no_chunks,
    "blank_chunks": write_blank_chunks,
    "below_min_score": write_below_min_score,
}
POOR_RETRIEVAL: dict[str, Writer] = {"irrelevant": write_irrelevant, "near": write_near, "cut": write_cut}
REWRITE_FAILURE: dict[str, Writer] = {
    "missing": write_missing_rewrite,
    "unchanged": write_unchanged_rewrite,
    "wrong_entity": write_wrong_rewrite,
}
