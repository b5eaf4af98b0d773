"""What counts as agreed, and what does not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from judges.golden.agreed import LeftOut, Truth, Vote, find_truth
from schemas.golden import Kind

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


def vote(who: str, *gold: str, minute: int = 0, **said: Any) -> Vote:
    return Vote(who, NOON + timedelta(minutes=minute), gold_chunk_ids=frozenset(gold), **said)


def truth(*votes: Vote, least: int = 2) -> Truth:
    found = find_truth(votes, least)
    assert isinstance(found, Truth), found
    return found


def test_two_who_name_the_same_chunk_agree() -> None:
    found = truth(vote("li", "a"), vote("wang", "a", reference_answer=" 14 days "))
    assert found == Truth(False, ("a",), "14 days", None, 2)


def test_one_is_not_enough_unless_one_is_asked_for() -> None:
    assert find_truth([vote("li", "a")], 2) is LeftOut.TOO_FEW
    assert find_truth([vote("li", "a"), vote("li", "a")], 2) is LeftOut.TOO_FEW
    assert truth(vote("li", "a"), least=1).gold_chunk_ids == ("a",)


def test_who_says_only_a_class_has_said_nothing_of_the_truth() -> None:
    assert find_truth([vote("li", "a"), vote("wang", failure="healthy")], 2) is LeftOut.TOO_FEW
    silent = [vote("li", failure="healthy"), vote("wang", failure="hallucination")]
    assert find_truth(silent, 2) is LeftOut.NO_TRUTH
    assert find_truth([], 2) is LeftOut.NO_TRUTH


def test_who_calls_it_an_over_refusal_means_that_there_is_an_answer() -> None:
    assert truth(vote("li", "a"), vote("wang", failure="over_refusal")).should_refuse is False
    both = [vote("li", failure="over_refusal"), vote("wang", failure="over_refusal")]
    assert find_truth(both, 2) is LeftOut.NO_TRUTH


def test_a_question_to_decline_has_no_gold() -> None:
    found = truth(vote("li", should_refuse=True), vote("wang", "a", should_refuse=True, reference_answer="?"))
    assert (found.should_refuse, found.gold_chunk_ids, found.reference_answer) == (True, (), None)


def test_they_disagree_where_one_declines_and_one_names_a_chunk() -> None:
    assert find_truth([vote("li", should_refuse=True), vote("wang", "a")], 2) is LeftOut.REFUSAL


@pytest.mark.parametrize(
    ("sets", "gold"),
    [
        (["a", "a b"], ("a",)),
        (["a b", "a b", "a"], ("a", "b")),
        (["a b", "a b c", "a b d"], ("a", "b")),
        (["a", "b"], None),
        (["a", "a", "b c"], None),
        (["a", "", "a"], ("a",)),
    ],
)
def test_a_chunk_is_gold_where_most_name_it_and_nobody_names_quite_others(
    sets: list[str], gold: tuple[str, ...] | None
) -> None:
    votes = [vote(str(n), *names.split(), should_refuse=False) for n, names in enumerate(sets)]
    found = find_truth(votes, 2)
    if gold is None:
        assert found is LeftOut.CHUNKS
    else:
        assert isinstance(found, Truth)
        assert found.gold_chunk_ids == gold


def test_an_arbitrator_has_the_last_word_alone() -> None:
    votes = [vote("li", should_refuse=True), vote("wang", "a")]
    final = vote("zhao", "b", is_last_word=True, reference_answer="six months", kind=Kind.CONFLICTING)
    assert truth(*votes, final) == Truth(False, ("b",), "six months", Kind.CONFLICTING, 2)
    later = vote("zhou", should_refuse=True, is_last_word=True, minute=5)
    assert truth(*votes, final, later).should_refuse is True


def test_what_an_arbitrator_leaves_open_is_what_the_others_agree_on() -> None:
    votes = [vote("li", "a"), vote("wang", "a", reference_answer="ours"), vote("qian", should_refuse=True)]
    found = truth(*votes, vote("zhao", is_last_word=True, should_refuse=False))
    assert (found.gold_chunk_ids, found.reference_answer) == (("a",), "ours")


def test_of_reference_answers_the_weightiest_counts_then_the_newest() -> None:
    votes = [
        vote("li", "a", reference_answer="new", minute=9),
        vote("wang", "a", reference_answer="old"),
        vote("qian", "a", reference_answer="heavy", weight=2.0),
    ]
    assert truth(*votes).reference_answer == "heavy"
    assert truth(*votes[:2]).reference_answer == "new"


def test_a_kind_counts_where_most_say_it() -> None:
    votes = [vote("li", "a", kind=Kind.MULTI_HOP), vote("wang", "a", kind=Kind.SINGLE_HOP)]
    assert truth(*votes).kind is None
    assert truth(*votes, vote("qian", "a", kind=Kind.MULTI_HOP)).kind is Kind.MULTI_HOP
