"""The choice of traces for the judges can be undone: probabilities are recorded, and they are true."""

from __future__ import annotations

import pytest

from schemas.row import Sampling
from schemas.scored import Judged, Scores, Verdict
from schemas.taxonomy import Failure
from schemas.trace import Trace
from stream.sampling import CONTROL, SUSPECTED, draw, sampler
from stream.settings import SamplingSettings


def _judged(trace_id: str, failure: Failure | None = None) -> Judged:
    trace = Trace(trace_id=trace_id, question="q", answer="a")
    return Judged(trace, Scores("s"), Verdict(failure, 0.9, None, "rule", {}))


def _choices(settings: SamplingSettings, failures: list[Failure | None]) -> list[Sampling]:
    choose = sampler(settings)
    return [choose(_judged(f"t-{at}", failure)) for at, failure in enumerate(failures)]


def test_the_same_trace_is_chosen_every_time_and_everywhere() -> None:
    assert draw("t-1", "ragpulse") == draw("t-1", "ragpulse")
    assert 0 <= draw("t-1", "ragpulse") < 1
    assert draw("t-1", "ragpulse") != draw("t-1", "another salt")


def test_suspected_failures_are_chosen_more_often_and_say_why() -> None:
    settings = SamplingSettings(base_rate=0.05, suspected_rate=0.5)
    healthy = _choices(settings, [None] * 4_000)
    suspected = _choices(settings, [Failure.HALLUCINATION] * 4_000)
    assert sum(one.selected for one in healthy) == pytest.approx(200, rel=0.3)
    assert sum(one.selected for one in suspected) == pytest.approx(2_000, rel=0.1)
    assert {one.probability for one in healthy} == {0.05}
    assert {one.probability for one in suspected} == {0.5}
    assert {one.reasons for one in suspected} == {(), (SUSPECTED,), (CONTROL, SUSPECTED)}
    assert {one.reasons for one in healthy} == {(), (CONTROL,)}


def test_a_rate_weighted_back_over_the_sample_is_the_rate_of_all() -> None:
    settings = SamplingSettings(base_rate=0.1, suspected_rate=0.6)
    failures = [Failure.POOR_RETRIEVAL if at % 4 == 0 else None for at in range(20_000)]
    choices = _choices(settings, failures)
    weight = {True: 0.0, False: 0.0}
    for failure, choice in zip(failures, choices, strict=True):
        if choice.selected:
            weight[failure is not None] += 1 / choice.probability
    assert weight[True] / sum(weight.values()) == pytest.approx(0.25, abs=0.02)


def test_the_control_sample_is_the_same_whatever_is_suspected() -> None:
    settings = SamplingSettings(base_rate=0.1, suspected_rate=0.9)
    without = _choices(settings, [None] * 500)
    suspected = _choices(settings, [Failure.HALLUCINATION] * 500)
    assert all(b.selected for a, b in zip(without, suspected, strict=True) if a.selected)
    assert [CONTROL in a.reasons for a in without] == [CONTROL in b.reasons for b in suspected]


def test_a_rate_of_one_takes_all_and_a_rate_of_zero_none() -> None:
    everything = SamplingSettings(base_rate=1.0, suspected_rate=0.0)
    nothing = SamplingSettings(base_rate=0.0, suspected_rate=0.0)
    assert all(one.selected for one in _choices(everything, [None] * 50))
    assert not any(one.selected for one in _choices(nothing, [Failure.HALLUCINATION] * 50))
