"""Plain rates: intervals that are as wide as the traces are few, and no narrower for being alike."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from stream.watch.rates import (
    clopper_pearson,
    design_effect,
    effective_sample_size,
    mean_of,
    rate_of,
    wilson,
)
from tests.support.near import near


@pytest.mark.parametrize(("positives", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (3, 400), (200, 400)])
def test_both_intervals_of_a_proportion_are_those_of_the_textbook(positives: int, n: int) -> None:
    test = stats.binomtest(positives, n)
    for ours, theirs in (
        (wilson(positives, n), test.proportion_ci(0.95, method="wilson")),
        (clopper_pearson(positives, n), test.proportion_ci(0.95, method="exact")),
    ):
        assert ours.low == pytest.approx(theirs.low, abs=1e-9)
        assert ours.high == pytest.approx(theirs.high, abs=1e-9)


def test_a_higher_level_is_a_wider_interval() -> None:
    assert wilson(5, 50, 0.99).high > wilson(5, 50, 0.95).high > wilson(5, 50, 0.8).high


def test_nothing_measured_says_nothing() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)
    for empty in (rate_of([]), rate_of([np.nan, np.nan]), mean_of([])):
        assert (empty.value, empty.n, empty.interval.low, empty.interval.high) == (None, 0, 0.0, 1.0)


def test_counts_that_are_no_proportion_are_refused() -> None:
    for positives, n in ((2, 1), (-1, 5), (0, -1)):
        with pytest.raises(ValueError, match="no proportion"):
            wilson(positives, n)
        with pytest.raises(ValueError, match="no proportion"):
            clopper_pearson(positives, n)
    with pytest.raises(ValueError, match=r"0\.\.1"):
        rate_of([0, 1, 2])


def test_a_rate_of_independent_traces_has_wilsons_interval() -> None:
    found = rate_of([1] * 5 + [0] * 95 + [np.nan] * 50)
    assert (found.value, found.n, found.effective_n) == (0.05, 100, near(100))
    assert found.interval.low == pytest.approx(wilson(5, 100).low)
    assert found.interval.high == pytest.approx(wilson(5, 100).high)


def test_turns_that_share_their_fate_count_once() -> None:
    values = np.repeat([1] * 5 + [0] * 95, 3)
    conversations = np.repeat(np.arange(100), 3)
    assert design_effect(values, conversations) == pytest.approx(3.0, rel=0.02)
    found, plain = rate_of(values, conversations), rate_of(values)
    assert found.value == plain.value
    assert found.effective_n == pytest.approx(100, rel=0.02)
    assert found.interval.high > plain.interval.high


def test_a_design_effect_is_never_below_one() -> None:
    assert design_effect([0, 1] * 50, np.repeat(np.arange(50), 2)) == 1.0
    assert design_effect([0.5] * 10, np.arange(10)) == 1.0
    assert design_effect([0, 1], ["one", "one"]) == 1.0


def test_the_mean_of_a_measure_has_students_interval() -> None:
    values = np.random.default_rng(1).random(20)
    found = mean_of(values)
    low, high = stats.t.interval(0.95, 19, values.mean(), stats.sem(values))
    assert found.interval.low == pytest.approx(low, rel=1e-4)
    assert found.interval.high == pytest.approx(high, rel=1e-4)


def test_the_mean_of_one_conversation_may_be_anything() -> None:
    found = mean_of([0.5, 0.6], ["c", "c"])
    assert (found.interval.low, found.interval.high) == (0.0, 1.0)


def test_unequal_weights_cost_traces() -> None:
    assert effective_sample_size([2.0] * 10) == pytest.approx(10)
    assert effective_sample_size([1, 1, 1, 97]) < 1.1
    assert effective_sample_size([]) == 0.0


def test_intervals_of_clustered_rates_hold_the_truth_as_often_as_they_say() -> None:
    rng, held = np.random.default_rng(3), []
    conversations = np.repeat(np.arange(200), 3)
    for _ in range(400):
        shared = np.repeat(rng.random(200) < 0.5, 3)
        fate = np.repeat(rng.random(200) < 0.1, 3)
        values = np.where(shared, fate, rng.random(600) < 0.1)
        interval = rate_of(values, conversations).interval
        held.append(interval.low <= 0.1 <= interval.high)
    assert 0.93 <= np.mean(held) <= 0.98
