"""When a case is settled: derived from the votes each time, and stored nowhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from schemas.annotation import Annotation, ClaimLabel, ItemRole, annotation_from_row, in_utc

DECIDING: Final = ("failure", "hallucination", "should_refuse")
"""What annotators must not contradict each other in. Further answers are put together, not compared."""
SKIPS: Final = 3
"""So many annotators who cannot tell, and no vote: nobody can."""


class State(StrEnum):
    """Where a case is."""

    OPEN = "open"
    """It wants more votes."""
    AGREED = "agreed"
    CONFLICT = "conflict"
    """All votes are there and contradict each other: somebody else has the last word."""
    ARBITRATED = "arbitrated"
    UNDECIDABLE = "undecidable"
    """Only skips."""


SETTLED: Final = frozenset((State.AGREED, State.ARBITRATED))


@dataclass(frozen=True, slots=True)
class Vote:
    """What one annotator said of one case. `said` is null for a skip."""

    annotator: str
    said: Annotation | None
    role: ItemRole = ItemRole.VOTE
    at: datetime = datetime(1970, 1, 1, tzinfo=UTC)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Vote:
        """From a row of table `annotations`."""
        role = ItemRole(row["role"]) if row["role"] in set(ItemRole) else ItemRole.VOTE
        said = None if role is ItemRole.SKIP else annotation_from_row(row)
        return cls(row["annotator"], said, role, in_utc(row["annotated_at"]))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the votes come to."""

    state: State
    label: Annotation | None
    """What was agreed on, or the arbiter's word; null while nothing is settled."""
    disagreements: tuple[str, ...]
    """Of `DECIDING`, what votes contradict each other in."""
    voters: tuple[str, ...]
    """Whoever said anything, skips included: none of them votes again, or arbitrates."""


def settle(votes: Iterable[Vote], wanted: int) -> Outcome:
    """The state of a case that wants so many votes. The order of the votes does not matter."""
    known = sorted(votes, key=lambda vote: (vote.at, vote.annotator))
    voters = tuple(sorted({vote.annotator for vote in known}))
    counted = [vote.said for vote in known if vote.said is not None and vote.role is ItemRole.VOTE]
    contradictions = contradictions_of(counted)
    last_words = [vote.said for vote in known if vote.said and vote.role is ItemRole.ARBITRATION]
    if last_words:
        return Outcome(State.ARBITRATED, last_words[-1], contradictions, voters)
    if not counted and len(known) >= SKIPS:
        return Outcome(State.UNDECIDABLE, None, (), voters)
    if len(counted) < max(wanted, 1):
        return Outcome(State.OPEN, None, contradictions, voters)
    if contradictions:
        return Outcome(State.CONFLICT, None, contradictions, voters)
    return Outcome(State.AGREED, put_together(counted), (), voters)


def contradictions_of(said: Sequence[Annotation]) -> tuple[str, ...]:
    """Of `DECIDING`, what these labels say different things about. Who says nothing contradicts nobody."""
    return tuple(name for name in DECIDING if len(set(answers(said, name))) > 1)


def answers(said: Sequence[Annotation], name: str) -> list[Any]:
    """Each label's answer to one question, without those that have none."""
    values = [one.is_hallucination if name == "hallucination" else getattr(one, name) for one in said]
    return [value for value in values if value is not None]


def put_together(said: Sequence[Annotation]) -> Annotation:
    """One label of several that do not contradict each other: what most say, by chunk and by claim.

    A chunk counts if at least half of those who named any named it. The longest reference answer is taken,
    for it answers most; notes are kept, one a line. Raises ValueError without labels.
    """
    if not said:
        raise ValueError("no labels")
    naming = [one.gold_chunk_ids for one in said if one.gold_chunk_ids]
    named = Counter(chunk for chunks in naming for chunk in dict.fromkeys(chunks))
    return Annotation.model_construct(
        failure=_most(answers(said, "failure")),
        hallucination=_most(answers(said, "hallucination")),
        context_sufficient=_most(answers(said, "context_sufficient")),
        refusal=_most(answers(said, "refusal")),
        claims=_claims(said),
        gold_chunk_ids=tuple(chunk for chunk, count in named.items() if 2 * count >= len(naming)),
        should_refuse=_most(answers(said, "should_refuse")),
        reference_answer=max((one.reference_answer for one in said), key=len),
        kind=_most(answers(said, "kind")),
        note="\n".join(dict.fromkeys(one.note for one in said if one.note)),
    )


def _claims(said: Sequence[Annotation]) -> tuple[ClaimLabel, ...]:
    """Each claim once; what most say of it, and null where they are even."""
    spoken: dict[tuple[int, int], list[ClaimLabel]] = {}
    for one in said:
        for claim in one.claims:
            spoken.setdefault((claim.start, claim.end), []).append(claim)
    found = []
    for labels in spoken.values():
        yes = sum(claim.supported is True for claim in labels)
        no = sum(claim.supported is False for claim in labels)
        found.append(labels[0].model_copy(update={"supported": None if yes == no else yes > no}))
    return tuple(sorted(found, key=lambda claim: (claim.start, claim.end)))


def _most(values: Sequence[Any]) -> Any:
    """The most frequent answer; the first of those that are as frequent. Null without any."""
    return Counter(values).most_common(1)[0][0] if values else None


__all__ = [
    "DECIDING", "SETTLED", "SKIPS", "Outcome", "State", "Vote", "answers", "contradictions_of",
    "put_together", "settle",
]  # fmt: skip
