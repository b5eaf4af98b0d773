"""Each policy speaks where it should, and says why in both languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from judges.annotation.policy import (
    POLICIES,
    WEIGHTS,
    Crowd,
    Evidence,
    JudgeSaid,
    disagree,
    doubt,
    fill_stage,
    heed_user,
    lack_support,
    notice_kind,
    weigh,
)
from schemas.annotation import Reason

HEALTHY = Evidence("t", datetime(2026, 11, 1, tzinfo=UTC), confidence=0.98, hallucination=0.02)
INVENTED = replace(HEALTHY, failure="hallucination", stage="generation", confidence=0.9, hallucination=0.9)


def say(**fields: Any) -> tuple[JudgeSaid, ...]:
    return (JudgeSaid("strict", **fields),)


def test_a_healthy_trace_that_nobody_doubts_is_worth_nothing() -> None:
    assert weigh(HEALTHY) is None
    assert weigh(replace(HEALTHY, said=say(failure="healthy", hallucination=0.05), rating=1)) is None


def test_student_and_judge_disagree_by_class_or_by_far_enough_probabilities() -> None:
    by_class = disagree(replace(INVENTED, said=say(failure="healthy", hallucination=0.1)))
    assert by_class is not None
    assert by_class.strength == pytest.approx(0.8)
    assert "hallucination" in by_class.en
    assert "healthy" in by_class.en
    by_probability = disagree(replace(HEALTHY, said=say(hallucination=0.6)))
    assert by_probability is not None
    assert by_probability.strength == pytest.approx(0.58)
    assert disagree(replace(HEALTHY, said=say(hallucination=0.3))) is None


def test_judges_of_a_panel_disagree_among_themselves() -> None:
    found = disagree(replace(HEALTHY, said=say(disagreement=0.9)))
    assert found is not None
    assert found.strength == pytest.approx(0.9)
    assert disagree(replace(HEALTHY, said=say(disagreement=0.1))) is None


def test_of_several_verdicts_the_one_that_disagrees_most_counts() -> None:
    both = (*say(hallucination=0.45), *say(failure="hallucination", hallucination=0.95))
    found = disagree(replace(HEALTHY, said=both))
    assert found is not None
    assert found.strength == pytest.approx(0.93)


@pytest.mark.parametrize(
    ("chance", "speaks"), [(0.5, True), (0.4, True), (0.62, True), (0.3, False), (0.7, False), (None, False)]
)
def test_the_student_is_uncertain_near_its_line(chance: float | None, speaks: bool) -> None:
    assert (doubt(replace(HEALTHY, hallucination=chance)) is not None) is speaks


def test_the_student_is_uncertain_where_no_class_is_likely() -> None:
    found = doubt(replace(INVENTED, confidence=0.3))
    assert found is not None
    assert found.strength == pytest.approx(0.5)
    assert doubt(replace(INVENTED, confidence=0.0)) is None  # not measured is no doubt


def test_what_is_asked_often_and_hardly_supported_is_worth_more_the_more_it_is_asked() -> None:
    poor = replace(INVENTED, failure="poor_retrieval", stage="retrieval")
    strengths = []
    for traces in (3, 10, 30, 300):
        found = lack_support(replace(poor, crowd=Crowd(traces, traces)))
        assert found is not None
        strengths.append(found.strength)
    assert strengths == sorted(strengths)
    assert strengths[-1] == 1.0
    half = lack_support(replace(poor, crowd=Crowd(30, 15)))
    assert half is not None
    assert half.strength == pytest.approx(0.5)
    assert lack_support(replace(poor, crowd=Crowd(2, 2))) is None
    assert lack_support(replace(poor, crowd=Crowd(30, 0))) is None


def test_a_thumbs_down_counts_more_where_the_scorer_sees_something_too() -> None:
    unseen, seen = heed_user(replace(HEALTHY, rating=-1)), heed_user(replace(INVENTED, rating=-1))
    assert unseen is not None
    assert seen is not None
    assert 0 < unseen.strength < seen.strength
    assert heed_user(replace(HEALTHY, rating=0)) is None
    assert heed_user(HEALTHY) is None


def test_a_kind_of_question_is_new_only_if_it_comes_often() -> None:
    assert notice_kind(replace(HEALTHY, crowd=Crowd(20, 0, is_new=True))) is not None
    assert notice_kind(replace(HEALTHY, crowd=Crowd(4, 0, is_new=True))) is None
    assert notice_kind(replace(HEALTHY, crowd=Crowd(20, 0))) is None


def test_a_sure_failure_speaks_for_its_stage() -> None:
    found = fill_stage(INVENTED)
    assert found is not None
    assert found.strength == pytest.approx(0.81)
    assert fill_stage(HEALTHY) is None


def test_a_control_is_a_control_whatever_else_speaks_for_it() -> None:
    worth = weigh(replace(INVENTED, control=0.01, rating=-1))
    assert worth is not None
    assert worth.reason is Reason.CONTROL
    assert {argument.reason for argument in worth.arguments} >= {Reason.STAGE, Reason.THUMBS_DOWN}
    alone = weigh(replace(HEALTHY, control=0.01))
    assert alone is not None
    assert alone.value == 0.0


def test_values_add_up_as_chances_do_and_stay_below_one() -> None:
    one = weigh(INVENTED)
    more = weigh(replace(INVENTED, rating=-1, crowd=Crowd(30, 30, is_new=True), said=say(failure="healthy")))
    assert one is not None
    assert more is not None
    assert one.value == pytest.approx(WEIGHTS[Reason.STAGE] * 0.81)
    assert one.value < more.value < 1.0
    assert more.reason is Reason.STAGE  # 0.57, more than a disagreement of unknown size with 0.8 * 0.5


def test_every_argument_is_said_in_both_languages() -> None:
    loud = replace(
        INVENTED,
        confidence=0.4,
        hallucination=0.5,
        rating=-1,
        control=0.01,
        crowd=Crowd(30, 30, is_new=True),
        said=say(failure="healthy"),
    )
    spoken = [argument for policy in POLICIES if (argument := policy(loud)) is not None]
    assert {argument.reason for argument in spoken} == set(Reason)
    for argument in spoken:
        assert argument.en.isascii()
        assert any("\u4e00" <= letter <= "\u9fff" for letter in argument.zh)
    worth = weigh(loud)
    assert worth is not None
    assert worth.in_words("zh").count("；") == worth.in_words().count("; ") == len(set(Reason)) - 1
