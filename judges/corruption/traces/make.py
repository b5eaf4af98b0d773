"""Make a trace of any class and kind from a healthy one, with the truth about it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from judges.corruption.traces.draft import Draft, Truth, start_draft
from judges.corruption.traces.follow_up import make_follow_up
from judges.corruption.traces.material import Material, Pool
from judges.corruption.traces.surface import dress
from judges.corruption.traces.write_answered import HALLUCINATION, HEALTHY, OVER_REFUSAL
from judges.corruption.traces.write_system_error import SYSTEM_ERROR
from judges.corruption.traces.write_unanswerable import EMPTY_RECALL, POOR_RETRIEVAL, REWRITE_FAILURE
from judges.corruption.traces.writer import Writer
from schemas.taxonomy import Failure
from schemas.trace import Trace

WRITERS: dict[Failure | None, dict[str, Writer]] = {
    None: HEALTHY,
    Failure.SYSTEM_ERROR: SYSTEM_ERROR,
    Failure.REWRITE_FAILURE: REWRITE_FAILURE,
    Failure.EMPTY_RECALL: EMPTY_RECALL,
    Failure.POOR_RETRIEVAL: POOR_RETRIEVAL,
    Failure.OVER_REFUSAL: OVER_REFUSAL,
    Failure.HALLUCINATION: HALLUCINATION,
}
"""Every class (null: healthy), and what writes each of its kinds."""
FOLLOW_UPS = 0.3
"""Share of clear questions that are asked in two turns, whatever becomes of them."""


@dataclass(frozen=True, slots=True)
class Made:
    """A trace and the truth about it."""

    trace: Trace
    truth: Truth


def list_kinds(failure: Failure | None) -> tuple[str, ...]:
    """The kinds of one class.

    >>> list_kinds(Failure.POOR_RETRIEVAL)
    ('irrelevant', 'near', 'cut')
    """
    return tuple(WRITERS[failure])


def make_trace(
    material: Material, pool: Pool, failure: Failure | None, random: Random, kind: str | None = None
) -> Made | None:
    """A trace of one class (null: healthy), of the given kind or of a random one that the material admits.

    Null where it admits none: an answer without a number has none to change, a question that names nothing
    cannot become a follow-up. Raises `ValueError` for a kind that the class does not have.
    """
    writers = WRITERS[failure]
    if kind is not None and kind not in writers:
        raise ValueError(f"{failure or 'healthy'} has no kind {kind!r}; it has {', '.join(writers)}")
    told = _ask_in_two_turns(material, failure, random)
    kinds = [kind] if kind is not None else random.sample(list(writers), len(writers))
    for name in kinds:
        draft = start_draft(told, tuple(pool.questions), random)
        draft.kind = name
        if writers[name](draft, pool, random):
            return Made(dress(draft, random), truth_of(draft, failure))
    return None


def truth_of(draft: Draft, failure: Failure | None) -> Truth:
    """What is known of a draft."""
    return Truth(
        failure=failure,
        kind=draft.kind,
        manner=draft.manner,
        refusal=draft.refusal,
        context_holds_answer=draft.holds_answer,
        changes=draft.changes,
    )


def _ask_in_two_turns(material: Material, failure: Failure | None, random: Random) -> Material:
    """Only a follow-up can be rewritten wrongly; every other class has its share of them."""
    if random.random() < FOLLOW_UPS or failure is Failure.REWRITE_FAILURE:
        return make_follow_up(material, random) or material
    return material
