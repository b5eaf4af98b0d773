"""Ten cases: the furthest from their documents, and each kind once."""

from __future__ import annotations

import random

from stream.watch.cases import Candidate, worst_cases

QUESTIONS = (
    "How long does a refund take",
    "电池的保修期是多久",
    "Can I change the delivery address",
    "发票什么时候寄出",
    "Is there a student discount",
    "怎么取消我的订阅",
    "Which countries do you ship to",
    "屏幕碎了怎么办",
    "Do you offer gift wrapping",
    "忘记密码如何找回",
    "Where is the serial number",
    "为什么付款失败",
)


def candidate(
    number: int, probability: float | None = 0.9, support: float | None = 0.1, **more: object
) -> Candidate:
    text = str(more.pop("text", f"{QUESTIONS[number % len(QUESTIONS)]}？"))
    return Candidate(f"t{number}", probability=probability, support=support, text=text, **more)  # type: ignore[arg-type]


def ids(candidates: list[Candidate], most: int = 10) -> list[str]:
    return [case.trace_id for case in worst_cases(candidates, most)]


def test_the_furthest_from_its_documents_comes_first() -> None:
    traces = [
        candidate(0, 0.6, 0.5),
        candidate(1, 0.95, 0.05),
        candidate(2, 0.95, 0.6),
        candidate(3, 0.7, 0.1),
    ]
    assert ids(traces) == ["t1", "t3", "t2", "t0"]


def test_a_doubted_answer_with_a_claim_that_has_support_is_behind_one_without() -> None:
    assert ids([candidate(0, 0.9, 0.9), candidate(1, 0.6, 0.0)]) == ["t1", "t0"]


def test_where_no_claim_was_measured_the_probability_counts_half() -> None:
    assert candidate(0, 0.8, None).gap == 0.4


def test_where_nothing_was_measured_the_verdict_counts() -> None:
    assert ids([candidate(0, None, None, confidence=0.7), candidate(1, None, None, confidence=1.0)]) == [
        "t1",
        "t0",
    ]


def test_near_duplicates_are_shown_once_and_counted() -> None:
    same = [candidate(n, 0.99, 0.0, text=f"Where is my order {n}41? It left on day {n}.") for n in range(8)]
    others = [candidate(20 + n, 0.5) for n in range(3)]
    cases = worst_cases([*same, *others], most=4)
    assert [case.trace_id for case in cases] == ["t0", "t20", "t21", "t22"]
    assert cases[0].alike == 7


def test_chinese_near_duplicates_are_shown_once_as_well() -> None:
    one = "订单三天了还没有发货，请问什么时候能到？预计明天送达。"
    other = "请问订单三天了还没有发货，什么时候能到？预计明天送达！"
    assert ids([candidate(0, text=one), candidate(1, 0.8, text=other), candidate(2, 0.7)], most=2) == [
        "t0",
        "t2",
    ]


def test_of_one_conversation_only_the_worst_turn_is_shown() -> None:
    turns = [candidate(n, 0.9 - n / 100, conversation="c") for n in range(5)]
    assert ids([*turns, candidate(9, 0.3)], most=2) == ["t0", "t9"]


def test_where_there_are_not_ten_kinds_more_of_the_worst_fill_up() -> None:
    turns = [candidate(n, 0.9 - n / 100, conversation="c") for n in range(5)]
    assert ids(turns, most=3) == ["t0", "t1", "t2"]


def test_the_order_in_which_they_come_does_not_matter() -> None:
    traces = [candidate(n, 0.5 + n % 7 / 20) for n in range(40)]
    shuffled = traces.copy()
    random.Random(1).shuffle(shuffled)
    assert worst_cases(traces) == worst_cases(shuffled)


def test_a_case_holds_no_text() -> None:
    (case,) = worst_cases([candidate(0)])
    assert QUESTIONS[0] not in repr(case)


def test_no_candidates_are_no_cases() -> None:
    assert worst_cases([]) == []
