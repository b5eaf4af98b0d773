"""What the first minutes say of how restless traffic is."""

from __future__ import annotations

import numpy as np
import pytest

from stream.watch.betting import BUCKETS, CENTRES, Floats
from stream.watch.usual import scatter_of

MINUTES, STRATA, TRACES = 10, 40, 60


def minutes(rng: np.random.Generator, turns: int) -> Floats:
    """Minutes of traces whose values come in conversations of so many turns that share theirs."""
    counts = np.zeros((MINUTES, STRATA, BUCKETS))
    for minute in range(MINUTES):
        for stratum in range(STRATA):
            drawn = rng.choice([2, 17], p=[0.9, 0.1], size=TRACES // turns)
            np.add.at(counts[minute, stratum], drawn, turns)
    return counts


def effect(rng: np.random.Generator, turns: int) -> float:
    scatter, degrees = sum((scatter_of(minutes(rng, turns)) for _ in range(4)), np.zeros(2))
    return float(scatter / degrees)


def test_independent_traces_scatter_as_they_should(rng: np.random.Generator) -> None:
    assert effect(rng, 1) == pytest.approx(1.0, abs=0.1)


def test_turns_that_share_their_fate_scatter_as_many_times_as_there_are(rng: np.random.Generator) -> None:
    assert effect(rng, 3) == pytest.approx(3.0, rel=0.12)


def test_what_never_varies_and_what_hardly_comes_says_nothing() -> None:
    same = np.zeros((MINUTES, 2, BUCKETS))
    same[:, 0, 3] = 50
    same[0, 1, :] = 1.0 / len(CENTRES)
    assert scatter_of(same).tolist() == [0.0, 0.0]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)
