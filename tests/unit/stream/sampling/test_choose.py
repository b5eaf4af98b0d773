"""The choice of traces for the judges can be undone: probabilities are recorded, and they are true."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.row import Sampling
from schemas.scored import Judged
from schemas.taxonomy import Failure
from stream.sampling import (
    CONTROL,
    DISAGREEMENT,
    EXCLUDED,
    NO_ANSWER,
    SUSPECTED,
    THUMBS_DOWN,
    UNCERTAIN,
    Other,
    draw,
    sampler,
)
from stream.settings import SamplingSettings
from tests.unit.stream.sampling.traffic import Clock, judged


def quiet(**rates: Any) -> SamplingSettings:
    """Settings of nothing but a base rate of 0.1, unless told otherwise."""
    none = {
        name: 0.0 for name in SamplingSettings.model_fields if name.endswith("_rate") and name != "base_rate"
    }
    return SamplingSettings.model_validate({"base_rate": 0.1, **none, **rates})


def choices(settings: SamplingSettings, traces: list[Judged]) -> list[Sampling]:
    choose = sampler(settings, Clock())
    return [choose(one) for one in traces]


def of(failure: Failure | None, count: int) -> list[Judged]:
    return [judged(f"t-{at}", failure) for at in range(count)]


def test_the_same_trace_is_chosen_every_time_and_everywhere() -> None:
    assert draw("t-1", "ragpulse") == draw("t-1", "ragpulse")
    assert 0 <= draw("t-1", "ragpulse") < 1
    assert draw("t-1", "ragpulse") != draw("t-1", "another salt")


def test_suspected_failures_are_chosen_more_often_and_say_why() -> None:
    settings = quiet(base_rate=0.05, suspected_rate=0.5, per_minute=0)
    healthy = choices(settings, of(None, 4_000))
    suspected = choices(settings, of(Failure.HALLUCINATION, 4_000))
    assert sum(one.selected for one in healthy) == pytest.approx(200, rel=0.3)
    assert sum(one.selected for one in suspected) == pytest.approx(2_000, rel=0.1)
    assert {one.probability for one in healthy} == {0.05}
    assert {one.probability for one in suspected} == {0.5}
    assert {one.reasons for one in suspected} == {(), (SUSPECTED,), (CONTROL, SUSPECTED)}
    assert {one.reasons for one in healthy} == {(), (CONTROL,)}


def test_a_rate_weighted_back_over_the_sample_is_the_rate_of_all() -> None:
    settings = quiet(suspected_rate=0.6, per_minute=0)
    traces = [judged(f"t-{at}", Failure.POOR_RETRIEVAL if at % 4 == 0 else None) for at in range(20_000)]
    weight = {True: 0.0, False: 0.0}
    for one, choice in zip(traces, choices(settings, traces), strict=True):
        if choice.selected:
            weight[one.verdict.failure is not None] += 1 / choice.probability
    assert weight[True] / sum(weight.values()) == pytest.approx(0.25, abs=0.02)


def test_the_control_sample_is_the_same_whatever_is_suspected() -> None:
    settings = quiet(suspected_rate=0.9, per_minute=0)
    without, suspected = choices(settings, of(None, 500)), choices(settings, of(Failure.HALLUCINATION, 500))
    assert all(b.selected for a, b in zip(without, suspected, strict=True) if a.selected)
    assert [CONTROL in a.reasons for a in without] == [CONTROL in b.reasons for b in suspected]


def test_a_rate_of_one_takes_all_and_rates_of_zero_none() -> None:
    assert all(one.selected for one in choices(quiet(base_rate=1.0), of(None, 50)))
    assert not any(one.selected for one in choices(quiet(base_rate=0.0), of(Failure.HALLUCINATION, 50)))


@pytest.mark.parametrize("name", ["base_rate", "suspected_rate", "floor_rate"])
def test_raising_a_rate_only_adds_traces(name: str) -> None:
    traces = of(Failure.HALLUCINATION, 1_000)
    chosen = [
        {at for at, one in enumerate(choices(quiet(**{name: rate}, per_minute=0), traces)) if one.selected}
        for rate in (0.1, 0.2, 0.4, 0.8)
    ]
    assert chosen[0] < chosen[1] < chosen[2] < chosen[3]


def test_random_control_traffic_is_among_them_where_the_base_rate_is_nothing() -> None:
    settings = quiet(base_rate=0.0, suspected_rate=0.5, floor_rate=0.05)
    found = choices(settings, of(None, 2_000))
    assert {one.probability for one in found} == {0.05}
    assert sum(one.selected for one in found) == pytest.approx(100, rel=0.3)
    assert {one.reasons for one in found if one.selected} == {(CONTROL,)}


def test_each_reason_brings_its_own_rate_and_the_highest_counts() -> None:
    settings = quiet(suspected_rate=0.2, uncertain_rate=0.3, thumbs_down_rate=0.4)
    both = judged("t", Failure.HALLUCINATION, 0.5, feedback={"rating": -1})
    cases = {
        0.1: judged("t", hallucination=0.7),
        0.2: judged("t", Failure.HALLUCINATION, 0.9),
        0.3: judged("t", Failure.HALLUCINATION, 0.65),
        0.4: both,
    }
    for probability, one in cases.items():
        assert sampler(settings, Clock())(one).probability == probability
    reasons = {
        choice.reasons
        for choice in choices(settings, [judged(f"t-{n}", feedback={"rating": -1}) for n in range(200)])
    }
    assert reasons == {(), (THUMBS_DOWN,), (CONTROL, THUMBS_DOWN)}


@pytest.mark.parametrize("rating", [None, 0, 1, -5, 4])
def test_only_a_thumb_down_is_one(rating: int | None) -> None:
    one = judged("t", feedback={"rating": rating})
    assert sampler(quiet(thumbs_down_rate=1.0), Clock())(one).probability == 0.1


def test_a_chance_at_the_edge_of_the_band_is_uncertain_and_one_that_was_not_measured_is_not() -> None:
    choose = sampler(quiet(uncertain_rate=1.0), Clock())
    said = {chance: choose(judged("t", hallucination=chance)) for chance in (None, 0.34, 0.35, 0.65, 0.66)}
    assert [chance for chance, one in said.items() if UNCERTAIN in one.reasons] == [0.35, 0.65]


def test_scorers_that_name_another_failure_dispute_a_trace() -> None:
    choose = sampler(quiet(disagreement_rate=0.6), Clock())
    one = judged("t")
    assert choose(one, [Other(judged("t"))]).probability == 0.1
    assert choose(one, [Other(judged("t", Failure.HALLUCINATION))]).probability == 0.6


def test_a_dispute_that_only_some_numbers_show_is_weighted_by_their_share() -> None:
    """The candidate looks at numbers below 0.3 alone: a disputed trace is chosen with 0.3, not 0.6."""
    choose = sampler(quiet(disagreement_rate=0.6, per_minute=0), Clock())
    chosen = weight = 0.0
    for at in range(20_000):
        one = judged(f"t-{at}")
        seen = draw(one.trace.trace_id, "ragpulse") < 0.3
        choice = choose(one, [Other(judged("t", Failure.HALLUCINATION), 0.3)] if seen else [])
        if choice.selected:
            chosen += 1
            weight += 1 / choice.probability
            assert choice.probability == 0.3
            assert DISAGREEMENT in choice.reasons
    assert weight == pytest.approx(20_000, rel=0.03)


def test_nothing_to_judge_is_never_chosen_and_says_so() -> None:
    for answer in (None, "", " \n"):
        said = sampler(quiet(base_rate=1.0), Clock())(judged("t", answer=answer))
        assert said == Sampling(False, 0.0, (NO_ANSWER,))


def test_the_first_rule_that_fits_sets_the_rate() -> None:
    rules = [
        {"app": "a", "language": "zh", "rate": 0.7},
        {"app": "a", "rate": 0.5},
        {"release_index": "kb-2", "rate": 0.3},
    ]
    choose = sampler(quiet(rules=rules), Clock())
    cases: list[tuple[float, dict[str, Any]]] = [
        (0.7, {"app": "a", "language": "zh"}),
        (0.5, {"app": "a", "language": "en"}),
        (0.3, {"app": "b", "release": {"index": "kb-2"}}),
        (0.1, {"app": "b", "release": {"index": "kb-1"}}),
        (0.1, {}),
    ]
    for probability, fields in cases:
        assert choose(judged("t", **fields)).probability == probability


def test_a_segment_that_is_excluded_is_never_chosen_whatever_speaks_for_it() -> None:
    rules = [{"tenant": "secret", "rate": 0.0, "excluded": True}]
    choose = sampler(quiet(base_rate=1.0, suspected_rate=1.0, floor_rate=1.0, rules=rules), Clock())
    assert choose(judged("t", Failure.HALLUCINATION, tenant="secret")) == Sampling(False, 0.0, (EXCLUDED,))
    assert choose(judged("t", tenant="open")).selected


def test_settings_that_contradict_themselves_are_refused() -> None:
    for wrong in (
        {"rules": [{"app": "a", "rate": 0.5, "excluded": True}]},
        {"rules": [{"app": "a"}]},
        {"rules": [{"nonsense": "a", "rate": 0.5}]},
        {"uncertain_low": 0.7, "uncertain_high": 0.3},
        {"per_minute": -1},
        {"base_rate": float("nan")},
    ):
        with pytest.raises(ValueError, match=r"."):
            SamplingSettings.model_validate(wrong)
