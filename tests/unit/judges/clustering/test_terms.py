"""What a question is about, as terms."""

from __future__ import annotations

import pytest

from judges.clustering.glossary import stem, take_concepts
from judges.clustering.terms import CONCEPT, MOST_CHARS, fold, read_terms


def test_words_lose_their_endings_and_function_words_are_left_out() -> None:
    found = read_terms("How are the engravings of my cases engraved?")
    assert set(found.weights) == {"engrav", "cas"}
    assert found.spelled["cas"] == "cases"


def test_chinese_is_read_by_pairs_of_characters() -> None:
    assert {"刻字", "外壳"} <= set(read_terms("外壳上可以刻字吗？").weights)


def test_width_case_accents_and_traditional_characters_make_no_difference() -> None:
    assert fold("Ｃafé  運費") == "cafe 运费"
    assert read_terms("退貨的運費誰出？").weights == read_terms("退货的运费谁出?").weights


@pytest.mark.parametrize(
    ("english", "chinese", "concept"),
    [
        ("Can I get my money back?", "怎么退款？", "refund"),
        ("Where do I enter the gift card?", "礼品卡在哪里输入？", "gift card"),
        ("Is a two-step login possible?", "支持两步验证吗？", "two factor"),
    ],
)
def test_terms_of_the_glossary_are_the_same_in_both_languages(
    english: str, chinese: str, concept: str
) -> None:
    assert CONCEPT + concept in read_terms(english).weights
    assert CONCEPT + concept in read_terms(chinese).weights


def test_a_term_of_the_glossary_takes_the_place_of_the_words_it_was_read_from() -> None:
    rest, found = take_concepts("how do i redeem a gift card")
    assert found == {"gift card": "gift card"}
    assert "card" not in rest
    assert "redeem" in rest


def test_names_with_digits_stay_whole_in_both_languages() -> None:
    assert "a10" in read_terms("Does the A10 blink?").abroad
    assert "a10" in read_terms("A10的灯为什么闪？").abroad


def test_short_numbers_are_no_bridge_between_languages_and_long_ones_are() -> None:
    assert read_terms("Error 429 after 3 calls").abroad >= {"429"}
    assert "3" not in read_terms("Error 429 after 3 calls").abroad


def test_the_language_of_the_trace_counts_and_is_detected_where_it_is_not_told() -> None:
    assert read_terms("hotel", "zh-CN").language == "zh"
    assert read_terms("外壳上可以刻字吗").language == "zh"
    assert read_terms("12345").language == ""


def test_a_text_without_end_is_read_to_a_bound() -> None:
    long = "engraving " * 1_000_000
    assert read_terms(long).weights == read_terms(long[:MOST_CHARS]).weights


def test_what_is_no_text_has_no_term() -> None:
    for text in ("", " ", "???", "\ud800", "\x00\x01"):
        assert read_terms(text).weights == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [("batteries", "battery"), ("charges", "charge"), ("stopped", "stop"), ("boxes", "box"), ("uses", "use")],
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)
