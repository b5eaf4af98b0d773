"""What holds for every corruption and any text whatever."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.corruption import CORRUPTIONS, Kind, garble_encoding, garble_layout
from judges.corruption.change import says_the_same
from judges.corruption.corrupt import Corruption
from judges.corruption.entities import find_entities
from judges.corruption.sentences import split_sentences
from judges.corruption.traces import Material, Pool, list_kinds, make_trace
from judges.corruption.traces.cite import cite
from judges.corruption.traces.gather import cut_before_answer
from judges.corruption.traces.make import WRITERS
from schemas.taxonomy import Failure

# fmt: off
_PIECES = (
    "The RK3588 has 8 cores.", " is not ", "30 days", "1,200", "周三上午", "三十五", "支持", "不能",
    "《远山》", "张伟教授表示", "北京", "先开机，再联网。", "If it rains, ", "only for members",
    "some users", "除周一外，", "通常", "May 12, 2024", "17:30", "[2]", "https://a.example/b1", "\n",
    "- ", "?", "？", "。", ", ", "\ud800", "\u200b", "😀", "½", "٣", "O'Neil-Smith", "可能会", "第一名",
    "$", "%", "from Paris to Rome", "more than", "以上", "万", "no longer", "Dr. ", "“星火计划”", "{x}",
    "\x00", "1.", "至", "10",
)
# fmt: on
TEXTS = st.one_of(
    st.lists(st.sampled_from(_PIECES), max_size=12).map("".join),
    st.text(max_size=60),
)
PLAIN = TEXTS.filter(lambda text: bool(text.strip()) and "\ud800" not in text)
"""What a trace may hold: no lone surrogates, and not blank."""
GARBLES = (
    garble_encoding.garble_encoding,
    garble_encoding.misread,
    garble_encoding.show_glyphs,
    garble_encoding.shift_letters,
    garble_encoding.escape,
    garble_encoding.lose_characters,
    garble_layout.leave_html,
    garble_layout.leave_latex,
    garble_layout.leave_table,
)
quick = settings(max_examples=60, deadline=None)


@pytest.mark.parametrize("kind", list(Kind))
@quick
@given(text=TEXTS, contexts=st.lists(TEXTS, max_size=2), seed=st.integers(0, 999))
def test_a_change_lies_in_its_span_and_can_be_undone(
    kind: Kind, text: str, contexts: list[str], seed: int
) -> None:
    corruption: Corruption = CORRUPTIONS[kind]
    change = corruption(text, Random(seed), contexts)
    if change is None:
        return
    assert change.kind is kind
    assert change.text != text
    assert change.text[change.start : change.end] == change.after
    assert change.text[: change.start] == text[: change.start]
    assert change.text[change.end :] == text[change.start + len(change.before) :]
    assert change.undo() == text
    assert not says_the_same(change.before, change.after)
    assert change == corruption(text, Random(seed), contexts)


@pytest.mark.parametrize("failure", list(WRITERS), ids=str)
@settings(max_examples=40, deadline=None)
@given(
    parts=st.lists(PLAIN, min_size=5, max_size=5),
    language=st.sampled_from(("en", "zh")),
    seed=st.integers(0, 999),
)
def test_a_trace_can_be_made_of_any_texts(
    failure: Failure | None, parts: list[str], language: str, seed: int
) -> None:
    question, chunk, answer, other, asked = parts
    material = Material(language, question, (chunk,), answer)
    pool = Pool((other, chunk + other), (asked,))
    for kind in list_kinds(failure):
        made = make_trace(material, pool, failure, Random(seed), kind)
        assert made is None or made.truth.kind == kind
        assert made == make_trace(material, pool, failure, Random(seed), kind)


@quick
@given(text=TEXTS)
def test_sentences_cover_a_text_without_gaps(text: str) -> None:
    spans = split_sentences(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)


@quick
@given(text=TEXTS)
def test_names_lie_where_they_are_said_to_and_do_not_overlap(text: str) -> None:
    found = find_entities(text)
    assert all(text[e.start : e.end] == e.text for e in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


@pytest.mark.parametrize("garble", GARBLES, ids=lambda garble: garble.__name__)
@quick
@given(text=TEXTS, seed=st.integers(0, 999))
def test_garbling_takes_any_text_and_is_repeatable(
    garble: Callable[[str, Random], str], text: str, seed: int
) -> None:
    assert garble(text, Random(seed)) == garble(text, Random(seed))


@quick
@given(text=TEXTS, other=TEXTS, seed=st.integers(0, 999))
def test_columns_read_across_keep_every_visible_character(text: str, other: str, seed: int) -> None:
    glued = garble_layout.read_across(text, other, Random(seed))
    assert sorted("".join(glued.split())) == sorted("".join((text + other).split()))


@quick
@given(text=TEXTS, chunks=st.lists(TEXTS, max_size=3), seed=st.integers(0, 999))
def test_citing_only_adds_marks(text: str, chunks: list[str], seed: int) -> None:
    cited = iter(cite(text, chunks, "en", Random(seed)))
    assert all(character in cited for character in text)


@quick
@given(chunk=TEXTS, answer=TEXTS)
def test_a_cut_chunk_is_a_beginning_of_the_whole(chunk: str, answer: str) -> None:
    left = cut_before_answer(chunk, answer)
    assert left is None or chunk.startswith(left)
