"""Versions that grow on each other, and what differs between them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from judges.golden import GoldenCase, GoldenSet, Turn
from judges.golden.compare import compare
from judges.golden.grow import Growth, grow
from schemas.golden import Kind

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def case(case_id: str, question: str = "", **said: Any) -> GoldenCase:
    said = {"kind": Kind.SINGLE_HOP, "gold_chunk_ids": ("a",), "tenant": "lumen"} | said
    return GoldenCase(case_id, question or f"What is {case_id}?", **said)


def grown(parent: GoldenSet, *cases: GoldenCase, **options: Any) -> Growth:
    return grow(parent, cases, who="li", when=NOW, why="more", **options)


EMPTY = GoldenSet("helpdesk", ())
FIRST = grown(EMPTY, case("g-1"), case("g-2"), wanted={Kind.MULTI_HOP: 5}).golden


def test_the_first_version_has_no_parent_and_the_next_has_it() -> None:
    assert FIRST.parent == ""
    second = grown(FIRST, case("g-3"))
    assert second.golden.parent == FIRST.version
    assert second.golden.wanted[Kind.MULTI_HOP] == 5
    assert (second.added, len(second.golden.cases)) == (("g-3",), 3)


def test_growing_by_nothing_gives_the_same_version() -> None:
    assert grown(FIRST, case("g-1"), case("g-2")).golden.version == FIRST.version


def test_what_people_wrote_into_a_case_stays() -> None:
    worked_on = FIRST.with_cases([replace(FIRST.cases[0], must_contain=("14 days",)), FIRST.cases[1]])
    same = grown(worked_on, case("g-1"))
    assert (same.otherwise, same.golden.version) == ((), worked_on.version)


def test_labels_that_say_otherwise_are_told_and_taken_only_when_asked_for() -> None:
    worked_on = FIRST.with_cases([replace(FIRST.cases[0], must_contain=("14 days",)), FIRST.cases[1]])
    now = case("g-1", kind=Kind.MULTI_HOP, gold_chunk_ids=("a", "b"))
    told = grown(worked_on, now)
    assert (told.otherwise, told.refreshed, told.golden.version) == (("g-1",), (), worked_on.version)
    taken = grown(worked_on, now, refresh=True)
    assert (taken.otherwise, taken.refreshed) == ((), ("g-1",))
    changed = taken.golden.cases[0]
    assert (changed.kind, changed.gold_chunk_ids, changed.must_contain) == (
        Kind.MULTI_HOP, ("a", "b"), ("14 days",),
    )  # fmt: skip


def test_a_kind_that_somebody_corrected_by_hand_is_not_taken_back_by_the_rules() -> None:
    corrected = FIRST.with_cases([replace(FIRST.cases[0], kind=Kind.CONFLICTING), FIRST.cases[1]])
    assert grown(corrected, case("g-1"), refresh=True).golden.version == corrected.version


def test_the_same_question_is_asked_once() -> None:
    again = case("g-9", "  what is G-1？ ")
    assert grown(FIRST, again).repeated == 1
    other_tenant = grown(FIRST, replace(again, tenant="nova"))
    other_history = grown(FIRST, replace(again, history=(Turn("user", "Hello"),)))
    other_rights = grown(FIRST, replace(again, permissions=("staff",)))
    assert all(len(growth.added) == 1 for growth in (other_tenant, other_history, other_rights))


def test_a_difference_names_what_came_went_and_changed() -> None:
    changed = replace(FIRST.cases[1], should_refuse=True, kind=Kind.UNANSWERABLE, gold_chunk_ids=())
    found = compare(FIRST, FIRST.with_cases([changed, case("g-3", kind=Kind.MULTI_HOP)]))
    assert found
    assert [one.case_id for one in found.added] == ["g-3"]
    assert [one.case_id for one in found.removed] == ["g-1"]
    assert found.changed[0].fields == {
        "kind": ("single_hop", "unanswerable"),
        "gold_chunk_ids": (["a"], None),
        "should_refuse": (False, True),
    }
    before, after = found.quotas[Kind.MULTI_HOP]
    assert (before.have, after.have, after.missing) == (0, 1, 4)


def test_who_made_a_version_is_no_difference() -> None:
    assert not compare(FIRST, replace(FIRST, who="wang", when=None, why=""))
