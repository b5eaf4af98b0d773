"""Votes become labels: people first, agreement counts, and what cancels out is no label."""

from __future__ import annotations

import pytest

from judges.distillation.examples import (
    MAX_INVERSE,
    Label,
    Source,
    Vote,
    combine_votes,
    judged_beside,
    level_weights,
)


def human(said: float | None, who: str = "ann", **values: object) -> Vote:
    return Vote(Source.HUMAN, who, said, **values)  # type: ignore[arg-type]


def judge(said: float | None, who: str = "judge/m", **values: object) -> Vote:
    return Vote(Source.JUDGE, who, said, **values)  # type: ignore[arg-type]


def combined(*votes: Vote) -> Label:
    found = combine_votes(votes)
    assert found is not None
    return found


def test_a_person_beats_any_number_of_judges() -> None:
    found = combined(judge(1.0), judge(1.0, "b"), judge(0.9, "c"), human(0.0))
    assert (found.hallucination, found.by, found.who) == (False, Source.HUMAN, ("ann",))
    assert judged_beside([judge(1.0), human(0.0)]) == 1.0
    assert judged_beside([judge(1.0)]) is None


def test_people_who_disagree_weigh_less_and_those_who_cancel_out_say_nothing() -> None:
    assert combined(human(1.0), human(1.0, "bob")).weight == 1.0
    split = combined(human(1.0), human(1.0, "bob"), human(0.0, "cid"))
    assert (split.hallucination, round(split.weight, 3)) == (True, 0.333)
    assert combine_votes([human(1.0), human(0.0, "bob")]) is None


def test_the_weight_of_an_annotation_is_the_weight_of_its_label() -> None:
    assert combined(human(1.0, weight=0.5)).weight == 0.5
    assert combined(human(1.0, weight=3.0), human(0.0, "bob", weight=1.0)).hallucination is True


@pytest.mark.parametrize(
    ("vote", "weight"),
    [
        (judge(1.0), 1.0),
        (judge(0.75), 0.5),  # unsure
        (judge(1.0, weight=0.6), 0.6),  # little confidence in its class
        (judge(1.0, sample_probability=0.1), 10.0),  # stands for ten
        (judge(1.0, sample_probability=0.001), MAX_INVERSE),  # but for no more than these
    ],
)
def test_a_judges_label_weighs_by_confidence_and_by_how_it_was_chosen(vote: Vote, weight: float) -> None:
    assert combined(vote).weight == pytest.approx(weight)


def test_weights_of_judges_are_brought_down_to_a_mean_of_one_and_those_of_people_left_alone() -> None:
    labels = {
        "a": combined(judge(1.0, sample_probability=0.1)),
        "b": combined(judge(1.0, sample_probability=0.5)),
        "c": combined(human(1.0, weight=0.7)),
    }
    levelled = level_weights(labels)
    assert levelled["a"].weight + levelled["b"].weight == pytest.approx(2.0)
    assert levelled["a"].weight == pytest.approx(5 * levelled["b"].weight)
    assert levelled["c"].weight == 0.7


def test_a_class_says_what_it_implies_and_no_more() -> None:
    assert combined(judge(None, failure="hallucination")).hallucination is True
    assert combined(judge(None, failure="healthy")).hallucination is False
    retrieval = combined(judge(None, failure="poor_retrieval"))
    assert (retrieval.hallucination, retrieval.failure) == (None, "poor_retrieval")
    assert combine_votes([judge(None)]) is None


def test_classes_are_voted_on() -> None:
    votes = [
        judge(None, who, failure=f) for who, f in (("a", "healthy"), ("b", "healthy"), ("c", "hallucination"))
    ]
    assert combined(*votes).failure == "healthy"
    tie = [judge(None, "a", failure="over_refusal"), judge(None, "b", failure="poor_retrieval")]
    assert combine_votes(tie) is None


def test_marks_of_a_person_travel_with_the_label() -> None:
    assert combined(human(1.0), human(1.0, "bob", spans=((3, 9),))).spans == ((3, 9),)
