"""From findings to incidents: one for each cause, told once, over when all is as usual."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from stream.watch.episodes import Episodes, Rules, Turn
from stream.watch.records import Finding, Measure, SegmentKey

LUMEN = SegmentKey.of(app="helpdesk", tenant="lumen")
XINGHE = SegmentKey.of(app="helpdesk", tenant="xinghe")
APP = SegmentKey.of(app="helpdesk")
OTHER = SegmentKey.of(app="docs")


def finding(segment: SegmentKey = LUMEN, at: float = 1_000.0, **values: Any) -> Finding:
    usual = Finding(
        segment=segment,
        measure=Measure.HALLUCINATION,
        kind="change",
        at=at,
        onset=980.0,
        evidence=25.0,
        threshold=19.0,
        firing=True,
        calm=False,
        baseline=0.05,
        value=0.4,
        low=0.3,
        high=0.5,
        traces=100,
        severity="ticket",
    )
    return replace(usual, **values)


def episodes(name: SegmentKey | None = None, **rules: float) -> Episodes:
    ids = count(1)
    return Episodes(Rules(**rules), lambda found: name or found.segment, lambda: f"i{next(ids)}")


def events(turn: Turn) -> list[tuple[str, str]]:
    return [(event, incident.incident_id) for event, incident in turn.news]


def test_what_fires_opens_one_incident_and_is_told_once() -> None:
    watch = episodes()
    assert events(watch.turn([finding()], 1_000)) == [("opened", "i1")]
    assert events(watch.turn([finding(at=1_005)], 1_005)) == []
    assert set(watch.open) == {"i1"}


def test_what_does_not_fire_yet_opens_nothing() -> None:
    watch = episodes()
    assert watch.turn([finding(firing=False)], 1_000) == Turn()
    assert watch.turn([finding(calm=True)], 1_000) == Turn()


def test_parents_and_other_measures_of_the_same_onset_become_part_of_it() -> None:
    watch = episodes()
    watch.turn([finding()], 1_000)
    turn = watch.turn(
        [finding(at=1_005), finding(APP, 1_005), finding(at=1_005, measure=Measure.REFUSAL, onset=990)], 1_005
    )
    assert events(turn) == []
    parts = [one for one in turn.changed if one.status == "absorbed"]
    assert {(one.segment, one.measure) for one in parts} == {
        (APP, Measure.HALLUCINATION),
        (LUMEN, Measure.REFUSAL),
    }
    assert {one.parent for one in parts} == {"i1"}
    assert watch.held == {
        (LUMEN, Measure.HALLUCINATION),
        (APP, Measure.HALLUCINATION),
        (LUMEN, Measure.REFUSAL),
    }


def test_what_is_found_in_a_parent_is_named_by_the_part_that_carries_it() -> None:
    watch = episodes(name=LUMEN)
    turn = watch.turn([finding(APP)], 1_000)
    assert {(one.status, one.segment) for one in turn.changed} == {("open", LUMEN), ("absorbed", APP)}


def test_another_app_and_a_later_other_measure_are_causes_of_their_own() -> None:
    watch = episodes()
    watch.turn([finding()], 1_000)
    late = finding(XINGHE, 9_000, measure=Measure.SYSTEM_ERROR, onset=8_990)
    assert events(watch.turn([finding(at=9_000), finding(OTHER, 9_000), late], 9_000)) == [
        ("opened", "i2"),
        ("opened", "i3"),
    ]


def test_of_measures_that_fire_together_the_cause_comes_before_its_effect() -> None:
    watch = episodes()
    turn = watch.turn([finding(), finding(measure=Measure.EMPTY_RECALL, evidence=20.0)], 1_000)
    (opened,) = [incident for _, incident in turn.news]
    assert opened.measure is Measure.EMPTY_RECALL


def test_it_ends_only_after_it_was_calm_for_long_enough() -> None:
    watch = episodes(resolve_after_s=300)
    watch.turn([finding()], 1_000)
    for now in (1_100, 1_300):
        assert events(watch.turn([finding(at=now, calm=True)], now)) == []
    watch.turn([finding(at=1_350)], 1_350)
    assert events(watch.turn([finding(at=1_400, calm=True)], 1_400)) == []
    assert events(watch.turn([finding(at=1_690, calm=True)], 1_690)) == []
    turn = watch.turn([finding(at=1_701, calm=True)], 1_701)
    assert events(turn) == [("resolved", "i1")]
    assert [(one.status, one.resolved_at) for one in turn.changed] == [("resolved", 1_400)]
    assert watch.held == set()


def test_a_segment_without_traffic_is_calm() -> None:
    watch = episodes(resolve_after_s=300)
    watch.turn([finding()], 1_000)
    watch.turn([], 1_100)
    assert events(watch.turn([], 1_400)) == [("resolved", "i1")]


def test_a_ticket_that_becomes_a_page_is_told_and_never_becomes_a_ticket_again() -> None:
    watch = episodes()
    watch.turn([finding()], 1_000)
    assert events(watch.turn([finding(at=1_005, severity="page")], 1_005)) == [("changed", "i1")]
    assert events(watch.turn([finding(at=1_010)], 1_010)) == []
    assert watch.open["i1"].severity == "page"


def test_what_stays_open_is_told_again_and_in_the_end_taken_for_usual() -> None:
    watch = episodes(renotify_s=3_600, accept_s=86_400)
    watch.turn([finding()], 1_000)
    watch.told("i1", 1_001)
    assert events(watch.turn([finding(at=4_000)], 4_000)) == []
    assert events(watch.turn([finding(at=4_700)], 4_700)) == [("reminder", "i1")]
    turn = watch.turn([finding(at=90_000)], 90_000)
    assert [accepted for _, accepted in turn.ended] == [True]
    assert events(turn)[0] == ("resolved", "i1")


def test_the_onset_may_be_corrected_at_first_and_then_stands() -> None:
    watch = episodes()
    watch.turn([finding()], 1_000)
    watch.turn([finding(at=1_030, onset=975.0)], 1_030)
    watch.turn([finding(at=1_500, onset=700.0)], 1_500)
    assert watch.open["i1"].onset == 975.0


def test_whoever_starts_again_goes_on_with_what_was_open() -> None:
    before = episodes()
    (opened,) = before.turn([finding()], 1_000).changed
    watch = episodes()
    watch.take_up([opened], {"i1": {(APP, Measure.HALLUCINATION)}})
    assert events(watch.turn([finding(at=2_000), finding(APP, 2_000)], 2_000)) == []
    assert set(watch.open) == {"i1"}


def test_evidence_of_what_just_ended_opens_nothing_in_the_same_look() -> None:
    watch = episodes(resolve_after_s=300)
    watch.turn([finding()], 1_000)
    watch.turn([finding(at=1_100, calm=True)], 1_100)
    turn = watch.turn([finding(at=1_400, calm=True), finding(APP, 1_400, onset=1_390)], 1_400)
    assert events(turn) == [("resolved", "i1")]
