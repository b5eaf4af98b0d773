"""Who declines, and how far: labelled sentences in both languages, and the logic between sentences."""

from __future__ import annotations

import pytest

from judges.distilled.reading.refusal import declines, find_refusal
from tests.unit.judges.sentences import read_rows, share_right

ENOUGH = 0.97


@pytest.mark.parametrize("language", ["en", "zh"])
def test_labelled_answers_are_recognised(language: str) -> None:
    rows = read_rows(f"refusals_{language}")
    share, wrong = share_right([(kind, find_refusal(text).kind, text) for kind, text in rows])
    assert len(rows) >= 120
    assert share >= ENOUGH, wrong


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_answer_counts_as_a_full_refusal_and_no_refusal_as_an_answer(language: str) -> None:
    rows = [(kind, text) for kind, text in read_rows(f"refusals_{language}") if kind != "partial"]
    share, wrong = share_right(
        [(kind, "full" if find_refusal(t).kind == "full" else "none", t) for kind, t in rows]
    )
    assert share >= ENOUGH, wrong


@pytest.mark.parametrize(
    ("answer", "declining"),
    [
        ("The fee is 30 euros. I don't know when it is due.", " I don't know when it is due."),
        ("手续费为30元。资料没有说明何时支付。", "资料没有说明何时支付。"),
        ("Sorry, 我无法回答这个问题！", "Sorry, 我无法回答这个问题！"),
        ("費用為30元。文件並未說明截止日期。", "文件並未說明截止日期。"),
    ],
)
def test_the_sentences_that_decline_are_told_by_their_place(answer: str, declining: str) -> None:
    found = find_refusal(answer)
    assert [answer[a:b] for a, b in found.declining] == [declining]


@pytest.mark.parametrize(
    ("answer", "style"),
    [
        ("I can't help with anything illegal.", "safety"),
        ("该内容涉及个人隐私，不予提供。", "safety"),
        ("The documents do not mention a price.", "missing"),
        ("暂无相关信息。", "missing"),
        ("The fee is 30 euros.", None),
    ],
)
def test_the_grounds_are_told(answer: str, style: str | None) -> None:
    assert find_refusal(answer).style == style


@pytest.mark.parametrize(
    ("answer", "question", "kind"),
    [
        ("No.", "Who wrote Emma?", "full"),
        ("No.", "Does it support INT4?", "none"),
        ("没有。", "创始人是谁？", "full"),
        ("没有。", "支持INT4吗？", "none"),
        ("No", None, "none"),
    ],
)
def test_a_bare_no_declines_only_where_it_answers_nothing(
    answer: str, question: str | None, kind: str
) -> None:
    assert find_refusal(answer, question).kind == kind


@pytest.mark.parametrize(
    ("answer", "question", "kind"),
    [
        ("Please contact the help desk.", "What does the Pro plan cost?", "full"),
        ("Please contact the help desk.", "How do I reset my password?", "none"),
        (
            "Please contact the help desk. The Pro plan costs 30 euros.",
            "What does the Pro plan cost?",
            "none",
        ),
        ("您好！建议您咨询人工客服。", "专业版多少钱？", "full"),
        ("请联系人工客服。", "忘记密码怎么办？", "none"),
        ("请联系人工客服，专业版每月30元。", "专业版多少钱？", "none"),
        ("Please contact the help desk.", None, "none"),
    ],
)
def test_who_only_names_where_else_to_ask_declines(answer: str, question: str | None, kind: str) -> None:
    assert find_refusal(answer, question).kind == kind


def test_a_reason_of_safety_is_no_answer() -> None:
    assert find_refusal("这可能会造成伤害，我无法提供帮助。").kind == "full"


def test_what_the_sources_touch_on_is_no_answer() -> None:
    assert find_refusal("There is something on invoices, but the due date is not given.").kind == "full"
    assert find_refusal("“发票”只有笼统的介绍，您问的这一点没有提及。").kind == "full"


def test_an_echo_of_the_question_is_no_answer() -> None:
    question = "What is the notice period of the enterprise contract?"
    answer = "The notice period of the enterprise contract? The documents do not say."
    assert find_refusal(answer, question).kind == "full"


def test_an_answer_before_declining_makes_it_partial() -> None:
    assert find_refusal("I could not find the closing time.").kind == "full"
    assert find_refusal("The museum opens at 9 am. I could not find the closing time.").kind == "partial"
    assert find_refusal("I could not find the closing time. It would be on the last page.").kind == "full"


@pytest.mark.parametrize("sentence", ["", " ", ".", "。", "?", "…", "\n\n", "''", "“”"])
def test_a_sentence_without_words_declines_nothing(sentence: str) -> None:
    assert not declines(sentence)
    assert find_refusal(sentence).kind == "none"


def test_only_the_beginning_of_an_endless_answer_is_read() -> None:
    answer = "The fee is 30 euros. " * 2_000
    assert find_refusal(answer + "I do not know.").kind == "none"
    assert find_refusal("I do not know. " + answer).declining == ((0, 14),)
