"""What is usual is learned by time of day, late, and never from an incident."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks._simulated_stream import BAD, GOOD, World
from benchmarks.alerting import Watched
from stream.watch.baseline import BLOCK_S, Baseline
from stream.watch.betting import CENTRES

CALM = np.array([True])
DAY = 144


def mean_at(rate: float) -> float:
    return float(((1 - rate) * GOOD + rate * BAD) @ np.asarray(CENTRES))


def block(rng: np.random.Generator, rate: float, traces: float = 12_000) -> np.ndarray:
    """Ten minutes of one segment: by minute, segment and bucket."""
    return rng.poisson(traces / 10 * ((1 - rate) * GOOD + rate * BAD), (10, 1, len(GOOD))).astype(float)


def learned(rates: list[float], calm: list[bool] | None = None, traces: float = 12_000) -> Baseline:
    rng, baseline = np.random.default_rng(1), Baseline(1)
    for at, rate in enumerate(rates):
        baseline.add(block(rng, rate, traces), at * BLOCK_S, np.array([calm[at] if calm else True]))
    baseline.learn()
    return baseline


def test_nothing_is_usual_before_three_hours_have_passed() -> None:
    assert not learned([0.05] * 20).ready[0]
    assert learned([0.05] * 21).ready[0]
    empty = Baseline(1)
    empty.learn()
    assert not empty.ready[0]


def test_the_usual_mean_follows_the_time_of_day() -> None:
    wave = [0.05 * (1 + 0.2 * math.sin(2 * math.pi * at / DAY)) for at in range(7 * DAY)]
    baseline = learned(wave)
    for at in (0, 36, 72, 108):
        said = baseline.usual((7 * DAY + at) * BLOCK_S)[0]
        assert said == pytest.approx(mean_at(wave[at]), rel=0.01)
    assert baseline.guard[0] < 0.0005


def test_a_day_that_is_not_over_has_no_time_of_day_yet() -> None:
    baseline = learned([0.05] * 70 + [0.06] * 50)
    assert baseline.usual(0.0)[0] == baseline.usual(43_200.0)[0]


def test_the_latest_half_hour_is_not_learned_from() -> None:
    with_rise = learned([0.05] * 100 + [0.5] * 3)
    assert with_rise.usual(0.0)[0] == pytest.approx(learned([0.05] * 100).usual(0.0)[0], rel=0.01)


def test_an_incident_is_never_learned_from() -> None:
    calm = [True] * 100 + [False] * 40
    baseline = learned([0.05] * 100 + [0.5] * 40, calm)
    assert baseline.usual(0.0)[0] == pytest.approx(mean_at(0.05), rel=0.02)


def test_what_another_scorer_said_is_forgotten() -> None:
    baseline = learned([0.05] * 100)
    baseline.forget(CALM)
    assert not baseline.ready[0]
    assert baseline.usual(0.0)[0] == 0.0
    rng = np.random.default_rng(2)
    for at in range(30):
        baseline.add(block(rng, 0.2), (100 + at) * BLOCK_S, CALM)
    baseline.learn()
    assert baseline.usual(0.0)[0] == pytest.approx(mean_at(0.2), rel=0.02)


def test_independent_traces_have_no_design_effect_and_need_no_guard() -> None:
    baseline = learned([0.05] * 7 * DAY)
    assert baseline.design_effect[0] == pytest.approx(1.0, abs=0.05)
    assert baseline.guard[0] < 0.0005


def test_a_rate_that_wanders_is_guarded_against_in_its_own_measure() -> None:
    rng = np.random.default_rng(3)
    rates = [float(0.05 * (1 + rng.normal(0, 0.2))) for _ in range(3 * DAY)]
    baseline = learned(rates)
    sd = 0.05 * 0.2 * (mean_at(1.0) - mean_at(0.0))
    assert baseline.guard[0] == pytest.approx(2 * sd, rel=0.2)


def test_turns_that_share_their_fate_have_a_design_effect() -> None:
    alike, apart = (
        Watched(World(np.full(8, 20.0), np.random.default_rng(5), real)).baseline.design_effect.mean()
        for real in (True, False)
    )
    assert apart < 1.02 < alike


def test_segments_do_not_learn_from_each_other() -> None:
    rng, baseline = np.random.default_rng(1), Baseline(2)
    for at in range(60):
        two = np.concatenate([block(rng, 0.05), block(rng, 0.2)], axis=1)
        baseline.add(two, at * BLOCK_S, np.array([True, True]))
    baseline.learn()
    assert baseline.usual(0.0) == pytest.approx([mean_at(0.05), mean_at(0.2)], rel=0.02)


def test_a_rise_under_real_traffic_is_told_soon_and_its_absence_is_not() -> None:
    """A smaller version of benchmarks/alerting.py."""
    watched = Watched(World(np.full(12, 20.0), np.random.default_rng(7), real=True))
    calm = [said["bets"].max() for _ in range(180) for said in watched.minute()]
    assert max(calm) < 16
    told = np.full(12, np.inf)
    start = watched.now
    for _ in range(10):
        for said in watched.minute(0.15):
            told[(said["bets"] > 16) & np.isinf(told)] = watched.now - start
    assert np.median(told) < 150
    assert np.isfinite(told).all()
