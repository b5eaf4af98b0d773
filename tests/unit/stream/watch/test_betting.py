"""Bets grow rich where a rate has risen, and stay poor where nothing has changed."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks._simulated_stream import World, information
from stream.watch.betting import BUCKETS, CENTRES, EDGES, LAMBDAS, Bets, count_by_bucket, mean_of_counts

INDEPENDENT = np.ones(1)


def usual_of(world: World) -> np.ndarray:
    return mean_of_counts(world.bins(0.0, 2_000).sum(axis=0))


def play(rate: float, bins: int = 240, per_second: float = 20.0, seed: int = 1) -> np.ndarray:
    """The evidence after each bin of five seconds."""
    world = World(np.array([per_second]), np.random.default_rng(seed))
    bets, usual = Bets(1), usual_of(world)
    return np.array(
        [bets.observe(c, usual, INDEPENDENT, 5.0 * at)[0] for at, c in enumerate(world.bins(0.0, bins, rate))]
    )


def test_values_are_counted_in_the_bucket_that_begins_with_them() -> None:
    counts = count_by_bucket(np.array([0.0, 0.005, 0.5, 0.99, 1.0, np.nan]))
    assert counts.sum() == 5
    assert (counts[0], counts[1], counts[-1]) == (1, 1, 2)
    assert counts[EDGES.index(0.5)] == 1


def test_the_mean_of_buckets_is_near_the_mean_of_what_was_counted() -> None:
    values = np.random.default_rng(1).beta(0.3, 6, 20_000)
    assert mean_of_counts(count_by_bucket(values)) == pytest.approx(values.mean(), abs=0.002)
    assert np.isnan(mean_of_counts(np.zeros(BUCKETS)))


def test_a_bet_on_no_change_neither_wins_nor_loses_on_average() -> None:
    """What makes it safe to look all the time: each factor is 1 on average, for every λ."""
    centres = np.asarray(CENTRES)
    shares = count_by_bucket(np.random.default_rng(2).beta(0.3, 6, 50_000)) / 50_000
    usual = float(shares @ centres)
    for lambda_ in LAMBDAS:
        assert float(shares @ (1 + lambda_ * (centres - usual))) == pytest.approx(1.0)


def test_nothing_changed_is_no_evidence() -> None:
    assert play(0.05, bins=5_000).max() < 12


def test_a_rise_is_evidence_within_minutes_and_a_greater_one_sooner() -> None:
    first = {rate: int(np.argmax(play(rate, bins=1_000) > 16)) for rate in (0.08, 0.15, 0.3)}
    assert 0 < first[0.3] < first[0.15] < first[0.08]
    assert first[0.15] < 40


def test_a_fall_is_none() -> None:
    assert play(0.02, bins=1_000).max() < 6


def test_the_evidence_grows_by_what_traces_tell_and_no_faster() -> None:
    grown = play(0.15, bins=120)
    a_bin = (grown[-1] - grown[60]) / 59
    assert 0.6 * 100 * information(0.05, 0.15) < a_bin < 1.2 * 100 * information(0.05, 0.15)


def test_the_onset_is_about_when_it_began() -> None:
    world = World(np.array([20.0]), np.random.default_rng(4))
    bets, usual = Bets(1), usual_of(world)
    bins = np.concatenate([world.bins(0.0, 500), world.bins(0.0, 60, 0.15)])
    for at, counts in enumerate(bins):
        bets.observe(counts, usual, INDEPENDENT, 5.0 * at)
    assert bets.onset[0] == pytest.approx(2_500, abs=60)


def test_correlated_traces_are_worth_less() -> None:
    world = World(np.array([20.0]), np.random.default_rng(1))
    usual, counts = usual_of(world), world.bins(0.0, 60, 0.15)
    apart, alike = Bets(1), Bets(1)
    for at, one in enumerate(counts):
        apart.observe(one, usual, INDEPENDENT, at)
        alike.observe(one, usual, 2 * INDEPENDENT, at)
    assert alike.evidence[0] == pytest.approx(apart.evidence[0] / 2, rel=0.2)


def test_a_restart_forgets_one_segment_and_no_other() -> None:
    world = World(np.array([20.0, 20.0]), np.random.default_rng(1))
    bets, usual = Bets(2), usual_of(world)
    for at, counts in enumerate(world.bins(0.0, 60, 0.3)):
        bets.observe(counts, usual, np.ones(2), at)
    before = bets.evidence.copy()
    bets.restart(np.array([True, False]), 60.0)
    assert bets.evidence[0] == 0.0
    assert bets.evidence[1] == before[1] > 16


def test_no_trace_ruins_a_bet_however_high_the_usual_rate() -> None:
    bets, counts = Bets(1), np.zeros((1, BUCKETS))
    counts[0, 0] = 1e6
    assert np.isfinite(bets.observe(counts, np.array([0.9]), INDEPENDENT, 0.0)).all()
    assert bets.observe(np.zeros((1, BUCKETS)), np.array([0.0]), INDEPENDENT, 0.0)[0] == 0.0
