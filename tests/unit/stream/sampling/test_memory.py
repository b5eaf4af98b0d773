"""New releases and rare segments get a closer look, from a memory that has bounds."""

from __future__ import annotations

from typing import Any

import pytest

from stream.sampling import NEW_RELEASE, RARE_SEGMENT, memory, sampler
from stream.sampling.choose import Choose
from tests.unit.stream.sampling.test_choose import quiet
from tests.unit.stream.sampling.traffic import Clock, judged

HOUR = 3_600.0


def probability(choose: Choose, **fields: Any) -> float:
    return choose(judged("t", **fields)).probability


def release(clock: Clock, **settings: Any) -> Choose:
    """A sampler that has known app `a` with prompt p1 for an hour."""
    choose = sampler(quiet(new_release_rate=0.5, **settings), clock)
    probability(choose, app="a", release={"prompt": "p1"})
    clock.now += HOUR
    return choose


def test_what_runs_at_the_start_is_not_new() -> None:
    clock = Clock()
    choose = sampler(quiet(new_release_rate=0.5), clock)
    for prompt in ("p1", "p2"):
        assert probability(choose, app="a", release={"prompt": prompt}) == 0.1
    clock.now += HOUR
    assert probability(choose, app="a", release={"prompt": "p2"}) == 0.1


def test_a_new_value_of_any_release_part_is_new_for_an_hour() -> None:
    clock = Clock()
    choose = release(clock)
    assert probability(choose, app="a", release={"prompt": "p1"}) == 0.1
    for part in ("app", "prompt", "index", "embedding_model", "reranker", "generator"):
        new = {"prompt": "p1"} | {part: "new"}
        assert probability(choose, app="a", release=new) == 0.5
    clock.now += HOUR - 1
    assert probability(choose, app="a", release={"prompt": "new"}) == 0.5
    clock.now += 1
    assert probability(choose, app="a", release={"prompt": "new"}) == 0.1


def test_an_app_that_is_new_itself_has_no_new_release_and_no_release_is_none() -> None:
    choose = release(Clock())
    assert probability(choose, app="b", release={"prompt": "p1"}) == 0.1
    assert probability(choose, app="a") == 0.1


def test_the_reason_is_stored() -> None:
    choose = release(Clock(), base_rate=0.0)
    reasons = {choose(judged(f"t-{n}", app="a", release={"app": "v2"})).reasons for n in range(50)}
    assert reasons == {(), (NEW_RELEASE,)}


def test_an_app_that_writes_ids_where_releases_belong_is_not_taken_at_its_word() -> None:
    clock = Clock()
    choose = release(clock)
    said = [probability(choose, app="a", release={"app": f"build-{n}"}) for n in range(100)]
    assert said[:5] == [0.5] * 5
    assert said[-50:] == [0.1] * 50


def test_segments_with_little_traffic_are_rare_once_it_is_known() -> None:
    clock = Clock()
    choose = sampler(quiet(rare_segment_rate=0.5, rare_segment_per_hour=60), clock)
    early = late = 0.0
    for second in range(1_800):
        clock.now += 1
        loud = probability(choose, app="a", tenant="loud", language="en")
        if second % 120 == 0:
            early, late = late, probability(choose, app="a", tenant="rare", language="en")
            if second < 600:
                assert late == 0.1, "nothing is known yet"
    assert (loud, early, late) == (0.1, 0.5, 0.5)
    reasons = {choose(judged(f"t-{n}", tenant="new")).reasons for n in range(50)}
    assert (RARE_SEGMENT,) in reasons


def test_a_segment_that_was_loud_an_hour_ago_may_be_rare_now() -> None:
    clock = Clock()
    choose = sampler(quiet(rare_segment_rate=0.5, rare_segment_per_hour=60), clock)
    for _ in range(1_000):
        clock.now += 1
        probability(choose, tenant="t")
    assert probability(choose, tenant="t") == 0.1
    clock.now += 6 * HOUR
    assert probability(choose, tenant="t") == 0.5


def test_the_estimate_of_traffic_is_near_the_truth_early_and_late() -> None:
    traffic, said = memory.Traffic(), []
    for second in range(0, 30_000, 10):
        said.append(traffic.per_hour(("a",), float(second)))
    assert said[70] == pytest.approx(360, rel=0.05)
    assert said[-1] == pytest.approx(360, rel=0.05)


def test_memory_has_bounds_whatever_comes() -> None:
    clock = Clock()
    releases, traffic = memory.Releases(HOUR), memory.Traffic()
    for number in range(20_000):
        clock.now += 1
        one = judged("t", app=f"app-{number}", release={"app": str(number)})
        releases.is_new(one.trace, clock.now)
        traffic.per_hour((str(number),), clock.now)
    assert len(releases._first) <= memory._MOST_RELEASES
    assert len(releases._apps) <= memory._MOST_APPS
    assert len(traffic._counts) <= memory._MOST_SEGMENTS
