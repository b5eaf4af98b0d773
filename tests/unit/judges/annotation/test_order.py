"""What comes next: value, age, variety, begun cases, and controls in their share."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from judges.annotation.order import Standing, in_order, priority, vary

HOUR = 3_600.0


def of(name: str, value: float = 0.5, stage: str = "retrieval", failure: str = "poor_retrieval") -> Standing:
    return Standing(name, value, stage=stage, failure=failure)


def order(*standings: Standing, share: float = 0.1, taken: tuple[Standing, ...] = ()) -> list[str]:
    return in_order(standings, share, 24 * HOUR, taken)


def test_the_most_valuable_comes_first() -> None:
    assert order(of("a", 0.2), of("b", 0.9), of("c", 0.5)) == ["b", "c", "a"]


def test_a_case_is_worth_half_after_each_half_life() -> None:
    old = replace(of("old", 0.8), age_s=24 * HOUR)
    assert priority(old, 24 * HOUR) == pytest.approx(0.4)
    assert order(old, of("new", 0.5)) == ["new", "old"]


def test_one_index_gap_does_not_fill_the_queue() -> None:
    gap = [of(f"gap-{n:02}", 0.9) for n in range(40)]
    others = [
        of("invented", 0.6, "generation", "hallucination"),
        of("refused", 0.55, "generation", "over_refusal"),
        of("rewritten", 0.5, "query", "rewrite_failure"),
    ]
    first = order(*gap, *others)[:15]
    assert {"invented", "refused", "rewritten"} <= set(first)


def test_stages_of_the_same_value_take_turns() -> None:
    stages = ("query", "retrieval", "generation")
    known = [of(f"{stage}-{n}", 0.7, stage, stage) for stage in stages for n in range(10)]
    counted = Counter(name.split("-")[0] for name in order(*known)[:9])
    assert set(counted.values()) == {3}


def test_of_questions_that_are_nearly_the_same_one_comes_first_and_the_others_later() -> None:
    same = [replace(of(f"same-{n}", 0.8), cluster="kind") for n in range(3)]
    other = [of(f"other-{n}", 0.7) for n in range(4)]
    found = order(*same, *other)
    assert found[0] == "same-0"
    assert found.index("same-1") > found.index("other-2")


def test_what_people_had_already_counts_for_variety() -> None:
    retrieval, generation = of("r", 0.7), of("g", 0.65, "generation", "hallucination")
    assert order(retrieval, generation) == ["r", "g"]
    assert order(retrieval, generation, taken=(of("x"), of("y"), of("z"))) == ["g", "r"]


def test_a_begun_case_comes_before_all_others() -> None:
    assert order(of("a", 0.9), replace(of("b", 0.1), votes=1)) == ["b", "a"]


def test_controls_come_in_their_share_and_in_the_order_of_chance() -> None:
    controls = [replace(of(f"control-{n}", value), control=True) for n, value in enumerate((0.1, 0.9, 0.5))]
    found = order(*(of(f"case-{n:02}") for n in range(40)), *controls)
    places = [place for place, name in enumerate(found) if name.startswith("control")]
    assert places == [9, 19, 29]
    assert [found[place] for place in places] == ["control-0", "control-1", "control-2"]


def test_whoever_claims_one_case_at_a_time_meets_controls_in_their_share() -> None:
    waiting = [of(f"case-{n:02}") for n in range(60)]
    waiting += [replace(of(f"control-{n}"), control=True) for n in range(10)]
    taken: list[Standing] = []
    for _ in range(40):
        name = in_order(waiting, 0.1, 24 * HOUR, taken)[0]
        one = next(standing for standing in waiting if standing.item_id == name)
        waiting.remove(one)
        taken.append(one)
    assert sum(one.control for one in taken) in (3, 4, 5)


def test_controls_alone_are_all_handed_out() -> None:
    assert order(replace(of("a"), control=True), replace(of("b"), control=True)) == ["a", "b"]


def test_nothing_is_lost_or_doubled_in_any_order() -> None:
    known = [of(f"{n:03}", n % 7 / 7, str(n % 4), str(n % 5)) for n in range(200)]
    found = [one.item_id for one in vary(known)]
    assert sorted(found) == sorted(one.item_id for one in known)
    assert found == [one.item_id for one in vary(known[::-1])]
