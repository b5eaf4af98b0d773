"""Which traces the encoder reads: uncertain ones, by hash, within a share of traces and of time."""

from __future__ import annotations

import pytest

from judges.encoder.cascade import Band, Doubt, Share, TimeBudget, choose, draw
from tests.unit.judges.encoder.judged import Clock, judged

EVERYTHING = Doubt(Band(0.0, 1.0))
UNSURE = Doubt(Band(0.3, 0.7))


@pytest.mark.parametrize(
    ("probability", "uncertain"),
    [(0.0, False), (0.29, False), (0.3, True), (0.5, True), (0.7, True), (0.71, False), (None, False)],
)
def test_a_trace_is_uncertain_where_its_probability_lies_in_the_band(
    probability: float | None, uncertain: bool
) -> None:
    assert UNSURE.holds(judged("a", probability)) is uncertain


def test_either_measure_in_its_band_makes_a_trace_uncertain() -> None:
    sure, unsure = judged("a", 0.05), judged("b", 0.05, sufficiency=0.5)
    assert not Doubt(Band(0.3, 0.7), Band(0.2, 0.8)).holds(sure)
    assert Doubt(Band(0.3, 0.7), Band(0.2, 0.8)).holds(unsure)
    assert not Doubt(Band(0.3, 0.7)).holds(unsure)
    assert not Doubt(None, Band(0.2, 0.8)).holds(judged("c", 0.5))


@pytest.mark.parametrize(("low", "high"), [(0.7, 0.3), (-0.1, 0.5), (0.5, 1.1)])
def test_a_band_that_is_none_is_refused(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="low <= high"):
        Band(low, high)


def test_only_uncertain_traces_are_chosen() -> None:
    batch = [judged(f"t{i}", p) for i, p in enumerate([0.1, 0.5, 0.9, 0.4, None])]
    assert sorted(choose(batch, UNSURE, Share(1.0))) == [1, 3]


def test_no_more_than_the_share_of_all_traces_is_chosen() -> None:
    share = Share(0.2)
    batches = [[judged(f"{b}-{i}") for i in range(64)] for b in range(20)]
    sent = sum(len(choose(batch, EVERYTHING, share)) for batch in batches)
    assert 20 * 64 * 0.2 - 1 <= sent <= 20 * 64 * 0.2


def test_the_share_holds_for_batches_of_one_trace_too() -> None:
    share = Share(0.2)
    sent = sum(len(choose([judged(f"t{i}")], EVERYTHING, share)) for i in range(500))
    assert 95 <= sent <= 100


def test_quiet_times_save_up_no_more_than_a_burst() -> None:
    share = Share(0.5, burst=10)
    for i in range(100):
        choose([judged(f"calm{i}", 0.0)], UNSURE, share)
    busy = [judged(f"t{i}") for i in range(40)]
    assert len(choose(busy, EVERYTHING, share)) == 20


def test_the_choice_is_the_same_on_every_machine_and_in_every_order() -> None:
    batch = [judged(f"t{i}") for i in range(50)]
    first = [batch[i].trace.trace_id for i in choose(batch, EVERYTHING, Share(0.2))]
    turned = batch[::-1]
    again = [turned[i].trace.trace_id for i in choose(turned, EVERYTHING, Share(0.2))]
    assert first == again == sorted((f"t{i}" for i in range(50)), key=draw)[:10]
    assert draw("t1") == pytest.approx(0.3149014, abs=1e-6)


def test_the_choice_does_not_favour_any_score_within_the_band() -> None:
    batch = [judged(f"t{i}", 0.31 if i % 2 else 0.5) for i in range(2000)]
    chosen = choose(batch, EVERYTHING, Share(0.2))
    assert 160 <= sum(i % 2 for i in chosen) <= 240


def test_a_share_of_nothing_sends_nothing() -> None:
    assert choose([judged("a")], EVERYTHING, Share(0.0)) == []


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match=r"0\.\.1"):
        Share(share)


def test_time_is_spent_at_no_more_than_its_share() -> None:
    clock = Clock()
    budget = TimeBudget(0.25, clock, burst=4.0)
    began, spent = clock.now, 0.0
    while clock.now < began + 1000:
        if budget.allows():
            clock.now += 2.0
            budget.spend(2.0)
            spent += 2.0
        else:
            clock.now += 0.5
    assert 0.24 * 1000 <= spent <= 0.25 * 1000 + 1.0 + 2.0


def test_a_whole_share_of_time_never_refuses() -> None:
    budget = TimeBudget(1.0, Clock())
    budget.spend(1e6)
    assert budget.allows()


def test_a_budget_of_no_time_refuses_at_once() -> None:
    assert not TimeBudget(0.0, Clock()).allows()


def test_a_clock_that_is_set_back_gives_no_time() -> None:
    clock = Clock()
    budget = TimeBudget(0.5, clock, burst=2.0)
    budget.spend(1.5)
    clock.now -= 50
    assert not budget.allows()
    clock.now += 2
    assert budget.allows()
