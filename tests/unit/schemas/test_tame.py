"""Whatever JSON allows can be carried once it is tamed."""

from __future__ import annotations

from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from schemas.tame import MAX_DEPTH, tame

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=20,
)


@given(anything)
def test_what_is_tame_can_be_encoded(value: Any) -> None:
    orjson.dumps(tame(value))


def test_endless_integers_become_text_and_fitting_ones_stay() -> None:
    assert tame({"fits": 2**62, "does_not": 2**70}) == {"fits": 2**62, "does_not": str(2**70)}


def test_depth_has_an_end() -> None:
    value: Any = "bottom"
    for _ in range(MAX_DEPTH * 5):
        value = [value]
    assert orjson.dumps(tame(value)).count(b"[") == MAX_DEPTH
