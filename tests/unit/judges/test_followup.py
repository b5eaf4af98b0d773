"""Which questions lean on an earlier turn: labelled questions in both languages, each after a turn."""

from __future__ import annotations

import pytest

from judges.distilled.reading.followup import is_fragment, points_back
from tests.unit.judges.sentences import read_rows, share_right

ENOUGH = 0.97


@pytest.mark.parametrize("language", ["en", "zh"])
def test_labelled_questions_are_told_apart(language: str) -> None:
    rows = read_rows(f"followups_{language}")
    found = [
        (
            kind,
            "points" if points_back(question) or is_fragment(question) else "alone",
            f"{before} | {question}",
        )
        for kind, before, question in rows
    ]
    share, wrong = share_right(found)
    assert len(rows) >= 60
    assert share >= ENOUGH, wrong


@pytest.mark.parametrize(
    ("alone", "pointing"),
    [
        ("What happens to a battery when it freezes?", "What happens when it freezes?"),
        ("How did Jerry Garcia lose his finger?", "How did he lose his finger?"),
        ("How many floors are there in the tower?", "How many people live there?"),
        ("Does the law say that tenants pay?", "Does that say who pays?"),
        ("Which of the planets has the most moons?", "Which one has the most moons?"),
        ("如果手机进水了，它还能修好吗？", "它还能修好吗？"),
        ("其他应收款是什么？", "他应收多少款？"),
        ("北极光是怎么形成的呢？", "北极光呢？"),
        ("谁是第一个登月的人？", "第一个呢？"),
        ("“他来了请闭眼”的导演是谁？", "他的导演是谁？"),
    ],
)
def test_a_pronoun_points_back_unless_the_question_says_to_what(alone: str, pointing: str) -> None:
    assert not points_back(alone)
    assert points_back(pointing)


@pytest.mark.parametrize("question", ["", " ", "?", "？", "...", "😀", "\n", "\ud800"])
def test_a_question_without_words_points_nowhere(question: str) -> None:
    assert not points_back(question)


def test_a_fragment_is_short_and_names_nothing() -> None:
    assert is_fragment("and the price?")
    assert is_fragment("价格多少？")
    assert not is_fragment("RK3588多少钱？")
    assert not is_fragment("《爱玛》是谁写的？")
    assert not is_fragment("What is the price of the premium plan?")
    assert not is_fragment("高级版每月的价格是多少？")
