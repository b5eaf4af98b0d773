"""Tokens, counted without a tokenizer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.llm.asking import Message
from judges.llm.completion import Completion
from judges.llm.tokens import (
    Correction,
    bill_of,
    bound,
    bound_messages,
    estimate,
    estimate_messages,
    was_cut_short,
)

# Counted once with the tokenizers themselves: o200k_base, cl100k_base, Qwen's and DeepSeek's, least and most.
COUNTED = [
    ("The warranty covers manufacturing defects for twenty-four months from the date of purchase.", 15, 15),
    ("本产品自购买之日起二十四个月内享受免费保修服务，人为损坏不在保修范围之内。", 19, 42),
    ("Order #48213 of 2026-03-07: 3 × €1,299.00, total €3,897.00 (incl. 19 % VAT).", 38, 52),
    ("请问 iPhone 17 Pro 的电池容量是多少 mAh？支持 25W 快充吗？", 22, 30),
    ("def settle(self, amount: int) -> None:\n    self.spent += amount\n    return None\n", 22, 22),
    ("c29tZSB0ZXh0IHRoYXQgaXMgbm90IHJlYWRhYmxlIGF0IGFsbCBidXQgbG9uZyBlbm91Z2g=", 48, 55),
    ("8f3a1c9e-77b2-4d51-9d0e-2f6b1a4c8e90", 33, 36),
    ("🙂🙃👍🏽 ok 🎉🎉", 9, 18),
    ("Договор вступает в силу с момента подписания обеими сторонами.", 15, 28),
]


@pytest.mark.parametrize(("text", "least", "most"), COUNTED)
def test_the_estimate_is_near_what_tokenizers_make_of_it(text: str, least: int, most: int) -> None:
    assert 0.75 * least <= estimate(text) <= 1.9 * most


@pytest.mark.parametrize(("text", "least", "most"), COUNTED)
def test_the_bound_holds_for_all_of_them(text: str, least: int, most: int) -> None:
    assert bound(text) >= most


def test_the_bound_holds_for_characters_that_no_vocabulary_knows() -> None:
    assert bound("鑫淼龘靐齉爩麤灪籲") >= 21
    assert bound("🫠🫥🦩") >= 9


@given(st.text())
def test_any_text_has_an_estimate_and_a_bound(text: str) -> None:
    assert estimate(text) >= 1
    assert bound(text) >= len(text)


@given(st.text(), st.text())
def test_a_longer_text_is_never_estimated_much_lower(first: str, second: str) -> None:
    assert estimate(first + second) >= estimate(first) - 1


def test_lone_surrogates_are_counted_like_anything_else() -> None:
    assert estimate("a\ud800b") >= 1
    assert bound("a\ud800b") >= 3


def test_the_template_and_the_form_are_counted() -> None:
    messages = (Message("system", "Judge."), Message("user", "It."))
    assert estimate_messages(messages) > estimate("Judge.") + estimate("It.")
    assert estimate_messages(messages, '{"type":"object"}') > estimate_messages(messages)
    assert bound_messages(messages) > estimate_messages(messages)


def test_a_correction_rises_at_once_and_sinks_slowly_within_limits() -> None:
    correction = Correction()
    correction.learn(100, 150)
    assert correction.factor == 1.5
    correction.learn(100, 100)
    assert 1.4 < correction.factor < 1.5
    for _ in range(200):
        correction.learn(100, 80)
    assert correction.corrected(1000) == pytest.approx(800, abs=5)
    correction.learn(100, 100_000)
    assert correction.factor == Correction.HIGHEST
    assert Correction(0.0001).factor == Correction.LOWEST


def completion(tokens_in: int | None, tokens_out: int | None, cached: int = 0) -> Completion:
    return Completion("It is good.", "stop", "", "m", tokens_in, tokens_out, cached)


def test_what_a_server_says_is_believed_where_it_can_be_true() -> None:
    assert bill_of(completion(120, 7, 100), 100, 400, Correction()) == (120, 7, 100, False)


@pytest.mark.parametrize(
    ("tokens_in", "tokens_out"), [(None, None), (0, 0), (10**9, 5), (10**9, None), (None, 10**9)]
)
def test_what_cannot_be_true_is_replaced_by_our_own_count_and_said_to_be(
    tokens_in: int | None, tokens_out: int | None
) -> None:
    correction = Correction(1.2)
    counted_in, counted_out, cached, estimated = bill_of(
        completion(tokens_in, tokens_out), 100, 400, correction
    )
    assert (counted_in, cached, estimated) == (120, 0, True)
    assert counted_out in (tokens_out, estimate("It is good."))
    assert correction.factor == 1.2


def test_a_server_that_read_just_what_its_default_context_holds_has_cut_the_question() -> None:
    assert was_cut_short(9000, 4095)
    assert was_cut_short(5000, 2048)
    assert not was_cut_short(4200, 4095)
    assert not was_cut_short(9000, 5200)
    assert not was_cut_short(9000, None)
