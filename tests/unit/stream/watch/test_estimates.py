"""Rates from cheap scores on all traces and verdicts on some: right, and as sure as they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks._simulated_rates import Traffic, Worker, rates_of, simulate
from benchmarks.estimates import LIMITED, LIMITED_TRACES, UNLIMITED, coverage, run, run_limited
from stream.watch.estimates import Estimate, estimate
from stream.watch.rates import wilson
from tests.support.near import near

NONE = np.nan


def judged_share(rng: np.random.Generator, traffic: Traffic, p: Any) -> Any:
    return np.where(rng.random(len(p)) < p, traffic.truth, NONE)


def one(scorer: str = "calibrated", rate: float = 0.1, **options: Any) -> Estimate:
    rng = np.random.default_rng(5)
    traffic = simulate(rng, 9_000, rate, scorer)
    p = rates_of(traffic, UNLIMITED)
    return estimate(judged_share(rng, traffic, p), p, traffic.score, traffic.conversation, **options)


# --- what it comes to ---


def test_boosted_verdicts_weighted_back_give_the_rate_of_all_traffic() -> None:
    found = one()
    assert found.method == "prediction_powered"
    assert found.low < 0.1 < found.high
    assert found.high - found.low < 0.08
    assert found.value == pytest.approx(0.1, abs=0.03)
    assert found.n_all == 9_000
    assert 200 < found.n_judged < 500
    assert 0 < found.lambda_ <= 1


def test_a_scorer_that_cries_wolf_is_corrected() -> None:
    found = one("alarmist", rate=0.05)
    assert found.cheap is not None
    assert found.cheap > 0.09
    assert found.value == pytest.approx(0.05, abs=0.02)
    assert found.low < 0.05 < found.high < found.cheap


def test_without_boosts_weights_and_scores_it_is_nearly_the_plain_proportion() -> None:
    verdicts = np.full(10_000, NONE)
    verdicts[:500] = [1] * 50 + [0] * 450
    found = estimate(verdicts, np.full(10_000, 0.05))
    plain = wilson(50, 500)
    assert (found.method, found.value, found.lambda_) == ("weighted", near(0.1), 0.0)
    assert found.low == pytest.approx(plain.low, abs=0.002)
    assert found.high == pytest.approx(plain.high, abs=0.002)
    assert found.effective_n == pytest.approx(500, rel=0.01)
    assert found.design_n == pytest.approx(500, rel=0.01)


def test_a_worthless_score_is_not_trusted() -> None:
    rng = np.random.default_rng(2)
    truth, noise = rng.random(5_000) < 0.2, rng.random(5_000)
    verdicts = np.where(rng.random(5_000) < 0.2, truth, NONE)
    found = estimate(verdicts, np.full(5_000, 0.2), noise)
    alone = estimate(verdicts, np.full(5_000, 0.2))
    assert found.lambda_ < 0.1
    assert found.high - found.low == pytest.approx(alone.high - alone.low, rel=0.03)


def test_scores_narrow_the_interval() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(5_000) < 0.2
    score = np.clip(truth * 0.8 + rng.random(5_000) * 0.2, 0, 1)
    verdicts = np.where(rng.random(5_000) < 0.1, truth, NONE)
    with_score = estimate(verdicts, np.full(5_000, 0.1), score)
    alone = estimate(verdicts, np.full(5_000, 0.1))
    assert with_score.lambda_ == pytest.approx(1.0, abs=0.1)
    assert with_score.high - with_score.low < 0.6 * (alone.high - alone.low)


def test_where_all_are_judged_these_traces_are_known_exactly_and_the_rate_behind_them_is_not() -> None:
    verdicts = np.array([1.0] * 10 + [0.0] * 90)
    exact = estimate(verdicts, np.ones(100), target="traffic")
    assert exact.value == exact.low == exact.high == pytest.approx(0.1)
    behind = estimate(verdicts, np.ones(100))
    plain = wilson(10, 100)
    assert behind.low == pytest.approx(plain.low, abs=0.005)
    assert behind.high == pytest.approx(plain.high, abs=0.005)


def test_conversations_that_share_their_fate_make_it_less_sure() -> None:
    verdicts = np.repeat([1.0] * 30 + [0.0] * 270, 3)
    together = estimate(verdicts, np.ones(900), clusters=np.repeat(np.arange(300), 3))
    apart = estimate(verdicts, np.ones(900))
    assert together.value == pytest.approx(0.1)
    assert together.high - together.low > 1.5 * (apart.high - apart.low)
    assert together.effective_n == pytest.approx(300, rel=0.02)


def test_a_mean_of_degrees_is_estimated_like_a_rate() -> None:
    rng = np.random.default_rng(8)
    faithful = np.clip(rng.normal(0.8, 0.15, 4_000), 0, 1)
    cheap = np.clip(faithful + rng.normal(0, 0.1, 4_000), 0, 1)
    p = np.where(cheap < 0.6, 0.5, 0.05)
    found = estimate(np.where(rng.random(4_000) < p, faithful, NONE), p, cheap)
    assert found.low < faithful.mean() < found.high
    assert found.high - found.low < 0.05


def test_verdicts_that_failed_at_random_make_it_less_sure_and_not_wrong() -> None:
    rng = np.random.default_rng(5)
    traffic = simulate(rng, 9_000, 0.1)
    p = rates_of(traffic, UNLIMITED)
    verdicts = judged_share(rng, traffic, p)
    half = np.where(rng.random(9_000) < 0.5, verdicts, NONE)
    whole, part = (estimate(v, p, traffic.score, traffic.conversation) for v in (verdicts, half))
    assert part.answered == pytest.approx(0.5, abs=0.1)
    assert part.value == pytest.approx(0.1, abs=0.05)
    assert part.effective_n < 0.8 * whole.effective_n
    assert part.design_n < 0.7 * whole.design_n


def test_traces_that_could_not_be_judged_are_left_out() -> None:
    verdicts = [1.0, 0.0, 0.0, 0.0, NONE, NONE]
    found = estimate(verdicts, [1, 1, 1, 1, 0, 0], [0.5, 0.5, 0.5, 0.5, 1.0, 1.0])
    assert (found.n_all, found.value, found.cheap) == (4, near(0.25), near(0.5))


def test_scores_that_were_not_measured_are_counted_and_do_no_harm() -> None:
    rng = np.random.default_rng(5)
    traffic = simulate(rng, 9_000, 0.1)
    p = rates_of(traffic, UNLIMITED)
    score = np.where(rng.random(9_000) < 0.3, NONE, traffic.score)
    found = estimate(judged_share(rng, traffic, p), p, score, traffic.conversation)
    assert found.unmeasured == pytest.approx(0.3, abs=0.02)
    assert found.low < 0.1 < found.high


# --- where there is little ---


def test_no_verdicts_leave_the_cheap_rate_with_nothing_said_of_its_error() -> None:
    found = estimate([NONE] * 3, [0.1] * 3, [0.2, 0.4, NONE])
    assert (found.method, found.value, found.low, found.high) == ("cheap", near(0.3), 0.0, 1.0)
    assert found.n_judged == 0


def test_a_judge_that_disagrees_with_people_corrects_nothing() -> None:
    found = one(calibrated=False)
    assert (found.method, found.value, found.low, found.high) == ("cheap", found.cheap, 0.0, 1.0)
    assert found.n_judged > 0


def test_nothing_at_all_is_no_estimate() -> None:
    for found in (estimate([], []), estimate([NONE], [0.5]), estimate([NONE], [0.0])):
        assert (found.method, found.value, found.low, found.high) == ("none", None, 0.0, 1.0)


@pytest.mark.parametrize("bad", [0.0, 1.0])
def test_verdicts_that_all_say_the_same_leave_room_for_those_that_were_missed(bad: float) -> None:
    verdicts = np.where(np.arange(5_000) < 100, bad, NONE)
    found = estimate(verdicts, np.full(5_000, 0.02), np.full(5_000, 0.3))
    plain = wilson(100 * bad, 100)
    assert found.value == bad
    assert found.low == pytest.approx(plain.low, abs=0.01)
    assert found.high == pytest.approx(plain.high, abs=0.01)


def test_one_conversation_says_nothing_of_others() -> None:
    found = estimate([1.0, 0.0, NONE, NONE], [0.5] * 4, clusters=["a", "a", "b", "c"])
    assert (found.low, found.high, found.n_clusters) == (0.0, 1.0, 1)


def test_a_single_verdict_is_an_estimate_that_knows_how_little_it_is() -> None:
    found = estimate([1.0, *[NONE] * 99], [0.02] * 100, [0.5] * 100)
    assert found.value == 1.0
    assert found.high == 1.0
    assert found.low < 0.3


# --- what is refused ---


@pytest.mark.parametrize("probability", [-0.1, 1.1, NONE, np.inf])
def test_a_probability_that_is_none_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="probability"):
        estimate([NONE, 1.0], [probability, 0.5])


def test_a_verdict_of_probability_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="probability 0"):
        estimate([1.0, 0.0], [0.0, 0.5])


@pytest.mark.parametrize(("verdict", "score"), [(2.0, 0.5), (1.0, -0.5), (np.inf, 0.5), (1.0, 70.0)])
def test_values_outside_of_zero_to_one_are_refused(verdict: float, score: float) -> None:
    with pytest.raises(ValueError, match=r"0\.\.1"):
        estimate([verdict], [0.5], [score])


def test_arrays_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        estimate([1.0, 0.0], [0.5])


# --- in many runs ---


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.15])
@pytest.mark.parametrize("scorer", ["calibrated", "alarmist"])
def test_intervals_hold_the_truth_as_often_as_they_say(rate: float, scorer: str) -> None:
    """A smaller version of benchmarks/estimates.py: in 300 runs, 95 % are 285, give or take 8 (two sd)."""
    for covered in coverage(run(rate, 8_000, scorer, runs=300)):
        assert 0.92 <= covered <= 0.985


def test_so_they_do_when_the_sampler_itself_draws_under_a_limit() -> None:
    tally = run_limited(0.1, 3_000, "calibrated", runs=40)
    powered, alone = coverage(tally)
    assert min(powered, alone) >= 0.85
    assert np.mean([one.value for one in tally.powered]) == pytest.approx(0.1, abs=0.01)
    assert np.mean(tally.naive) > 0.15, "without weights, boosts would deceive"


def test_cheap_scores_spare_verdicts() -> None:
    tally = run(0.15, 8_000, "calibrated", runs=60)
    widths = [np.mean([one.high - one.low for one in kind]) for kind in (tally.powered, tally.weighted)]
    assert (widths[0] / widths[1]) ** 2 < 0.92


def test_the_rates_of_the_simulation_are_those_of_the_sampler() -> None:
    traffic = simulate(np.random.default_rng(4), 600, 0.15)
    settings = UNLIMITED.model_copy(update={"new_release_rate": 0.0, "rare_segment_rate": 0.0})
    _, probability = Worker(600).choose(traffic, settings)
    assert probability == pytest.approx(rates_of(traffic, settings))


def test_the_limit_of_the_simulation_bites() -> None:
    traffic = simulate(np.random.default_rng(4), LIMITED_TRACES, 0.15)
    worker = Worker(LIMITED_TRACES)
    _, free = worker.choose(traffic, UNLIMITED)
    _, limited = worker.choose(traffic, LIMITED)
    assert limited.sum() < 0.7 * free.sum()
    assert (limited > 0).all()
