"""What is said of two raters: never NaN, the same for the same seed, honest about little data."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.agreement import (
    Agreement,
    Gap,
    Level,
    Weighting,
    krippendorff_alpha,
    measure_pairs,
    pair_up,
)

YES_NO = (False, True)


def measured(first: Sequence[bool | None], second: Sequence[bool | None], **options: Any) -> Agreement:
    return measure_pairs(pair_up(first, second, YES_NO, **options))


def test_nothing_rated_by_both_is_null_with_its_reason() -> None:
    found = measured([True, None], [None, False])
    assert (found.n, found.kappa.value, found.kappa.reason) == (0, None, Gap.NO_ITEMS)
    assert found.confusion == [[0, 0], [0, 0]]
    assert found.by_class == {}


def test_too_few_items_have_a_confusion_and_no_figure() -> None:
    found = measured([True] * 4, [True, True, False, False])
    assert (found.kappa.value, found.kappa.reason) == (None, Gap.TOO_FEW)
    assert found.confusion == [[0, 0], [2, 2]]


def test_one_class_only_leaves_kappa_undefined_and_raw_agreement_not() -> None:
    found = measured([False] * 50, [False] * 50)
    assert (found.kappa.value, found.kappa.reason) == (None, Gap.ONE_CLASS)
    assert found.raw.value == 1.0
    assert found.ac1.value == 1.0


def test_a_rater_who_says_the_same_of_everything_has_no_skill() -> None:
    found = measured([False, True] * 30, [False] * 60)
    assert found.kappa.value == pytest.approx(0)


def test_perfect_agreement_on_few_items_is_not_certain() -> None:
    few, many = (measured([False, True] * n, [False, True] * n) for n in (10, 500))
    assert few.kappa.value == many.kappa.value == 1.0
    assert few.kappa.low is not None
    assert many.kappa.low is not None
    assert 0.6 < few.kappa.low < 0.85
    assert many.kappa.low > 0.99


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    random = Random(3)
    first = [random.random() < 0.3 for _ in range(90)]
    second = [said if random.random() < 0.8 else not said for said in first]
    pairs = pair_up(first, second, YES_NO)
    one, same, other = (measure_pairs(pairs, seed=seed).kappa for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_traces_of_one_conversation_are_no_independent_witnesses() -> None:
    """Ten conversations of twenty equal traces say as much as ten traces, not as two hundred."""
    random = Random(5)
    first = [random.random() < 0.5 for _ in range(10) for _ in range(20)]
    second = list(first)
    for start in range(0, 60, 20):
        second[start : start + 20] = [not said for said in second[start : start + 20]]
    clusters = [number // 20 for number in range(200)]
    apart = measured(first, second).kappa
    together = measured(first, second, clusters=clusters).kappa
    assert apart.value == together.value
    assert apart.low is not None
    assert apart.high is not None
    assert together.low is not None
    assert together.high is not None
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_intervals_hold_what_they_promise() -> None:
    """Kappa of 120 items from raters whose true kappa is known: about 95 % of the intervals hold it."""
    table = np.array([[0.55, 0.05], [0.1, 0.3]])
    true = (0.85 - (0.6 * 0.65 + 0.4 * 0.35)) / (1 - (0.6 * 0.65 + 0.4 * 0.35))
    random = np.random.default_rng(11)
    held = 0
    for seed in range(200):
        cells = random.choice(4, size=120, p=table.ravel())
        pairs = pair_up([bool(c // 2) for c in cells], [bool(c % 2) for c in cells], YES_NO)
        kappa = measure_pairs(pairs, seed=seed, resamples=300).kappa
        assert kappa.low is not None
        assert kappa.high is not None
        held += kappa.low <= true <= kappa.high
    assert 0.91 <= held / 200 <= 0.98


def test_each_class_is_measured_against_the_rest() -> None:
    first = ["a"] * 20 + ["b"] * 20
    second = ["a"] * 15 + ["c"] * 5 + ["b"] * 20
    found = measure_pairs(pair_up(first, second, ("a", "b", "c", "d")))
    assert found.by_class["a"].precision == 1.0
    assert found.by_class["a"].recall == 0.75
    assert (found.by_class["c"].precision, found.by_class["c"].recall) == (0.0, None)
    assert "d" not in found.by_class


def test_a_near_miss_of_ranks_costs_less_than_a_far_one() -> None:
    first = [1, 2, 3, 4, 5] * 8
    near = [min(value + 1, 5) if number < 10 else value for number, value in enumerate(first)]
    far = [6 - value if number < 10 else value for number, value in enumerate(first)]
    one, other = (
        measure_pairs(pair_up(first, second, range(1, 6)), ranked=True).weighted[Weighting.QUADRATIC].value
        for second in (near, far)
    )
    assert one is not None
    assert other is not None
    assert one > other


def test_ratings_outside_the_classes_and_weights_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="item 1: 'x' is none of the classes"):
        pair_up(["a", "x"], ["a", "a"], ("a", "b"))
    for weight in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="must be positive"):
            pair_up(["a"], ["a"], ("a", "b"), weights=[weight])
    with pytest.raises(ValueError, match="shorter"):
        pair_up(["a"], [], ("a", "b"))


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.none() | st.integers(0, 2), st.none() | st.integers(0, 2)), max_size=30),
    st.integers(1, 12),
)
def test_no_figure_is_ever_a_nan(items: list[tuple[int | None, int | None]], least: int) -> None:
    first, second = [one for one, _ in items], [other for _, other in items]
    found = measure_pairs(pair_up(first, second, range(3)), ranked=True, resamples=50, least=least)
    json.dumps(found.as_dict(), allow_nan=False)
    for level in Level:
        json.dumps(krippendorff_alpha(items, range(3), level, resamples=50).as_dict(), allow_nan=False)


def test_alpha_says_why_there_is_none() -> None:
    assert krippendorff_alpha([], YES_NO).reason is Gap.NO_ITEMS
    assert krippendorff_alpha([[True, None], [None, False]], YES_NO).reason is Gap.NO_ITEMS
    assert krippendorff_alpha([[True, True]], YES_NO).reason is Gap.TOO_FEW
    assert krippendorff_alpha([[True, True]] * 9, YES_NO).reason is Gap.ONE_CLASS
    with pytest.raises(ValueError, match="item 0: 7"):
        krippendorff_alpha([[7, True]], YES_NO)
