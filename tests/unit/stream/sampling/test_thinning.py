"""A limit a minute lowers the rates of what comes next; it never drops what was drawn."""

from __future__ import annotations

from functools import cache

import pytest

from schemas.row import Sampling
from schemas.taxonomy import Failure
from stream.sampling import CAPPED, CONTROL, draw, sampler
from stream.settings import SamplingSettings
from tests.unit.stream.sampling.test_choose import quiet
from tests.unit.stream.sampling.traffic import Clock, judged

_judged = cache(judged)


def minutes(
    settings: SamplingSettings, a_minute: int, count: int, failure: Failure | None = None
) -> list[list[Sampling]]:
    """What is chosen in each of `count` minutes of even traffic."""
    clock = Clock()
    found: list[list[Sampling]] = []
    choose = sampler(settings, clock)
    for minute in range(count):
        found.append([])
        for at in range(a_minute):
            clock.now += 60 / a_minute
            found[-1].append(choose(_judged(f"{minute}-{at}", failure)))
    return found


def test_below_the_limit_nothing_is_thinned() -> None:
    found = minutes(quiet(base_rate=0.1, per_minute=300), 2_000, 3)
    assert {one.probability for part in found for one in part} == {0.1}


def test_above_the_limit_as_many_are_chosen_as_it_says() -> None:
    found = minutes(quiet(base_rate=0.9, per_minute=100), 2_000, 5)
    for part in found[1:]:
        assert sum(one.probability for one in part) == pytest.approx(100, rel=0.05)
        assert sum(one.selected for one in part) == pytest.approx(100, abs=40)
    assert sum(one.probability for one in found[0]) <= 200


def test_a_jump_in_traffic_is_caught_within_the_minute() -> None:
    (burst,) = minutes(quiet(base_rate=1.0, per_minute=60), 20_000, 1)
    assert sum(one.probability for one in burst) <= 120


def test_weighted_back_the_thinned_sample_still_counts_all_traffic() -> None:
    found = minutes(quiet(base_rate=0.5, per_minute=200), 3_000, 10)
    weights = [1 / one.probability for part in found for one in part if one.selected]
    assert sum(weights) == pytest.approx(30_000, rel=0.1)


def test_the_recorded_probability_is_the_true_one() -> None:
    """Many salts are many draws over the same traffic: each trace is chosen as often as it says."""
    settings = quiet(base_rate=0.8, suspected_rate=1.0, per_minute=30)
    runs = []
    for number in range(150):
        runs.append(minutes(settings.model_copy(update={"salt": f"s{number}"}), 120, 2)[1])
    assert len({tuple(one.probability for one in run) for run in runs}) == 1, "they depend on traffic alone"
    for at in (0, 40, 119):
        share = sum(run[at].selected for run in runs) / len(runs)
        assert share == pytest.approx(runs[0][at].probability, abs=0.12)


def test_control_traffic_is_spared_longest() -> None:
    settings = quiet(base_rate=0.02, suspected_rate=1.0, floor_rate=0.02, per_minute=100)
    last = minutes(settings, 2_000, 4, Failure.HALLUCINATION)[-1]
    assert {round(one.probability, 2) for one in last} <= {0.04, 0.05, 0.06}
    assert [CONTROL in one.reasons for one in last] == [
        draw(f"3-{at}", settings.salt) < 0.02 for at in range(2_000)
    ]


def test_where_control_traffic_alone_is_over_the_limit_it_is_thinned_too_but_never_to_nothing() -> None:
    found = minutes(quiet(base_rate=0.0, floor_rate=0.5, per_minute=10), 5_000, 3)[-1]
    assert sum(one.probability for one in found) == pytest.approx(10, rel=0.05)
    assert all(one.probability > 0 for one in found)


def test_what_only_the_limit_kept_back_says_so() -> None:
    settings = quiet(base_rate=0.9, per_minute=60)
    for part in minutes(settings, 1_000, 3):
        for one in part:
            assert (CAPPED in one.reasons) == (not one.selected and one.reasons != ())
    last = minutes(settings, 1_000, 3)[-1]
    numbers = [draw(f"2-{at}", settings.salt) for at in range(1_000)]
    kept_back = [one.probability <= number < 0.9 for one, number in zip(last, numbers, strict=True)]
    assert [CAPPED in one.reasons for one in last] == kept_back
    assert sum(kept_back) > 700


def test_a_segment_may_have_a_limit_of_its_own() -> None:
    rules = [{"tenant": "loud", "rate": 1.0, "per_minute": 20}]
    clock = Clock()
    choose = sampler(quiet(base_rate=0.1, rules=rules), clock)
    loud, calm = 0.0, set()
    for at in range(3_000):
        clock.now += 0.06
        loud += choose(judged(f"l-{at}", tenant="loud")).probability
        calm.add(choose(judged(f"c-{at}", tenant="calm")).probability)
    assert loud <= 80
    assert calm == {0.1}


def test_a_clock_that_steps_back_drains_nothing_and_harms_nothing() -> None:
    clock = Clock()
    choose = sampler(quiet(base_rate=1.0, per_minute=60), clock)
    before = [choose(judged(f"t-{at}")).probability for at in range(60)]
    clock.now -= 3_600
    assert 0 < choose(judged("back")).probability <= before[-1]
    clock.now += 3_600
    assert choose(judged("again")).probability <= before[-1]
    clock.now += 60
    assert choose(judged("later")).probability == 1.0
