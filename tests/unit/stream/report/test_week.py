"""The weekly report's parts that are pure: where it failed, budgets, and words in both languages."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import numpy as np
import orjson
import pytest

from judges.clustering import Gaps
from judges.clustering.gaps import Share
from judges.intervals import wilson
from stream.report.as_html import as_html
from stream.report.as_markdown import as_markdown
from stream.report.choose import choose_strata
from stream.report.compare import Mean, Stratum, compare, mean_of_all
from stream.report.strata import FINEST, coarser
from stream.report.week.budgets import spent_budgets
from stream.report.week.facts import week_facts
from stream.report.week.page import week_page
from stream.report.week.records import DAYS, Count, Judges, Week
from stream.report.week.where import difference, places
from stream.report.words import LANGUAGES, Words, load_words
from stream.watch.records import Floats, Incident, Measure, SegmentKey
from tests.support.near import near
from tests.unit.stream.report.test_compare import rate

UNTIL = datetime(2026, 12, 7, tzinfo=UTC)
NOTHING = Gaps(0.0, 1.0, 0, Share(None, wilson(0, 0), 0), (), 0, 0, 0)
EMPTY = Week(
    before=UNTIL - timedelta(days=14), since=UNTIL - timedelta(days=7), until=UNTIL, app=None, counts=(),
    measures=dict.fromkeys(Measure), days={}, comparisons=(), apps={}, strata=FINEST, incidents=(), marks=(),
    dead={}, judges=Judges(), gaps=NOTHING, budgets={Measure.HALLUCINATION: 0.1},
)  # fmt: skip


def count(day: int, failure: str, traces: int, tenant: str = "acme", coverage: str = "full") -> Count:
    return Count(day, "helpdesk", tenant, "en", failure, coverage, traces)


def stratum(hour: int, tenant: str = "acme") -> Stratum:
    return ("helpdesk", tenant, "en", "", str(hour), "s")


def sums(hours: range, tenant: str = "acme") -> dict[Stratum, Floats]:
    return {stratum(hour, tenant): np.tile(rate(100, 10), (len(Measure), 1)) for hour in hours}


# --- strata ---


def test_releases_that_ran_at_the_same_hours_are_held_against_each_other_hour_by_hour() -> None:
    assert choose_strata(sums(range(8)), sums(range(8)))[0] == FINEST


def test_a_release_that_ran_for_two_hours_is_held_against_these_hours() -> None:
    columns, arms = choose_strata(sums(range(24)), sums(range(9, 11)))
    assert columns == FINEST
    assert compare(arms)[0].compared == (near(2 / 24), near(1.0))


def test_hours_are_given_up_where_the_two_have_none_in_common() -> None:
    assert "hour" not in choose_strata(sums(range(6)), sums(range(12, 18)))[0]
    assert "tenant" in choose_strata(sums(range(6)), sums(range(12, 18)))[0]


def test_tenants_are_given_up_where_each_has_its_own() -> None:
    columns, arms = choose_strata(sums(range(6), "a"), sums(range(6), "b"))
    assert columns == ("app", "language", "intent", "scorer_version")
    assert len(arms.strata) == 1


def test_the_hour_of_the_day_is_no_change_of_quality() -> None:
    """Nights are worse than days; one release ran mostly by night."""
    night, day = np.tile(rate(1_000, 300), (len(Measure), 1)), np.tile(rate(1_000, 50), (len(Measure), 1))
    a = {stratum(2): night / 10, stratum(14): day}
    b = {stratum(2): night, stratum(14): day / 10}
    found = compare(choose_strata(a, b)[1])[0]
    assert found.verdict == "no clear difference"
    assert found.by_mix is not None
    assert found.by_mix > 0.1


def test_coarser_sums_are_those_of_all_their_parts() -> None:
    total = coarser(sums(range(5)), ())[()]
    assert total[0, 0] == 500
    mean = mean_of_all(total[0])
    assert mean is not None
    assert mean.value == pytest.approx(0.1)
    expected = wilson(50, 500)
    assert (mean.low, mean.high) == (near(expected.low), near(expected.high))


# --- where ---


def test_the_place_in_which_most_fails_for_sure_comes_first() -> None:
    found = places([
        count(8, "healthy", 900), count(8, "hallucination", 100),
        count(8, "healthy", 30, "small"), count(8, "hallucination", 5, "small"),
        count(8, "healthy", 600, "bad"), count(8, "hallucination", 400, "bad"),
    ])  # fmt: skip
    assert [one.tenant for one in found] == ["bad", "acme", "small"]


def test_a_place_of_few_traces_is_not_told() -> None:
    assert places([count(8, "hallucination", 29)]) == []


def test_worse_is_said_where_it_holds_for_all_places_together() -> None:
    before = [count(1, "healthy", 900), count(1, "hallucination", 100)]
    assert places([*before, count(8, "healthy", 700), count(8, "hallucination", 300)])[0].worse
    same = places([*before, count(8, "healthy", 890), count(8, "hallucination", 110)])[0]
    assert not same.worse
    assert same.low is not None
    assert same.high is not None
    assert same.low < 0.01 < same.high


def test_without_a_week_before_there_is_no_difference() -> None:
    found = places([count(8, "healthy", 100)])[0]
    assert (found.before, found.low, found.high, found.worse) == (None, None, None, False)


def test_the_difference_is_newcombes() -> None:
    """Newcombe 1998, table II, method 10: 56/70 against 48/80."""
    low, high = difference(48, 80, 56, 70)
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)


# --- budgets ---


def test_a_budget_burns_at_the_rate_over_it() -> None:
    mean = Mean(0.2, 0.15, 0.26, 500, 0.2)
    week = replace(EMPTY, measures={**EMPTY.measures, Measure.HALLUCINATION: mean})
    (spent,) = spent_budgets(week)
    assert (spent.burn, spent.low, spent.high) == (near(2.0), near(1.5), near(2.6))


def test_what_was_not_measured_burns_nothing_and_is_not_zero() -> None:
    (spent,) = spent_budgets(EMPTY)
    assert (spent.burn, spent.mean) == (None, None)


# --- the page ---


def hostile_week() -> Week:
    evil = "<script>alert(1)</script>|`x`"
    segment = SegmentKey((("app", evil),))
    incident = Incident(
        "i", "open", "page", "change", Measure.FAITHFULNESS, segment, UNTIL.timestamp() - 9e4,
        UNTIL.timestamp() - 8e4, UNTIL.timestamp(), baseline=0.1, value=0.3, low=0.2, high=0.4, traces=90,
        release=evil, summary=evil,
    )  # fmt: skip
    counts = tuple(
        Count(day, evil, evil, evil, failure, "full", 50)
        for day, failure in product(range(2 * DAYS), ("healthy", "hallucination"))
    )
    return replace(EMPTY, counts=counts, incidents=(incident,), app=evil, dead={evil: 3})


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_week_with_nothing_in_it_is_a_page_all_the_same(language: str) -> None:
    page = week_page(EMPTY, Words(language), "made")
    assert "NaN" not in as_html(page) + as_markdown(page)
    assert orjson.loads(orjson.dumps(week_facts(EMPTY)))["failed"]["value"] is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_names_do_nothing(language: str) -> None:
    page = week_page(hostile_week(), Words(language), "made")
    assert "<script" not in as_html(page)
    assert "<script" not in as_markdown(page)
    assert "alert(1)" in as_html(page)


def test_faithfulness_is_told_the_right_way_up() -> None:
    (incident,) = week_facts(hostile_week())["incidents"]
    assert (incident["baseline"], incident["value"]) == (pytest.approx(0.9), pytest.approx(0.7))
    assert (incident["low"], incident["high"]) == (pytest.approx(0.6), pytest.approx(0.8))


def test_both_languages_have_the_same_texts_with_the_same_gaps_to_fill() -> None:
    en, zh = (load_words(language) for language in LANGUAGES)
    assert en.keys() == zh.keys()
    for name, text in en.items():
        assert set(re.findall(r"{(\w+)}", text)) == set(re.findall(r"{(\w+)}", zh[name])), name
