"""Coefficients of agreement against published examples and against two other implementations."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.agreement import (
    Level,
    Weighting,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
    pair_up,
    prevalence_adjusted,
    raw_agreement,
)

# Krippendorff (2011), section C: four observers, twelve units, with gaps.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def table(*rows: list[float]) -> Any:
    return np.array(rows, np.float64)


def test_a_textbook_kappa_of_three_classes() -> None:
    """Fleiss, Levin and Paik (2003), "Statistical Methods for Rates and Proportions", table 18.1."""
    seen = table([75, 1, 4], [5, 4, 1], [0, 0, 10])
    assert raw_agreement(seen) == pytest.approx(0.89)
    assert cohen_kappa(seen) == pytest.approx(0.676, abs=0.0005)


def test_a_textbook_kappa_of_two_classes() -> None:
    seen = table([20, 5], [10, 15])
    assert cohen_kappa(seen) == pytest.approx(0.4)
    assert prevalence_adjusted(seen) == pytest.approx(0.4)


def test_the_paradox_of_kappa_where_one_class_is_nearly_all() -> None:
    """Gwet (2008), table 1: 94 % agree, and kappa is below zero."""
    seen = table([118, 5], [2, 0])
    assert raw_agreement(seen) == pytest.approx(0.944)
    assert cohen_kappa(seen) == pytest.approx(-0.0234, abs=0.0001)
    assert gwet_ac1(seen) == pytest.approx(0.9408, abs=0.0001)
    assert prevalence_adjusted(seen) == pytest.approx(0.888)


@pytest.mark.parametrize(
    ("level", "published"), [(Level.NOMINAL, 0.743), (Level.ORDINAL, 0.815), (Level.INTERVAL, 0.849)]
)
def test_krippendorffs_own_example(level: Level, published: float) -> None:
    found = krippendorff_alpha(list(zip(*OBSERVERS, strict=True)), [1, 2, 3, 4, 5], level, resamples=50)
    assert found.value == pytest.approx(published, abs=0.0005)
    assert found.n == 11, "the last unit was rated by one observer alone"


codes = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)


@settings(max_examples=150, deadline=None)
@given(codes, st.sampled_from(list(Weighting)))
def test_kappa_is_what_scikit_learn_says(items: list[tuple[int, int]], weighting: Weighting) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    first, second = (list(side) for side in zip(*items, strict=True))
    ours = float(cohen_kappa(pair_up(first, second, range(4)).table(), weighting))
    name = None if weighting is Weighting.NONE else weighting.value
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = metrics.cohen_kappa_score(
            first, second, labels=list(range(4)), weights=name, replace_undefined_by=np.nan
        )
    assert ours == pytest.approx(theirs, nan_ok=True)


@settings(max_examples=100, deadline=None)
@given(codes, st.lists(st.integers(1, 5), min_size=40, max_size=40))
def test_an_item_of_weight_three_is_that_item_three_times(
    items: list[tuple[int, int]], weights: list[int]
) -> None:
    first, second = zip(*items, strict=True)
    weighted = pair_up(first, second, range(4), weights=weights[: len(items)])
    often = [item for item, weight in zip(items, weights, strict=False) for _ in range(weight)]
    first, second = zip(*often, strict=True)
    assert weighted.table().tolist() == pair_up(first, second, range(4)).table().tolist()


ratings = st.lists(st.lists(st.none() | st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=25)


@settings(max_examples=150, deadline=None)
@given(ratings, st.sampled_from(list(Level)))
def test_alpha_is_what_another_implementation_says(rows: list[list[int | None]], level: Level) -> None:
    other = pytest.importorskip("krippendorff")
    found = krippendorff_alpha(rows, range(4), level, resamples=20)
    pairable = [row for row in rows if sum(value is not None for value in row) > 1]
    if len({value for row in pairable for value in row if value is not None}) < 2 or len(pairable) < 2:
        assert found.value is None
        return
    data = np.array([[np.nan if v is None else v for v in row] for row in rows], float).T
    theirs = other.alpha(data, value_domain=[0, 1, 2, 3], level_of_measurement=level.value)
    assert found.value == pytest.approx(theirs, abs=1e-9)
