"""A quote is found in whatever width, case and punctuation it is copied; an invented one is not."""

from __future__ import annotations

import pytest

from judges.llm.hostile import neutralise
from judges.llm.quotes import have_nothing_in_common, occurs_in, words_of

CHUNK = (
    "ＲＫ３５８８ 的 NPU 支援 INT4／INT8 量化，算力為 6 TOPS；價格 1,200 元。\n"
    "The “infor\u00admation” isn’t  avail-\nable below −5 °C, needs 3.5 V, and costs €40 (see p. 7). "
    "100% of 10⁶."
)


@pytest.mark.parametrize(
    "quote",
    [
        "RK3588 的 NPU 支援 INT4/INT8 量化",
        "rk3588的npu支援int4 / int8量化",
        "算力为6 TOPS",
        "“算力為 6 TOPS；”",
        "價格1,200元",
        "价格 1200 元",
        'The "information" isn\'t available',
        "the information isn't avail-\n| able below -5 °C",
        "needs 3.5 V",
        "costs €40",
        "100 % of",
        "…of 10⁶.",
    ],
)
def test_a_copy_in_another_spelling_occurs(quote: str) -> None:
    assert occurs_in(quote, CHUNK)


@pytest.mark.parametrize(
    "quote",
    [
        "算力为 8 TOPS",
        "算力为 16 TOPS",
        "NPU 支持 INT4",  # 支援
        "RK3588 支援 INT4",  # two words left out
        "NPU … 算力為 6 TOPS",  # joined
        "below 5 °C",  # the sign is gone
        "needs 35 V",
        "costs $40",
        "of 106",
        "the information is available",
        "",
        "…",
        "TOPS",  # one word proves nothing
        "价",
    ],
)
def test_what_is_not_one_passage_does_not_occur(quote: str) -> None:
    assert not occurs_in(quote, CHUNK)


@pytest.mark.parametrize(("quote", "chunk"), [("Yes", "Yes."), ("是", "是。"), ("42", "42")])
def test_the_whole_of_a_short_text_is_a_quote(quote: str, chunk: str) -> None:
    assert occurs_in(quote, chunk)


def test_what_was_made_visible_is_no_part_of_a_quote() -> None:
    text = "The limit\u200b\u200b is <b>50</b> GB\x07 per month."
    shown = neutralise(text)
    assert "⟨hidden×2⟩" in shown
    assert occurs_in("The limit is <b>50</b> GB", shown)
    assert occurs_in("The limit is b 50 /b", shown)
    assert occurs_in(shown, text)
    assert occurs_in("limit is", text)


def test_words_are_whole_numbers_and_single_characters() -> None:
    assert words_of("Ａ１００卡 3.5–4.0 GB, 17:30") == ["a", "100", "卡", "3.5", "4.0", "gb", "17:30"]


def test_hyphens_between_numbers_are_no_signs() -> None:
    assert words_of("pages 3-5, at -5 or −5") == ["pages", "3", "5", "at", "-5", "or", "-5"]


@pytest.mark.parametrize(
    ("claim", "quote", "apart"),
    [
        ("瑞芯微 RK3588 的算力为 8 TOPS", "评估板的交付周期为 14 天。", True),
        ("The NPU of the RK3588 has 8 TOPS.", "Boards can be returned within 30 days.", True),
        ("瑞芯微 RK3588 的算力为 8 TOPS", "该芯片的算力达到 8 TOPS", False),
        ("Smith passed away in 1990.", "He died in 1990.", False),
        ("It supported quantisation.", "supports 4-bit weights", False),
        ("该芯片支持量化。", "The chip supports quantisation.", False),  # across languages
        ("It is so.", "The chip supports quantisation.", False),  # nothing to compare by
    ],
)
def test_a_quote_about_something_else_is_told_where_it_can_be(claim: str, quote: str, apart: bool) -> None:
    assert have_nothing_in_common(claim, quote) is apart
