"""Texts to arrays: offsets, spellings that are the same word, sentences and clauses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.distilled.measuring.tokens import tokenize, word_key


def words_of(text: str) -> list[str]:
    tokens = tokenize([text])
    return [text[a:b] for a, b in zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It doesn't matter.", ["It", "doesn't", "matter"]),
        ("支持INT4吗？", ["支", "持", "INT", "4", "吗"]),
        ("功耗3.5W", ["功", "耗", "3.5", "W"]),
        ("1,200 units", ["1,200", "units"]),
        ("百分之十五", ["百分之十五"]),
        ("", []),
        (" \n。", []),
        ("'quoted'", ["quoted"]),
    ],
)
def test_words_numbers_and_characters_are_tokens(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Wide", "ｗｉｄｅ"),
        ("CAFÉ", "cafe"),
        ("policies", "policy"),
        ("batteries", "battery"),
        ("charged", "charge"),
        ("charging", "charges"),
        ("cities", "city"),
        ("copied", "copies"),
        ("員", "员"),
        ("裡", "里"),
        ("doesn’t", "doesn't"),
    ],
)
def test_spellings_of_one_word_have_one_key(one: str, other: str) -> None:
    assert tokenize([one]).key.tolist() == tokenize([other]).key.tolist()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("open", "close"),
        ("员", "工"),
        ("bus", "bush"),
        ("NPU", "CPU"),
        ("busy", "bus"),
        ("army", "arm"),
        ("many", "man"),
        ("cities", "cit"),
    ],
)
def test_other_words_have_other_keys(one: str, other: str) -> None:
    assert tokenize([one]).key.tolist() != tokenize([other]).key.tolist()


def test_each_text_keeps_its_number_and_its_own_offsets() -> None:
    texts = ["first text", "", "第二个", "third"]
    tokens = tokenize(texts)
    assert tokens.text.tolist() == [0, 0, 2, 2, 2, 3]
    assert tokens.text_token.tolist() == [0, 2, 2, 5, 6]
    for i, a, b in zip(tokens.text.tolist(), tokens.start.tolist(), tokens.end.tolist(), strict=True):
        assert texts[i][a:b].strip() == texts[i][a:b] != ""


def test_sentences_and_clauses_end_where_a_reader_ends_them() -> None:
    tokens = tokenize(["Dr. A. Smith paid 1.5 euros, at noon. He left.", "甲，乙；丙。丁"])
    first, second = (tokens.sentence[tokens.text == i] for i in (0, 1))
    assert len(np.unique(first)) == 3  # "Dr." ends one, as far as this cheap cut goes
    assert len(np.unique(second)) == 3
    assert len(np.unique(tokens.clause[tokens.text == 1])) == 4


def test_a_word_of_a_lexicon_is_one_token() -> None:
    assert word_key("policy") == int(tokenize(["policy"]).word[0])
    with pytest.raises(ValueError, match="2 tokens"):
        word_key("two words")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.text(st.characters(codec=None), max_size=40), max_size=6))
def test_any_texts_give_tokens_within_them(texts: list[str]) -> None:
    tokens = tokenize(texts)
    assert tokens.count == len(texts)
    lengths = np.array([len(t) for t in texts] or [0])
    assert (tokens.start >= 0).all()
    assert (tokens.start < tokens.end).all()
    assert (tokens.end <= lengths[tokens.text]).all() if len(tokens.text) else True
    assert (np.diff(tokens.text) >= 0).all()
    assert (np.diff(tokens.sentence) >= 0).all()
    assert (np.diff(tokens.window) >= 0).all()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=5), st.integers(0, 4))
def test_a_text_reads_the_same_alone_and_among_others(texts: list[str], which: int) -> None:
    which %= len(texts)
    alone, among = tokenize([texts[which]]), tokenize(texts)
    mine = among.text == which
    assert alone.key.tolist() == among.key[mine].tolist()
    assert alone.start.tolist() == among.start[mine].tolist()
    assert alone.kind.tolist() == among.kind[mine].tolist()
