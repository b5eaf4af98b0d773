"""Passages of a redacted text, found in the text as it was."""

from __future__ import annotations

import pytest

from judges.redaction.placing import place

TEXT = "张三说退款要3天。电话是13812345678，退款要3天。"
SHOWN = "[人名]说退款要3天。电话是[电话]，退款要3天。"


@pytest.mark.parametrize(
    ("passage", "start", "original"),
    [
        ("说退款要3天", SHOWN.index("说"), "说退款要3天"),
        ("电话是[电话]，退款", SHOWN.index("电话是"), "电话是13812345678，退款"),
        ("[人名]说退款", 0, "说退款"),
    ],
)
def test_a_mark_stands_for_what_was_taken_out(passage: str, start: int, original: str) -> None:
    found = place(passage, start, TEXT)
    assert found is not None
    assert TEXT[slice(*found)] == original


def test_of_two_that_read_the_same_the_nearer_is_meant() -> None:
    assert place("退款要3天", SHOWN.rindex("退款"), TEXT) == (TEXT.rindex("退款"), TEXT.rindex("退款") + 5)
    assert place("退款要3天", SHOWN.index("退款"), TEXT) == (TEXT.index("退款"), TEXT.index("退款") + 5)


def test_a_hostile_text_takes_no_longer_than_another() -> None:
    for marks in (19, 2_000):
        assert place("a[phone]" * marks + "b", 0, "a" * 20_000) is None


def test_what_is_not_there_and_what_could_be_anything_is_nowhere() -> None:
    assert place("退款要5天", 0, TEXT) is None
    assert place("[电话]", 3, TEXT) is None
    assert place("", 0, TEXT) is None
