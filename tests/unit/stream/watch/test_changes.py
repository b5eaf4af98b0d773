"""Bets on segments against what their own traffic usually does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stream.watch.bins import MEASURES, bins_of
from stream.watch.changes import Changes, N, Tuning
from stream.watch.records import COLUMNS, Batch, Finding, Measure, SegmentKey
from stream.watch.tally import Ring, Tally
from stream.watch.targets import Targets

START = 1_800_000_000.0
SEED = 7


def batch(rng: np.random.Generator, at: float, count: int, **like: Any) -> Batch:
    """Traces of five seconds. `like`: rate, zh (share of Chinese), version, empty (recalls)."""
    bad = rng.random(count) < like.get("rate", 0.05)
    chinese = rng.random(count) < like.get("zh", 0.4)
    harsh = 0.05 + 0.1 * chinese
    p = np.where(
        rng.random(count) < np.where(bad, 0.8, harsh), rng.uniform(0.6, 1, count), rng.uniform(0, 0.2, count)
    )
    tenant = np.array([("lumen", "xinghe")[i] for i in rng.integers(0, 2, count)], dtype=np.object_)
    if "tenant" in like:
        p = np.where((tenant == like["tenant"]) & (rng.random(count) < 0.5), rng.uniform(0.7, 1, count), p)
    empty = np.full(count, "", dtype=np.object_)
    names = np.array([f"{at}-{i}" for i in range(count)], dtype=np.object_)
    recalled = rng.random(count) >= like.get("empty", 0.0)
    return Batch(
        trace_id=names,
        conversation=names,
        timestamp=np.sort(at + rng.uniform(0, 5, count)),
        columns=dict.fromkeys(COLUMNS, empty)
        | {
            "app": np.full(count, "helpdesk", dtype=np.object_),
            "tenant": tenant,
            "language": np.where(chinese, "zh", "en").astype(np.object_),
        },
        hallucination=p,
        faithfulness=1 - p,
        failure=np.where(recalled, "healthy", "empty_recall").astype(np.object_),
        refusal=rng.random(count) < 0.05,
        quadrant=empty,
        coverage=np.full(count, "full", dtype=np.object_),
        scorer_version=np.full(count, like.get("version", "s-1"), dtype=np.object_),
    )


def watch(
    seconds: int, like: Callable[[int], dict[str, Any]], per_bin: int = 100
) -> tuple[Changes, list[Finding]]:
    """Let traffic pass; whatever fired first, in order."""
    rng, changes = np.random.default_rng(SEED), Changes(Tuning())
    found: dict[tuple[SegmentKey, Measure], Finding] = {}
    for passed in range(0, seconds, 5):
        bins = list(bins_of(batch(rng, START + passed, per_bin, **like(passed))))
        changes.count(bins)
        changes.choose(START + passed)
        for one in bins:
            changes.observe(one)
        for finding in changes.findings(START + passed + 5):
            if finding.firing:
                found.setdefault((finding.segment, finding.measure), finding)
    return changes, list(found.values())


def test_nothing_is_found_where_nothing_changes() -> None:
    assert watch(1_200, lambda passed: {})[1] == []


def test_a_rise_is_found_in_its_segment_with_its_onset_and_rates() -> None:
    found = watch(700, lambda passed: {"tenant": "lumen"} if passed >= 600 else {})[1]
    first = min(found, key=lambda one: one.at)
    of_lumen = next(
        one
        for one in found
        if one.segment == SegmentKey.of(app="helpdesk", tenant="lumen")
        and one.measure is Measure.HALLUCINATION
    )
    assert first.at <= START + 640
    assert abs(of_lumen.onset - (START + 600)) <= 10
    assert of_lumen.baseline is not None
    assert of_lumen.baseline < of_lumen.low < of_lumen.value < of_lumen.high
    assert of_lumen.severity == "page"
    assert not [one for one in found if one.segment.value("tenant") == "xinghe"]


@pytest.mark.parametrize(
    "changed", [{"zh": 0.95}, {"version": "s-2", "rate": 0.5}], ids=["more Chinese", "another scorer"]
)
def test_neither_a_mix_nor_another_scorer_is_a_change(changed: dict[str, Any]) -> None:
    assert watch(900, lambda passed: changed if passed >= 600 else {})[1] == []


def test_an_incident_teaches_nothing() -> None:
    changes, _ = watch(1_500, lambda passed: {"tenant": "lumen"} if passed >= 600 else {})
    (now,) = [
        one
        for one in changes.findings(START + 1_500)
        if one.segment == SegmentKey.of(app="helpdesk", tenant="lumen")
        and one.measure is Measure.HALLUCINATION
    ]
    assert now.baseline is not None
    assert now.baseline < 0.25
    assert not now.calm


def test_what_is_accepted_is_usual_from_then_on() -> None:
    rng = np.random.default_rng(SEED)
    changes, found = watch(900, lambda passed: {"tenant": "lumen"} if passed >= 600 else {})
    for one in found:
        changes.accept(one.segment, one.measure, START + 900)
    for passed in range(900, 1_800, 5):
        for part in bins_of(batch(rng, START + passed, 100, tenant="lumen")):
            changes.observe(part)
    assert not [one for one in changes.findings(START + 1_800) if one.firing and one.onset >= START + 900]


def test_a_budget_burns_only_where_the_whole_interval_does_and_for_a_whole_window() -> None:
    targets = Targets({}, {Measure.EMPTY_RECALL: 0.01}, 30)
    changes, _ = watch(3_600, lambda passed: {"empty": 0.2}, per_bin=10)
    found = list(targets.findings(changes, START + 3_600))
    assert {one.segment.text for one in found} == {"", "app=helpdesk"}
    assert all(one.severity == "page" and one.evidence > 14.4 for one in found)
    assert list(targets.findings(changes, START + 1_800)) == []
    assert list(Targets({}, {Measure.EMPTY_RECALL: 0.05}, 30).findings(changes, START + 3_600)) == []


def test_an_objective_holds_whatever_is_usual() -> None:
    changes, found = watch(3_600, lambda passed: {"empty": 0.2}, per_bin=10)
    assert not [one for one in found if one.measure is Measure.EMPTY_RECALL]
    objective = Targets({Measure.EMPTY_RECALL: 0.1}, {}, 30)
    assert {one.kind for one in objective.findings(changes, START + 3_600)} == {"objective"}


def test_sums_are_found_again_by_their_time() -> None:
    changes, _ = watch(100, lambda passed: {}, per_bin=10)
    place = changes.watched.place(SegmentKey())
    assert place is not None
    number = MEASURES.index(Measure.REFUSAL)
    assert changes.tally.total(START + 50, START + 100)[number, place, N] == 100


def test_a_ring_forgets_what_is_old_and_takes_what_is_late() -> None:
    ring = Ring(4, 10.0, (1,))
    for at in (100.0, 110.0, 120.0, 130.0, 140.0):
        ring.add(at, np.ones(1))
    ring.add(111.0, np.ones(1))
    ring.add(100.0, np.ones(1))
    assert ring.total(0, 1_000) == 5
    assert ring.total(110, 120) == 2
    assert ring.first == 110


def test_a_tally_knows_a_day_by_minutes_and_two_hours_by_seconds() -> None:
    tally = Tally((1,))
    for at in range(0, 86_400, 60):
        tally.add(START + at, np.ones(1))
    end = START + 86_400
    assert tally.total(end - 86_400, end) == 1_440
    assert tally.total(end - 3_600, end) == 60
