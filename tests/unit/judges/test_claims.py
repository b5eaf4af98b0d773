"""What an answer claims, sentence by sentence, and what in it claims nothing."""

from __future__ import annotations

from itertools import pairwise

import pytest

from judges.distilled.reading.claims import MAX_ANSWER_CHARS, MAX_CLAIMS, says_nothing, split_claims
from judges.distilled.reading.language import detect
from tests.unit.judges.sentences import read_rows, share_right

ENOUGH = 0.97


def claims_of(answer: str) -> list[str]:
    return [answer[s.start : s.end] for s in split_claims(answer, detect(answer))]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_courtesy_is_told_from_claims(language: str) -> None:
    rows = read_rows(f"courtesy_{language}")
    share, wrong = share_right([(k, "nothing" if says_nothing(t) else "claim", t) for k, t in rows])
    assert len(rows) >= 60
    assert share >= ENOUGH, wrong


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("The fee is 30 euros. It is due in May.", ["The fee is 30 euros.", "It is due in May."]),
        ("手续费为30元。五月到期。", ["手续费为30元。", "五月到期。"]),
        ("手续费为30元；五月到期；逾期加收5元。", ["手续费为30元；", "五月到期；", "逾期加收5元。"]),
        ("功耗3.5W.价格约500元", ["功耗3.5W.", "价格约500元"]),
        ("费用为30元！！！五月到期。", ["费用为30元！！！", "五月到期。"]),
        ("It costs 1.5 euros. Dr. Smith paid 3.50 on Jan. 5. He left at 5 p.m. that day.",
         ["It costs 1.5 euros.", "Dr. Smith paid 3.50 on Jan. 5.", "He left at 5 p.m. that day."]),
        ("See https://a.example/b.c?d=e.f for it. It costs 5.",
         ["See https://a.example/b.c?d=e.f for it.", "It costs 5."]),
        ("She said: “I’ll come. Wait.” Then she left.", ["She said: “I’ll come. Wait.”", "Then she left."]),
        ("她说：“我明天来。你等我。”然后走了。", ["她说：“我明天来。你等我。”", "然后走了。"]),
    ],
)  # fmt: skip
def test_sentences_are_claims(answer: str, claims: list[str]) -> None:
    assert claims_of(answer) == claims


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("1. The limit is 5 MB.\n2. PNG is allowed.", ["The limit is 5 MB.", "PNG is allowed."]),
        (
            "- 20 GB of storage\n* two seats\n• support by mail",
            ["20 GB of storage", "two seats", "support by mail"],
        ),
        ("(1) Open it.\n(2) Close it.", ["Open it.", "Close it."]),
        ("a) first point\nb) second point", ["first point", "second point"]),
        ("The steps: 1. Open the app. 2. Tap Settings.", ["Open the app.", "Tap Settings."]),
        ("Step 1: Unplug it.\nStep 2: Wait a minute.", ["Unplug it.", "Wait a minute."]),
        ("一、七天内可退货。\n二、运费由买家承担。", ["七天内可退货。", "运费由买家承担。"]),
        ("（1）七天内可退；（2）运费由买家承担。", ["七天内可退；", "运费由买家承担。"]),
        ("①主机保修两年；②电池保修一年。", ["主机保修两年；", "电池保修一年。"]),
        ("步骤1：关闭电源。\n步骤2：等待一分钟。", ["关闭电源。", "等待一分钟。"]),
        (
            "1.5 litres are needed.\n2.5 kg of flour, too.",
            ["1.5 litres are needed.", "2.5 kg of flour, too."],
        ),
        ("3、支持INT4\n4、支持INT8", ["支持INT4", "支持INT8"]),
        ("2024年上市。\n30元起售。", ["2024年上市。", "30元起售。"]),
        ("-5 degrees at night\n-3 degrees by day", ["-5 degrees at night", "-3 degrees by day"]),
        ("第三条：定金不退。", ["第三条：定金不退。"]),
    ],
)
def test_markers_of_list_items_are_no_part_of_what_they_claim(answer: str, claims: list[str]) -> None:
    assert claims_of(answer) == claims


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (
            "## Setup\nInstall it first.\n**Notes**\nIt takes an hour.",
            ["Install it first.", "It takes an hour."],
        ),
        ("Requirements:\n- 8 GB of RAM", ["8 GB of RAM"]),
        ("| Plan | Price |\n|---|---|\n| Pro | 30 |", ["| Plan | Price |", "| Pro | 30 |"]),
        ("Run this:\n```python\nx = load()\n```\nIt prints 1.", ["x = load()", "It prints 1."]),
        ("**Paris**", ["**Paris**"]),
        ("Four weeks", ["Four weeks"]),
        ("四周", ["四周"]),
        ("42", ["42"]),
        ("Hello! The fee is 30 euros. Anything else?", ["The fee is 30 euros."]),
        ("您好！手续费为30元。请问还有什么可以帮您？", ["手续费为30元。"]),
        ("", []),
        (" \n\t ", []),
        ("Thanks!", []),
        ("。。。", []),
        ("---", []),
    ],
)
def test_headings_markup_and_courtesy_claim_nothing(answer: str, claims: list[str]) -> None:
    assert claims_of(answer) == claims


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("According to the passages, the fee is 30 euros.", "the fee is 30 euros."),
        ("Based on the provided context, it opens at 9 am.", "it opens at 9 am."),
        ("From document 2: the limit is 5 MB.", "the limit is 5 MB."),
        ("根据提供的资料，手续费为30元。", "手续费为30元。"),
        (
            "In the documents of the case, his name is missing.",
            "In the documents of the case, his name is missing.",
        ),
        ("根据合同第八条，解约需提前四周。", "根据合同第八条，解约需提前四周。"),
    ],
)
def test_naming_the_sources_is_no_part_of_a_claim(answer: str, claim: str) -> None:
    assert claims_of(answer) == [claim]


def test_claims_lie_in_order_within_the_answer_and_do_not_overlap() -> None:
    answer = "您好。1. The fee is 30 euros! 2. 五月到期；\n\n- 逾期加收5元？\n```\nx\n```\n" * 5
    spans = split_claims(answer, "zh")
    assert spans
    assert all(0 <= s.start < s.end <= len(answer) for s in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))


def test_an_endless_answer_is_cut() -> None:
    assert len(split_claims("The fee is 30 euros. " * 5_000, "en")) == MAX_CLAIMS
    long = split_claims("x" * (3 * MAX_ANSWER_CHARS), "en")
    assert [(s.start, s.end) for s in long] == [(0, MAX_ANSWER_CHARS)]


@pytest.mark.parametrize(
    "answer", ["\ud800", "ok \udfff then. More text follows here, and more.", "\0\0\0", "a\u2028b"]
)
def test_half_characters_and_odd_breaks_do_no_harm(answer: str) -> None:
    spans = split_claims(answer, "en")
    assert all(0 <= s.start < s.end <= len(answer) for s in spans)
