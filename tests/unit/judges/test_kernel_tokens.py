"""Tokens, units and weights as compiled, held to the slow definition, on texts made to be awkward."""

from __future__ import annotations

import numpy as np
import pytest

from judges.distilled.measuring.lexicon import read_number_words, word_flags
from judges.distilled.measuring.tokens import tokenize
from judges.distilled.measuring.units import find_units, token_weights
from tests.support.awkward import make_texts
from tests.support.reference_tokens import list_units, read_tokens


@pytest.mark.parametrize("seed", range(60))
def test_compiled_tokens_are_those_of_the_definition(seed: int) -> None:
    texts = make_texts(seed, count=5, pieces=40)
    tokens = tokenize(texts)
    read_number_words(tokens)
    expected = read_tokens(texts)
    for name in ("text", "start", "end", "kind", "word", "key", "sentence", "clause", "window"):
        assert getattr(tokens, name).tolist() == [getattr(t, name) for t in expected], name
    for name in ("capital", "adjacent", "opens"):
        assert getattr(tokens, name).tolist() == [getattr(t, name) for t in expected], name
    values = tokens.values
    assert [values[i] if i >= 0 else () for i in tokens.number.tolist()] == [t.values for t in expected]


@pytest.mark.parametrize("seed", range(60, 90))
def test_compiled_flags_units_and_weights_are_those_of_the_definition(seed: int) -> None:
    texts = make_texts(seed, count=5, pieces=40)
    tokens = tokenize(texts)
    read_number_words(tokens)
    flags = word_flags(tokens)
    expected = read_tokens(texts)
    assert flags.tolist() == [t.flags for t in expected]
    np.testing.assert_allclose(token_weights(tokens, flags), [t.weight for t in expected], atol=1e-9)
    units, wanted = find_units(tokens, flags), list_units(expected)
    assert units.first.tolist() == [u.first for u in wanted]
    assert units.last.tolist() == [u.last for u in wanted]
    assert units.key.tolist() == [u.key for u in wanted]


def test_texts_without_a_token_are_no_trouble() -> None:
    for texts in ([], [""], ["", " \n"], ["\0", "."], ["'"]):
        tokens = tokenize(texts)
        assert tokens.count == len(texts)
        assert len(tokens.word) == 0
        assert tokens.text_token.tolist() == [0] * (len(texts) + 1)
