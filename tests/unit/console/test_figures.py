"""A rate carries its interval and its number, and nothing measured is not zero."""

from __future__ import annotations

import pytest

from console.figures import NOT_MEASURED, known, share
from judges.intervals import wilson


def test_a_share_has_the_interval_of_wilson() -> None:
    figure = share(30, 200)
    interval = wilson(30, 200)
    assert (figure.value, figure.low, figure.high, figure.n) == (0.15, interval.low, interval.high, 200)


def test_a_share_of_nothing_is_not_measured() -> None:
    assert share(0, 0) == NOT_MEASURED
    assert not NOT_MEASURED.measured


def test_a_sum_that_rounding_made_too_great_is_all() -> None:
    assert share(3.0000000001, 3).value == 1.0


@pytest.mark.parametrize("hits", [-1, 12, float("nan"), float("inf")])
def test_what_does_not_fit_is_not_measured(hits: float) -> None:
    assert share(hits, 10) == NOT_MEASURED


def test_a_mean_over_nothing_that_comes_as_nan_is_not_measured() -> None:
    nan = float("nan")
    assert known(nan, nan, nan, 0).value is None
    assert known(0.5, nan, 0.7, 3).low is None
