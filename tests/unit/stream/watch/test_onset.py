"""The onset of a rise is found to within few seconds, with an interval that usually holds it."""

from __future__ import annotations

import numpy as np
import pytest

from stream.watch.onset import Onset, find_onset
from stream.watch.records import Floats

PER_SECOND = 20.0


def stream_of(before: float, after: float, seed: int, onset: float = 300.0) -> tuple[Floats, Floats, float]:
    """Ten minutes of the scorer's probability, and what is usual: bad answers have p about .4, others .1."""
    rng = np.random.default_rng(seed)
    at = np.sort(rng.uniform(0, 600, int(600 * PER_SECOND)))
    bad = rng.random(len(at)) < np.where(at < onset, before, after)
    p = np.where(bad, rng.beta(2, 3, len(at)), rng.beta(1, 9, len(at)))
    return at, p, before * 0.4 + (1 - before) * 0.1


def found(before: float, after: float, seed: int) -> Onset:
    at, p, usual = stream_of(before, after, seed)
    onset = find_onset(at, p, usual)
    assert onset is not None
    return onset


def test_a_great_rise_is_dated_within_seconds() -> None:
    errors = [abs(found(0.05, 0.5, seed).at - 300.0) for seed in range(40)]
    assert np.median(errors) < 2.0
    assert np.percentile(errors, 90) < 10.0


def test_a_smaller_rise_is_dated_within_half_a_minute_or_so() -> None:
    errors = [abs(found(0.05, 0.15, seed).at - 300.0) for seed in range(40)]
    assert np.median(errors) < 20.0


def test_the_interval_holds_the_truth_nineteen_times_in_twenty() -> None:
    assert sum(found(0.05, 0.25, seed).holds(300.0) for seed in range(60)) >= 54


def test_turns_that_share_their_fate_make_the_interval_wider() -> None:
    at, p, usual = stream_of(0.05, 0.15, 3)
    plain, shared = find_onset(at, p, usual), find_onset(at, p, usual, design_effect=2.0)
    assert plain is not None
    assert shared is not None
    assert shared.low <= plain.low
    assert shared.high >= plain.high
    assert shared.evidence == pytest.approx(plain.evidence / 2)


def test_what_is_usual_may_differ_trace_by_trace() -> None:
    at, p, usual = stream_of(0.05, 0.15, 5)
    assert find_onset(at, p, np.full(len(at), usual)) == find_onset(at, p, usual)


def test_traces_that_were_not_measured_say_nothing() -> None:
    at, p, usual = stream_of(0.05, 0.4, 7)
    holes = np.where(np.arange(len(p)) % 3 == 0, np.nan, p)
    onset = find_onset(at, holes, usual)
    assert onset is not None
    assert onset.at == pytest.approx(300.0, abs=15.0)


def test_where_nothing_has_risen_there_is_no_onset() -> None:
    at = np.arange(100.0)
    assert find_onset(at, np.zeros(100), 0.1) is None
    assert find_onset(at, np.full(100, np.nan), 0.1) is None
    assert find_onset(np.zeros(0), np.zeros(0), 0.1) is None
