"""Near-duplicates, in Chinese and English alike."""

from __future__ import annotations

import random

import pytest

from judges.annotation.alike import ALIKE, Kinds, likeness, shingles

ALIKE_PAIRS = [
    ("How long does a refund take?", "how long does the refund take"),
    ("Where is my order 83211?", "Where is my order 99407?"),
    ("电池保修多久？", "请问电池保修多久"),
    ("订单 12345 什么时候到？", "订单98765什么时候到?"),
    ("ＲＫ３５８８支持INT4量化吗", "rk3588 支持 int4 量化吗？"),
]
DIFFERENT_PAIRS = [
    ("How long does a refund take?", "How many seats does the Starter plan have?"),
    ("电池保修多久？", "发票怎么开具？"),
    ("How long does a refund take?", "退款需要多久？"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE_PAIRS)
def test_what_differs_in_case_digits_width_or_politeness_is_of_one_kind(one: str, other: str) -> None:
    kinds = Kinds()
    kinds.add("first", shingles(one))
    assert kinds.find(shingles(other)) == "first"


@pytest.mark.parametrize(("one", "other"), DIFFERENT_PAIRS)
def test_what_asks_something_else_is_of_another_kind(one: str, other: str) -> None:
    kinds = Kinds()
    kinds.add("first", shingles(one))
    assert kinds.find(shingles(other)) is None


def test_likeness_is_the_share_of_what_both_have() -> None:
    both, one_more = frozenset((1, 2, 3)), frozenset((1, 2, 3, 4))
    assert likeness(both, one_more) == pytest.approx(0.75)
    assert likeness(both, both) == 1.0
    assert likeness(frozenset(), frozenset()) == 0.0


@pytest.mark.parametrize("text", ["", "  ", "？！…", "--"])
def test_a_text_without_letters_is_like_nothing_not_even_itself(text: str) -> None:
    kinds = Kinds()
    kinds.add("nothing", shingles(text))
    assert len(kinds) == 0
    assert kinds.find(shingles(text)) is None


def test_of_several_kinds_the_most_alike_is_found() -> None:
    kinds = Kinds()
    kinds.add("refund", shingles("How long does a refund take?"))
    kinds.add("card", shingles("How long does a refund to a card take?"))
    assert kinds.find(shingles("How long does a refund to a card take??")) == "card"


def test_bands_miss_hardly_any_pair_that_is_as_alike_as_it_must_be() -> None:
    """What the bands let meet is compared exactly, so a miss is a pair that never met."""
    chance = random.Random(7)
    met = 0
    for _ in range(300):
        base = chance.sample(range(1 << 32), 40)
        other = frozenset((*base[:30], *chance.sample(range(1 << 32), 10)))
        assert likeness(frozenset(base), other) >= ALIKE
        kinds = Kinds()
        kinds.add("one", frozenset(base))
        met += kinds.find(other) == "one"
    assert met >= 295


def test_a_long_text_is_compared_by_its_beginning() -> None:
    head = "".join(chr(0x4E00 + n) for n in range(1_200))
    assert shingles(head) == shingles(head + "尾巴")
