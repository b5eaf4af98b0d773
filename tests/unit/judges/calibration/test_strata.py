"""Which traces go on a sheet: some of every kind, each with the probability that it truly had."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.calibration.strata import Stratum, allot, draw, is_uncertain, strata_of

HEALTHY = Stratum("healthy", "en", False)
RARE = Stratum("over_refusal", "zh", True)


def population(healthy: int, rare: int) -> dict[str, Stratum]:
    return {f"h{n}": HEALTHY for n in range(healthy)} | {f"r{n}": RARE for n in range(rare)}


def test_rare_kinds_are_as_many_as_common_ones_as_far_as_there_are_any() -> None:
    assert strata_of(draw(population(5_000, 300), 200, 1)) == {
        "healthy/en/sure": 100,
        "over_refusal/zh/uncertain": 100,
    }
    assert strata_of(draw(population(5_000, 3), 200, 1)) == {
        "healthy/en/sure": 197,
        "over_refusal/zh/uncertain": 3,
    }


def test_the_probability_of_a_trace_is_how_often_it_is_drawn() -> None:
    people = population(40, 10)
    drawn = Counter(one.trace_id for seed in range(600) for one in draw(people, 16, seed))
    said = {one.trace_id: one.probability for seed in range(40) for one in draw(people, 16, seed)}
    assert said["h1"] == 8 / 40
    assert said["r1"] == 8 / 10
    for trace_id, probability in said.items():
        assert drawn[trace_id] / 600 == pytest.approx(probability, abs=0.08)


def test_the_order_says_nothing_of_the_kind_and_the_seed_settles_it() -> None:
    people = population(100, 100)
    kinds = [one.stratum for one in draw(people, 100, 7)]
    assert kinds != sorted(kinds)
    assert draw(people, 100, 7) == draw(people, 100, 7)
    assert draw(people, 100, 7) != draw(people, 100, 8)


def test_more_than_there_are_is_all_of_them() -> None:
    drawn = draw(population(5, 2), 200, 0)
    assert len(drawn) == 7
    assert {one.probability for one in drawn} == {1.0}
    assert draw({}, 10, 0) == []


@given(
    st.dictionaries(
        st.sampled_from([Stratum(*kind) for kind in product(("a", "b", "c"), ("en", "zh"), (True, False))]),
        st.integers(1, 30),
    ),
    st.integers(0, 200),
    st.integers(0, 5),
)
def test_what_is_allotted_is_what_was_asked_for_and_no_more_than_there_is(
    sizes: dict[Stratum, int], total: int, seed: int
) -> None:
    given_ = allot(sizes, total, Random(seed))
    assert sum(given_.values()) == min(total, sum(sizes.values()))
    assert all(given_[stratum] <= size for stratum, size in sizes.items())
    cut = [count for stratum, count in given_.items() if count < sizes[stratum]]
    assert not cut or max(given_.values()) <= min(cut) + 1


def test_doubt_is_a_middling_probability_a_low_confidence_or_a_panel_in_disagreement() -> None:
    assert is_uncertain(0.5, None)
    assert is_uncertain(None, 0.4)
    assert is_uncertain(0.99, 0.99, 0.5)
    assert not is_uncertain(0.99, 0.99, 0.0)
    assert not is_uncertain(None, None)
