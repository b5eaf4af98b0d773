"""Whether a gap grows."""

from __future__ import annotations

import pytest

from judges.clustering import Direction
from judges.clustering.trend import trend_of

EVEN = [100] * 4


def test_many_more_in_the_later_half_grow_and_many_fewer_fall() -> None:
    assert trend_of([1, 1, 12, 16], EVEN).direction is Direction.GROWING
    assert trend_of([16, 12, 1, 1], EVEN).direction is Direction.FALLING


def test_few_questions_say_nothing() -> None:
    assert trend_of([0, 1, 1, 1], EVEN).direction is Direction.UNCLEAR


def test_more_questions_of_more_traffic_are_no_growth() -> None:
    found = trend_of([10, 10, 40, 40], [100, 100, 400, 400])
    assert found.direction is Direction.UNCLEAR
    assert found.ratio == pytest.approx(1.0)


def test_the_interval_holds_the_ratio() -> None:
    found = trend_of([5, 5, 10, 10], EVEN)
    assert found.ratio == pytest.approx(2.0)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 2.0 < found.high


def test_what_was_never_asked_before_has_no_upper_end() -> None:
    found = trend_of([0, 0, 9, 9], EVEN)
    assert (found.direction, found.ratio, found.high) == (Direction.GROWING, None, None)
    assert found.low is not None
    assert found.low > 1


@pytest.mark.parametrize("traffic", [[0, 0, 100, 100], [100, 100, 0, 0], [0] * 4])
def test_a_half_without_traffic_has_no_trend(traffic: list[int]) -> None:
    assert trend_of([0, 0, 5, 5], traffic).direction is Direction.UNCLEAR


def test_one_in_twenty_trends_of_nothing_is_told_at_most_often() -> None:
    """Exactly: the chance of each split of 20 questions, if nothing changed."""
    from math import comb

    told = sum(
        comb(20, later) / 2**20
        for later in range(21)
        if trend_of([20 - later, later], [100, 100]).direction is not Direction.UNCLEAR
    )
    assert told <= 0.05
