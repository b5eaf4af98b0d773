"""When a case is settled follows from the votes, whatever order they come in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest

from judges.annotation.votes import State, Vote, put_together, settle
from schemas.annotation import Annotation, ClaimLabel, ItemRole

BEGIN = datetime(2026, 11, 1, tzinfo=UTC)


def vote(annotator: str, minute: int = 0, role: ItemRole = ItemRole.VOTE, **said: Any) -> Vote:
    return Vote(annotator, Annotation(**said), role, BEGIN + timedelta(minutes=minute))


def skip(annotator: str) -> Vote:
    return Vote(annotator, None, ItemRole.SKIP, BEGIN)


def test_a_case_is_open_until_enough_people_voted() -> None:
    assert settle([], 2).state is State.OPEN
    assert settle([vote("li", failure="healthy")], 2).state is State.OPEN
    assert settle([vote("li", failure="healthy"), vote("kim", failure="healthy")], 2).state is State.AGREED


def test_votes_that_contradict_each_other_are_a_conflict_and_no_label() -> None:
    found = settle([vote("li", failure="healthy"), vote("kim", failure="hallucination")], 2)
    assert found.state is State.CONFLICT
    assert found.label is None
    assert found.disagreements == ("failure", "hallucination")


def test_who_does_not_say_something_contradicts_nobody() -> None:
    found = settle([vote("li", failure="healthy"), vote("kim", should_refuse=False)], 2)
    assert found.state is State.AGREED
    assert found.label is not None
    assert (found.label.failure, found.label.should_refuse) == ("healthy", False)


def test_a_claim_that_is_called_unsupported_contradicts_a_healthy_answer() -> None:
    wrong = ClaimLabel(text="x", start=0, end=1, supported=False)
    found = settle([vote("li", failure="healthy"), vote("kim", claims=(wrong,))], 2)
    assert found.disagreements == ("hallucination",)


def test_the_arbiter_has_the_last_word() -> None:
    votes = [
        vote("li", failure="healthy"),
        vote("kim", failure="hallucination"),
        vote("boss", 5, ItemRole.ARBITRATION, failure="hallucination"),
    ]
    for ordered in permutations(votes):
        found = settle(ordered, 2)
        assert found.state is State.ARBITRATED
        assert found.label is not None
        assert found.label.failure == "hallucination"
        assert found.voters == ("boss", "kim", "li")


def test_skips_do_not_count_as_votes_and_yet_their_authors_had_their_say() -> None:
    found = settle([skip("li"), vote("kim", failure="healthy")], 2)
    assert found.state is State.OPEN
    assert found.voters == ("kim", "li")


def test_a_case_that_three_people_skip_is_given_up() -> None:
    assert settle([skip("a"), skip("b")], 2).state is State.OPEN
    assert settle([skip("a"), skip("b"), skip("c")], 2).state is State.UNDECIDABLE
    assert settle([skip("a"), skip("b"), skip("c"), vote("d", failure="healthy")], 1).state is State.AGREED


def test_labels_are_put_together_claim_by_claim_and_chunk_by_chunk() -> None:
    def claims(*supported: bool | None) -> tuple[ClaimLabel, ...]:
        return tuple(ClaimLabel(text="c", start=n, end=n + 1, supported=s) for n, s in enumerate(supported))

    found = put_together(
        [
            Annotation(claims=claims(True, True, False), gold_chunk_ids=("a", "b"), note="one"),
            Annotation(claims=claims(True, False, False), gold_chunk_ids=("a",), reference_answer="short"),
            Annotation(claims=claims(True, None), reference_answer="a longer one", note="one"),
        ]
    )
    assert [claim.supported for claim in found.claims] == [True, None, False]
    assert found.gold_chunk_ids == ("a", "b")
    assert found.reference_answer == "a longer one"
    assert found.note == "one"


def test_a_chunk_that_only_one_of_three_named_does_not_count() -> None:
    named = [Annotation(gold_chunk_ids=ids) for ids in (("a", "b"), ("a",), ("a",))]
    assert put_together(named).gold_chunk_ids == ("a",)


def test_no_labels_come_to_nothing() -> None:
    with pytest.raises(ValueError, match="no labels"):
        put_together([])
