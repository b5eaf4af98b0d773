"""What enters, what is merged, what leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from judges.annotation.filling import Filled, Known, Limits, choose, controls_wanted, item_id_of
from judges.annotation.order import Standing
from judges.annotation.policy import Evidence

NOW = datetime(2026, 11, 1, tzinfo=UTC)
LETTERS = str.maketrans("0123456789", "ghijklmnop")
"""Digits count as alike; questions of one's own are made of letters."""


def failing(name: str, question: str = "", **fields: Any) -> Evidence:
    base = Evidence(
        name,
        NOW,
        question or item_id_of(name).translate(LETTERS),
        app="helpdesk",
        failure="poor_retrieval",
        stage="retrieval",
        confidence=0.9,
    )
    return replace(base, **fields)


def known(one: Evidence, value: float = 0.5, **fields: Any) -> Known:
    item_id = item_id_of(one.trace_id)
    standing = Standing(item_id, value, stage=one.stage, failure=one.failure, cluster=item_id)
    base = Known(replace(standing, **fields.pop("standing", {})), one.trace_id, one.app, one.question)
    return replace(base, **fields)


def fill(evidence: Iterable[Evidence], *before: Known, **limits: Any) -> Filled:
    return choose(evidence, before, Limits(**limits))


def entered(filled: Filled) -> list[str]:
    return [one.evidence.trace_id for one in filled.enter]


def test_near_duplicates_of_one_class_become_one_case_that_counts_them() -> None:
    question = "How long does a refund take?"
    filled = fill(failing(f"t{n}", question, confidence=0.5 + n / 100) for n in range(5))
    assert entered(filled) == ["t4"]  # the surest stands for the others
    assert sorted(filled.enter[0].alike) == ["t0", "t1", "t2", "t3"]


def test_the_same_question_with_another_failure_is_another_case_of_the_same_kind() -> None:
    question = "电池保修多久？"
    filled = fill(
        [failing("a", question), failing("b", question, failure="hallucination", stage="generation")]
    )
    assert len(filled.enter) == 2
    assert len({one.cluster for one in filled.enter}) == 1


def test_the_same_question_in_another_app_is_another_case() -> None:
    question = "How long does a refund take?"
    filled = fill([failing("a", question), failing("b", question, app="shop")])
    assert len(filled.enter) == 2


def test_near_duplicates_of_a_case_that_is_there_join_it() -> None:
    there = known(failing("old", "How long does a refund take?"))
    filled = fill([failing("new", "how long does the refund take")], there)
    assert entered(filled) == []
    assert filled.merged == {there.standing.item_id: ["new"]}


def test_what_was_settled_is_not_asked_again_and_what_was_crowded_out_may_come_back() -> None:
    question = "How long does a refund take?"
    settled = known(failing("old", question), is_open=False)
    assert entered(fill([failing("new", question)], settled)) == []
    crowded_out = known(failing("old", question), is_open=False, withdrawn=True)
    assert entered(fill([failing("new", question)], crowded_out)) == ["new"]


def test_a_trace_enters_once_however_often_it_comes() -> None:
    one = failing("a")
    assert entered(fill([one, one, replace(one, rating=-1)])) == ["a"]
    assert entered(fill([one], known(one))) == []
    assert entered(fill([one], replace(known(failing("b")), duplicate_ids=("a",)))) == []


def test_controls_enter_whatever_they_are_like_and_merge_nothing() -> None:
    question = "How long does a refund take?"
    control = replace(failing("chance", question), control=0.1)
    filled = fill([control, failing("a", question), failing("b", question)], known(failing("old", question)))
    assert entered(filled) == ["chance"]
    assert filled.enter[0].alike == []
    assert sorted(filled.merged[item_id_of("old")]) == ["a", "b"]


def test_one_stage_and_one_class_have_their_share_of_the_queue_and_no_more() -> None:
    gap = [failing(f"gap{n}") for n in range(60)]
    empty = [failing(f"empty{n}", failure="empty_recall") for n in range(60)]
    made_up = [
        failing(f"made{n}", failure="hallucination", stage="generation", confidence=0.7) for n in range(20)
    ]
    filled = fill([*gap, *empty, *made_up], cap=50, stage_share=0.4, class_share=0.25)
    stages = Counter(one.evidence.stage for one in filled.enter)
    classes = Counter(one.evidence.failure for one in filled.enter)
    assert stages["retrieval"] <= 20
    assert max(classes.values()) <= 12
    assert classes["hallucination"] == 12
    assert filled.left_out == 140 - len(filled.enter)


def test_a_full_queue_lets_in_only_what_is_worth_more_than_its_least_and_that_one_leaves() -> None:
    there = [known(failing(f"old{n}", stage=f"s{n}", failure=f"f{n}"), value=0.1 * (n + 1)) for n in range(5)]
    worth_more = failing("better", confidence=0.9)  # 0.57
    worth_less = failing("worse", confidence=0.1)  # its doubt included, below 0.4
    filled = fill([worth_more], *there, cap=5, stage_share=1, class_share=1, control_share=0.1)
    assert entered(filled) == ["better"]
    assert filled.leave == [item_id_of("old0")]
    rich = [replace(one, standing=replace(one.standing, value=0.8)) for one in there]
    filled = fill([worth_less], *rich, cap=5, stage_share=1, class_share=1)
    assert entered(filled) == filled.leave == []


def test_waiting_makes_a_case_leave_sooner() -> None:
    young, old = (known(failing(name), 0.6) for name in ("young", "old"))
    aged = replace(old, standing=replace(old.standing, age_s=9 * 86_400.0))
    filled = fill([failing("new", confidence=0.8)], young, aged, cap=2, stage_share=1, class_share=1)
    assert filled.leave == [aged.standing.item_id]


def test_what_a_person_has_begun_leaves_for_nobody() -> None:
    begun = known(failing("begun"), value=0.01, standing={"votes": 1})
    filled = fill([failing("new")], begun, cap=1, stage_share=1, class_share=1)
    assert filled.leave == []
    assert entered(filled) == []


def test_of_too_many_controls_the_oldest_leaves() -> None:
    old = known(failing("old"), standing={"control": True, "age_s": 1e6})
    young = known(failing("young"), standing={"control": True, "age_s": 10.0})
    filled = fill([replace(failing("new"), control=0.1)], young, old, cap=20, control_share=0.1)
    assert entered(filled) == ["new"]
    assert filled.leave == [old.standing.item_id]


def test_a_turn_lets_in_so_many_at_most_and_varies_them() -> None:
    many = [failing(f"gap{n}") for n in range(30)]
    few = [failing(f"q{n}", stage="query", failure="rewrite_failure", confidence=0.7) for n in range(3)]
    filled = fill([*many, *few], per_turn=10)
    assert len(filled.enter) == 10
    assert sum(one.evidence.stage == "query" for one in filled.enter) == 3


def test_the_order_in_which_traces_come_does_not_matter() -> None:
    evidence = [failing(f"t{n}", confidence=0.3 + n % 60 / 100) for n in range(80)]
    assert entered(fill(evidence, per_turn=20)) == entered(fill(evidence[::-1], per_turn=20))


def test_controls_keep_their_share_of_the_queue_and_there_is_always_a_chance() -> None:
    limits = Limits(cap=100, control_share=0.1)
    assert controls_wanted(90, 0, limits) == pytest.approx(10)
    assert controls_wanted(90, 7, limits) == pytest.approx(3)
    assert controls_wanted(90, 30, limits) == pytest.approx(0.1)
    assert controls_wanted(0, 0, limits) == pytest.approx(0.1)
