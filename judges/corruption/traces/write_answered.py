"""Traces whose chunks hold the answer: healthy ones, hallucinations and refusals that were one too many."""

from __future__ import annotations

from functools import partial
from random import Random

from judges.corruption.change import Kind
from judges.corruption.corrupt import CORRUPTIONS
from judges.corruption.traces.answers import answer_supported, maybe_cite
from judges.corruption.traces.draft import Draft, be_polite, list_manners, refuse
from judges.corruption.traces.gather import gather_good
from judges.corruption.traces.material import Pool
from judges.corruption.traces.writer import Writer

TWO = "two_changes"


def write_healthy(draft: Draft, pool: Pool, random: Random) -> bool:
    """Good chunks, and the answer they hold."""
    draft.chunks = gather_good(draft.material, pool, random)
    answer_supported(draft, random)
    return True


def write_hallucination(draft: Draft, pool: Pool, random: Random, *, kind: Kind | None) -> bool:
    """Good chunks, and their answer with one thing changed (two, for a null kind)."""
    draft.chunks = gather_good(draft.material, pool, random)
    text = maybe_cite(draft, draft.material.answer, random)
    change = CORRUPTIONS[kind or random.choice(list(Kind))](text, random, draft.chunks)
    if change is None:
        return False
    draft.manner, draft.holds_answer = "changed", True
    draft.changes, draft.answer = (change,), change.text
    if kind is None and not _change_again(draft, random):
        return False
    be_polite(draft, random)
    return True


def _change_again(draft: Draft, random: Random) -> bool:
    """A second change, behind the first one or before it, that leaves the first one in place."""
    (first,) = draft.changes
    for other in random.sample(list(Kind), len(Kind)):
        second = CORRUPTIONS[other](first.text, random, draft.chunks or ())
        if second is None or second.kind is first.kind:
            continue
        if second.start >= first.end:
            draft.answer, draft.changes = second.text, (first, second)
            return True
    return False


def write_over_refusal(draft: Draft, pool: Pool, random: Random, *, manner: str) -> bool:
    """Good chunks, and a model that declines in one manner of the bank."""
    draft.chunks = gather_good(draft.material, pool, random)
    draft.manner, draft.holds_answer = "refused", True
    draft.answer = refuse(draft, random, manner)
    be_polite(draft, random)
    return True


HEALTHY: dict[str, Writer] = {"supported": write_healthy}
HALLUCINATION: dict[str, Writer] = {
    **{kind.value: partial(write_hallucination, kind=kind) for kind in Kind},
    TWO: partial(write_hallucination, kind=None),
}
OVER_REFUSAL: dict[str, Writer] = {
    manner: partial(write_over_refusal, manner=manner) for manner in list_manners("en")
}
