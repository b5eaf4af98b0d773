"""Quantiles, held to a statistics library that the product does without."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from stream.watch.quantiles import beta_quantile, beta_share, normal_quantile, t_quantile


@pytest.mark.parametrize("degrees", [0.7, 1.0, 2.0, 3.5, 5.0, 19.9, 20.0, 33.3, 200.0, math.inf])
@pytest.mark.parametrize("probability", [0.025, 0.5, 0.9, 0.975, 0.995])
def test_students_t_is_right_to_four_places(degrees: float, probability: float) -> None:
    expected = stats.t.ppf(probability, degrees)
    assert t_quantile(probability, degrees) == pytest.approx(expected, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.5, 0.5), (3, 97), (50, 2), (400, 9_600), (1, 10_000)])
def test_the_beta_distribution_is_right_to_nine_places(a: float, b: float) -> None:
    for probability in (0.001, 0.025, 0.5, 0.975, 0.999):
        x = beta_quantile(probability, a, b)
        assert x == pytest.approx(stats.beta.ppf(probability, a, b), rel=1e-9)
        assert beta_share(x, a, b) == pytest.approx(probability, rel=1e-9)


def test_the_ends_hold_nothing_and_everything() -> None:
    assert (beta_share(0.0, 2, 3), beta_share(1.0, 2, 3)) == (0.0, 1.0)
    assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)
