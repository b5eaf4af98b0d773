"""The same system measured twice by a judge who wavers, a hundred times; and one that is really worse."""

from __future__ import annotations

import pytest

from benchmarks._noisy_judge import SUITE, Desk, Noise, baseline
from judges.gate.decide import decide

RUNS = 100


@pytest.mark.parametrize(
    "noise", [Noise(0.08), Noise(0.08, worse_on="multi_hop")], ids=["everywhere", "on multi-hop most"]
)
def test_the_same_system_is_blocked_in_at_most_one_of_a_hundred_runs(noise: Noise) -> None:
    blocked = 0
    for run in range(RUNS):
        desk = Desk(60, noise, seed=run)
        before, now = desk.measure(10_000 + run), desk.measure(20_000 + run)
        assert [one.values for one in before] != [one.values for one in now]
        blocked += decide(SUITE, now, baseline(before)).blocked
    assert blocked <= 1


def test_a_regression_in_multi_hop_questions_is_found_through_the_same_noise() -> None:
    found = 0
    for run in range(20):
        desk = Desk(120, Noise(0.05), seed=run)
        now = desk.measure(20_000 + run, lost={"multi_hop": 0.8})
        decision = decide(SUITE, now, baseline(desk.measure(10_000 + run)))
        found += any(str(one.stratum) == "kind multi_hop" for one in decision.findings)
    assert found >= 19
