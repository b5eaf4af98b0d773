"""The onset of a rise is found to within few seconds, with an interval that usually holds it."""

from __future__ import annotations

import numpy as np
import pytest

from stream.watch.onset import Onset, find_onset
from stream.watch.records import Floats

WIDTH = 5.0
ONSET = 302.0
BINS: Floats = np.arange(120, dtype=np.float64) * WIDTH


def stream_of(
    before: float, after: float, seed: int, per_second: float = 20.0, turns: int = 1
) -> tuple[Floats, Floats, float]:
    """Ten minutes of p in bins, and what is usual: bad answers have p about .4, others .1.

    `turns`: of each conversation, all of one fate, within a bin or so.
    """
    rng = np.random.default_rng(seed)
    begun = np.sort(rng.uniform(0, 600, int(600 * per_second / turns)))
    bad = rng.random(len(begun)) < np.where(begun < ONSET, before, after)
    at, bad = np.repeat(begun, turns), np.repeat(bad, turns)
    p = np.where(bad, rng.beta(2, 3, len(at)), rng.beta(1, 9, len(at)))
    number = (at // WIDTH).astype(int)
    sums = np.stack(
        [np.bincount(number, weights=w, minlength=120) for w in (np.ones_like(p), p, p * p)], axis=1
    )
    return BINS, sums.astype(np.float64), before * 0.4 + (1 - before) * 0.1


def found(before: float, after: float, seed: int, effect: float = 1.0, turns: int = 1) -> Onset:
    at, sums, usual = stream_of(before, after, seed, turns=turns)
    onset = find_onset(at, sums, usual, WIDTH, effect)
    assert onset is not None
    return onset


def test_a_great_rise_is_dated_to_the_bin() -> None:
    errors = [abs(found(0.05, 0.5, seed).at - ONSET) for seed in range(40)]
    assert np.median(errors) <= WIDTH
    assert np.percentile(errors, 90) <= 2 * WIDTH


def test_a_smaller_rise_is_dated_within_half_a_minute_or_so() -> None:
    errors = [abs(found(0.05, 0.15, seed).at - ONSET) for seed in range(40)]
    assert np.median(errors) < 20.0


@pytest.mark.parametrize("after", [0.12, 0.25, 0.5])
def test_the_interval_holds_the_truth_nineteen_times_in_twenty(after: float) -> None:
    assert sum(found(0.05, after, seed).holds(ONSET) for seed in range(100)) >= 90


def test_turns_that_share_their_fate_need_a_wider_interval() -> None:
    plain = [found(0.05, 0.2, seed, turns=3) for seed in range(60)]
    wider = [found(0.05, 0.2, seed, 2.0, turns=3) for seed in range(60)]
    assert sum(one.holds(ONSET) for one in wider) >= 54
    for one, other in zip(plain, wider, strict=True):
        assert other.low <= one.low <= one.at <= one.high <= other.high
        assert one.at == other.at


def test_bins_without_traces_say_nothing() -> None:
    at, sums, usual = stream_of(0.05, 0.4, 7)
    sums[::3] = 0.0
    onset = find_onset(at, sums, usual, WIDTH)
    assert onset is not None
    assert onset.at == pytest.approx(ONSET, abs=3 * WIDTH)


def test_where_nothing_has_risen_there_is_no_onset() -> None:
    at = BINS[:10]
    fallen = np.tile([20.0, 1.0, 0.5], (10, 1))
    assert find_onset(at, fallen, 0.1, WIDTH) is None
    assert find_onset(at, np.zeros((10, 3)), 0.1, WIDTH) is None
    assert find_onset(np.zeros(0), np.zeros((0, 3)), 0.1, WIDTH) is None
