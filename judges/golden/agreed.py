"""What people agree on of a question: that it should be declined, or which chunks hold what answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from schemas.golden import Kind
from schemas.taxonomy import Failure

_OVERLAP: Final = 0.5
"""Jaccard similarity that each annotator's chunks must have with those that most of them name."""


class LeftOut(StrEnum):
    """Why a labelled trace is no golden case."""

    TOO_FEW = "too few annotators said what is true of it"
    NO_TRUTH = "nobody said which chunks hold the answer, what it is, or that it should be declined"
    REFUSAL = "annotators disagree on whether it should be declined"
    CHUNKS = "annotators name different chunks"


@dataclass(frozen=True, slots=True)
class Vote:
    """What one annotator said of one trace; null or empty is not said."""

    annotator: str
    at: datetime
    is_last_word: bool = False
    """An arbitrator's, which goes before all votes."""
    should_refuse: bool | None = None
    gold_chunk_ids: frozenset[str] = field(default_factory=frozenset)
    reference_answer: str = ""
    failure: str = ""
    kind: Kind | None = None
    weight: float = 1.0

    @property
    def declines(self) -> bool | None:
        """Whether it should be declined, be it said or meant: who names an answer means that there is one."""
        if self.should_refuse is not None:
            return self.should_refuse
        if self.gold_chunk_ids or self.reference_answer or self.failure == Failure.OVER_REFUSAL:
            return False
        return None


@dataclass(frozen=True, slots=True)
class Truth:
    """What is taken to be so."""

    should_refuse: bool
    gold_chunk_ids: tuple[str, ...]
    reference_answer: str | None
    kind: Kind | None
    """Where somebody said it, and no more say another."""
    annotators: int


def find_truth(votes: Iterable[Vote], least: int) -> Truth | LeftOut:
    """What `least` annotators, or one arbitrator, say without contradiction; or why there is no such thing.

    What an arbitrator says counts alone; what one leaves open is what the others agree on.
    """
    telling = [vote for vote in votes if vote.declines is not None]
    last = max((vote for vote in telling if vote.is_last_word), key=lambda v: v.at, default=None)
    others = [vote for vote in telling if not vote.is_last_word]
    if last is None and len({vote.annotator for vote in others}) < max(least, 1):
        return LeftOut.TOO_FEW if telling else LeftOut.NO_TRUTH
    declines = {last.declines} if last else {vote.declines for vote in others}
    if len(declines) > 1:
        return LeftOut.REFUSAL
    should_refuse = bool(declines.pop())
    # who takes it to be otherwise has said nothing about the answer that counts
    in_line = [vote for vote in others if vote.declines == should_refuse]
    chunks = _chunks(last, in_line)
    if isinstance(chunks, LeftOut):
        return chunks
    said = ([last] if last else []) + in_line
    reference = None if should_refuse else _reference(said)
    gold = () if should_refuse else chunks
    if not (should_refuse or gold or reference):
        return LeftOut.NO_TRUTH
    return Truth(should_refuse, gold, reference, _kind(last, in_line), len({vote.annotator for vote in said}))


def _chunks(last: Vote | None, votes: Sequence[Vote]) -> tuple[str, ...] | LeftOut:
    if last is not None and last.gold_chunk_ids:
        return tuple(sorted(last.gold_chunk_ids))
    sets = [vote.gold_chunk_ids for vote in votes if vote.gold_chunk_ids]
    if not sets:
        return ()
    named = Counter(chunk for some in sets for chunk in some)
    most = frozenset(chunk for chunk, times in named.items() if times * 2 > len(sets))
    if not most or any(len(some & most) / len(some | most) < _OVERLAP for some in sets):
        return LeftOut.CHUNKS
    return tuple(sorted(most))


def _reference(votes: Sequence[Vote]) -> str | None:
    """Texts cannot be averaged: an arbitrator's, else the one of the greatest weight, else the newest."""
    written = [vote for vote in votes if vote.reference_answer.strip()]
    best = max(written, key=lambda v: (v.is_last_word, v.weight, v.at, v.annotator), default=None)
    return best.reference_answer.strip() if best else None


def _kind(last: Vote | None, votes: Sequence[Vote]) -> Kind | None:
    if last is not None and last.kind is not None:
        return last.kind
    ranked = Counter(vote.kind for vote in votes if vote.kind is not None).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


__all__ = ["LeftOut", "Truth", "Vote", "find_truth"]
