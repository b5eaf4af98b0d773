"""Passages marked in hostile texts: nothing becomes HTML but our own marks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.rendering.highlight import Mark, highlight, show_hidden

_TAG = re.compile(r"<[^>]*>")
_OURS = re.compile(r'</?mark( class="mark( mark-[a-z-]+)+"( title="[^"<>]*")?)?>|</?sup>|<sup>')


def test_a_passage_is_marked_and_the_rest_escaped() -> None:
    assert highlight("a <b> & c", [Mark(2, 5, "evidence", number=1)]) == (
        'a <mark class="mark mark-evidence"><sup>1</sup>&lt;b&gt;</mark> &amp; c'
    )


def test_marks_that_overlap_are_cut_into_pieces_that_carry_both() -> None:
    shown = highlight("abcdef", [Mark(0, 4, "claim", number=1), Mark(2, 6, "evidence", number=2)])
    assert shown == (
        '<mark class="mark mark-claim"><sup>1</sup>ab</mark>'
        '<mark class="mark mark-claim mark-evidence"><sup>2</sup>cd</mark>'
        '<mark class="mark mark-evidence">ef</mark>'
    )


@pytest.mark.parametrize(
    ("start", "end", "marked"),
    [(-5, 2, "ab"), (1, 99, "bc"), (2, 2, None), (3, 1, None), (50, 60, None), (-9, -1, None)],
)
def test_offsets_that_lie_outside_are_clamped(start: int, end: int, marked: str | None) -> None:
    shown = highlight("abc", [Mark(start, end)])
    found = re.search(r"<mark[^>]*>(.*?)</mark>", shown)
    assert (found and found[1]) == marked
    assert _TAG.sub("", shown) == "abc"


def test_a_kind_that_is_no_plain_word_marks_nothing() -> None:
    assert highlight("abc", [Mark(0, 3, 'x" onmouseover="alert(1)')]) == "abc"


def test_a_label_cannot_leave_its_attribute() -> None:
    shown = highlight("abc", [Mark(0, 3, "claim", '"><script>alert(1)</script>')])
    assert "<script" not in shown
    assert 'title="&#34;&gt;&lt;script' in shown


def test_characters_that_hide_or_turn_text_are_seen() -> None:
    assert show_hidden("a\u202eb\x00c\u200fd\n\te") == "a\ufffdb\ufffdc\ufffdd\n\te"
    assert len(show_hidden("\u2066\x1b")) == 2


def test_nothing_is_nothing() -> None:
    assert highlight(None) == ""
    assert highlight("", [Mark(0, 9)]) == ""


_MARKS = st.lists(
    st.builds(
        Mark,
        st.integers(-5, 40),
        st.integers(-5, 40),
        st.sampled_from(["claim", "evidence", "<b>"]),
        st.text(max_size=8),
        st.none() | st.integers(1, 9),
    ),
    max_size=6,
)


@given(text=st.text(max_size=30) | st.just("<script>alert('x')</script>"), marks=_MARKS)
def test_whatever_comes_only_our_marks_are_tags_and_the_text_stays(text: str, marks: list[Mark]) -> None:
    shown = str(highlight(text, marks))
    assert all(_OURS.fullmatch(tag) for tag in _TAG.findall(shown))
    from html import unescape

    without = re.sub(r"<sup>\d+</sup>", "", shown)
    assert unescape(_TAG.sub("", without)) == show_hidden(text)
