"""Unanswered questions, those about the same thing together."""

from __future__ import annotations

import random

import numpy as np
import pytest

from judges.clustering import find_gaps
from schemas.unanswered import Why
from tests.unit.judges.clustering.asked import ask, asked, gaps_of, many, texts_of

GYM = ("Is there a gym in the office?", "When is the gym open?", "Who may use the company gym?")
GIFT = ("Can I pay with a gift card?", "How do I redeem a gift card?", "Do you sell gift cards?")
GIFT_ZH = (("可以用礼品卡付款吗？", "zh"), ("礼品卡怎么兑换？", "zh"), ("哪里能买到礼品卡？", "zh"))
ENGRAVING_ZH = (("外壳上可以刻字吗？", "zh"), ("刻字怎么收费？", "zh"), ("刻字最多刻几个字？", "zh"))


def test_questions_about_the_same_thing_are_one_gap_and_others_are_not_in_it() -> None:
    found = gaps_of(*GYM, *GIFT, "Does it rain?")
    assert [texts_of(gap, *GYM, *GIFT) for gap in found.gaps] in (
        [set(GYM), set(GIFT)],
        [set(GIFT), set(GYM)],
    )
    assert found.once == 1


def test_chinese_and_english_meet_where_both_name_the_same_thing() -> None:
    found = gaps_of(*GIFT, *GIFT_ZH, *ENGRAVING_ZH, *GYM)
    gift = next(gap for gap in found.gaps if len(gap.languages) == 2)
    assert texts_of(gift, *GIFT, *GIFT_ZH) == {*GIFT, *(text for text, _ in GIFT_ZH)}
    assert "gift card" in gift.met_by
    assert {one.language for one in gift.examples} == {"en", "zh"}


def test_names_in_latin_script_bring_languages_together_without_the_glossary() -> None:
    found = gaps_of(
        "Does it work with Zigbeeplus?", "When will Zigbeeplus be there?", ("支持Zigbeeplus吗？", "zh"),
        ("怎么连上Zigbeeplus？", "zh"), *GYM, *ENGRAVING_ZH,
    )  # fmt: skip
    assert [gap.met_by for gap in found.gaps if len(gap.languages) == 2] == [("zigbeeplus",)]


def test_what_names_nothing_in_common_stays_apart() -> None:
    found = gaps_of("Can you engrave a name?", "What does an engraved name cost?", *ENGRAVING_ZH)
    assert sorted(list(gap.languages) for gap in found.gaps) == [["en"], ["zh"]]
    assert all(gap.met_by == () for gap in found.gaps)


def test_a_word_that_is_asked_of_anything_brings_nothing_together() -> None:
    found = gaps_of(
        "What is the price of engraving?", "Engraving price?", ("停车的价格", "zh"), ("停车价格？", "zh")
    )
    assert all(len(gap.languages) == 1 for gap in found.gaps)


def test_vectors_of_a_model_bring_together_what_words_cannot() -> None:
    texts = ("Can you engrave a name?", "What does an engraved name cost?", *ENGRAVING_ZH, *GYM)

    def embed(shown: list[str]) -> np.ndarray:
        return np.array([[1.0, 0.0] if "ngrav" in text or "刻字" in text else [0.0, 1.0] for text in shown])

    found = find_gaps(asked(many(*texts)), lambda text: text, embed=embed)  # type: ignore[arg-type]
    assert [gap for gap in found.gaps if set(gap.languages) == {"en", "zh"}]


def test_the_order_of_the_questions_makes_no_difference() -> None:
    questions = many(*GYM, *GIFT, *GIFT_ZH, *ENGRAVING_ZH, "Does it rain?", *GYM)
    first = find_gaps(asked(questions), lambda text: text)
    for seed in range(5):
        random.Random(seed).shuffle(questions)
        assert find_gaps(asked(questions), lambda text: text) == first


def test_who_asks_three_times_in_a_conversation_counts_once() -> None:
    questions = [ask(n, "When is the gym open?", conversation="c") for n in range(3)]
    gap = find_gaps(asked(questions), lambda text: text).gaps[0]
    assert (gap.questions, gap.conversations, sum(gap.trend.pieces)) == (3, 1, 1)


def test_conversations_of_two_tenants_are_two_whatever_their_ids() -> None:
    questions = [ask(n, GYM[1], conversation="1", tenant=f"t{n}") for n in range(2)]
    assert find_gaps(asked(questions), lambda text: text).gaps[0].conversations == 2


def test_each_share_has_its_interval_and_what_it_is_of() -> None:
    gap = gaps_of(*GYM).gaps[0]
    assert gap.share.n == 1_400
    assert gap.share.value == pytest.approx(3 / 1_400)
    assert gap.share.interval.low < 3 / 1_400 < gap.share.interval.high


def test_reasons_apps_and_languages_are_counted_the_most_first() -> None:
    questions = [
        ask(0, GYM[0]), ask(1, GYM[1], why=Why.CORRECT_REFUSAL, app="staff"), ask(2, GYM[2], app="staff"),
    ]  # fmt: skip
    gap = find_gaps(asked(questions), lambda text: text).gaps[0]
    assert list(gap.apps.items()) == [("staff", 2), ("helpdesk", 1)]
    assert gap.reasons == {"empty_recall": 2, "correct_refusal": 1}


def test_what_is_shown_went_through_redaction_and_so_did_terms() -> None:
    questions = [ask(n, f"Is the gym open for Wilhelmina{'?' * n}") for n in range(3)]
    gap = find_gaps(asked(questions), lambda text: text.replace("Wilhelmina", "[person]")).gaps[0]
    assert "ilhelmina" not in repr(gap)
    assert "gym" in gap.terms


def test_greetings_do_not_stand_for_a_question() -> None:
    gap = gaps_of(
        "Hi, when is the gym open? Thanks!", "When is the gym open?", "Hello, when is the gym open?"
    ).gaps[0]
    assert [(one.text, one.questions) for one in gap.examples] == [("When is the gym open?", 3)]


def test_what_was_not_read_is_counted_and_is_no_gap() -> None:
    found = find_gaps(asked(many(*GYM), left_out=5, without_text=2), lambda text: text)
    assert found.unanswered.value == pytest.approx(10 / 1_400)
    assert (found.left_out, found.without_text, len(found.gaps)) == (5, 2, 1)


def test_nothing_asked_is_nothing_found() -> None:
    found = find_gaps(asked([], traffic=0), lambda text: text)
    assert (found.gaps, found.once, found.unanswered.value) == ((), 0, None)


def test_hostile_questions_do_nothing() -> None:
    hostile = [
        "",
        "\x00" * 5,
        "'; DROP TABLE traces; --",
        "a" * 100_000,
        "🤷" * 50,
        "\ud800",
        "(((((",
        "=" * 9,
    ]
    found = gaps_of(*hostile, *hostile)
    assert found.once + sum(gap.questions for gap in found.gaps) == 2 * len(hostile)
