"""The comparison at the end of the demo: counts, precision, recall, intervals, and what is wrong."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from stream.demo.queries import CLASSES, Case, Found, Landed, Segment, Snapshot
from stream.demo.rates import Rate
from stream.demo.report import fit_classes, print_report
from stream.demo.scoreboard import Scoreboard
from stream.demo.traffic import Truth
from stream.demo.view import PlainView, State, page, plain_line
from stream.demo.world import SPIKE_TENANT


def truth(failure: str, language: str = "en", tenant: str = "xinghe", spiking: bool = False) -> Truth:
    return Truth(failure, "some kind", language, tenant, spiking)


def board(**changes: int) -> Scoreboard:
    numbers: dict[str, Any] = {
        "published": 4,
        "scored": 4,
        "rows": 4,
        "dead": 1,
        "dead_expected": 1,
        **changes,
    }
    return Scoreboard(seconds=2.0, **numbers)


TRUTHS = {
    "a": truth("healthy"),
    "b": truth("healthy", "zh"),
    "c": truth("hallucination"),
    "d": truth("over_refusal", "zh"),
}


def test_precision_and_recall_are_of_the_class_named() -> None:
    compared = board()
    compared.compare(
        TRUTHS, {"a": "healthy", "b": "hallucination", "c": "hallucination", "d": "over_refusal"}
    )
    lines = compared.by_class
    assert (lines["healthy"].precision, lines["healthy"].recall) == (1.0, 0.5)
    assert (lines["hallucination"].precision, lines["hallucination"].recall) == (0.5, 1.0)
    assert (lines["empty_recall"].precision, lines["empty_recall"].recall) == (None, None)
    assert compared.by_language["zh"]["healthy"].injected == 1
    assert compared.findings() == []


def test_a_trace_that_never_came_counts_against_recall() -> None:
    compared = board(rows=3)
    compared.compare(TRUTHS, {"a": "healthy", "b": "healthy", "c": "hallucination"})
    assert compared.by_class["over_refusal"].recall == 0.0
    assert any("4 traces were published, 4 scored, 3 stored" in finding for finding in compared.findings())


@pytest.mark.parametrize(("count", "right", "judged"), [(19, 0, False), (20, 3, True), (20, 4, False)])
def test_a_class_is_judged_by_enough_traces(count: int, right: int, judged: bool) -> None:
    truths = {str(i): truth("over_refusal") for i in range(count)}
    compared = board(published=count, scored=count, rows=count)
    compared.compare(truths, {i: "over_refusal" if int(i) < right else "healthy" for i in truths})
    said = [f"over_refusal was injected {count} times and recognised {right} times."]
    assert compared.findings() == (said if judged else [])
    assert ("over_refusal" in compared.unjudged()) is (count < 20)


@pytest.mark.parametrize(
    "changes", [{"scored": 3}, {"rows": 5}, {"dead": 0}, {"dead": 2}, {"feedback_rows": 1}]
)
def test_anything_lost_or_too_much_is_a_finding(changes: dict[str, int]) -> None:
    compared = board(**changes)
    compared.compare(TRUTHS, {trace_id: one.failure for trace_id, one in TRUTHS.items()})
    assert len(compared.findings()) == 1


def test_the_spike_is_told_before_and_after_its_release() -> None:
    truths = {
        "a": truth("healthy", tenant=SPIKE_TENANT),
        "b": truth("hallucination", tenant=SPIKE_TENANT, spiking=True),
        "c": truth("hallucination", tenant="xinghe"),
    }
    compared = board(published=3, scored=3, rows=3)
    compared.compare(truths, {"a": "healthy", "b": "hallucination", "c": "hallucination"})
    assert (compared.before.value, compared.after.value) == (0.0, 1.0)
    assert compared.summary()["spike"]["after"]["n"] == 1


def test_an_incident_is_held_against_what_was_injected() -> None:
    found = Found(
        incident_id="a1", status="open", severity="page", measure="hallucination", segment="app=helpdesk",
        explained_by="", release="prompt=p8", summary="It rose", cases=("a", "b", "elsewhere"), traces=9,
        baseline=0.05, value=0.4, onset=997.0, detected_at=1_012.0,
    )  # fmt: skip
    truths = {"a": truth("hallucination"), "b": truth("healthy")}
    compared = board()
    compared.compare_incidents([found], 1_000.0, truths)
    (said,) = compared.summary()["incidents"]
    assert (said["onset_error_seconds"], said["detection_delay_seconds"]) == (-3.0, 12.0)
    assert (said["cases_injected"], said["cases_injected_share"]) == (1, 0.3333)
    compared.compare_incidents([found], None, truths)
    assert compared.summary()["incidents"][0]["onset_error_seconds"] is None


def test_the_summary_has_the_fields_of_the_contract() -> None:
    compared = board()
    compared.compare(TRUTHS, {trace_id: one.failure for trace_id, one in TRUTHS.items()})
    summary = compared.summary()
    assert {
        "published",
        "scored",
        "dead",
        "rows",
        "seconds",
        "rate",
        "by_class",
        "incidents",
    } <= summary.keys()
    assert list(summary["by_class"]) == list(CLASSES)
    assert set(summary["by_class"]["healthy"]) == {"injected", "found", "precision", "recall"}
    assert summary["rate"] == 2.0


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (50, 1000, 0.0381, 0.0653)],
)
def test_wilson_intervals_are_those_of_the_textbook(count: int, total: int, low: float, high: float) -> None:
    interval = Rate(count, total).interval
    assert interval is not None
    assert interval == pytest.approx((low, high), abs=2e-4)


def test_a_rate_of_nothing_is_not_zero() -> None:
    assert Rate(0, 0).value is None
    assert Rate(0, 0).interval is None
    assert Rate(0, 0).text() == "–"


SNAPSHOT = Snapshot(
    landed=Landed(90, 2, 5),
    by_class={name: Rate(10, 90) for name in CLASSES},
    faithfulness=0.91,
    measured=70,
    refusals=Rate(9, 90),
    segments=(Segment(SPIKE_TENANT, "p8", Rate(4, 10)),),
    cases=(Case("hallucination", "xinghe", "多少\x1b[31m天?", "十天", "rule"),),
)
STATE = State("publishing", 12.0, 60.0, 100, 50.0, spike_since=3.0, snapshot=SNAPSHOT)


@pytest.mark.parametrize("size", [(80, 24), (120, 45), (200, 60), (40, 10)])
def test_the_page_fits_terminals_of_any_size(size: tuple[int, int]) -> None:
    out = io.StringIO()
    Console(file=out, width=size[0], height=size[1], force_terminal=False).print(page(STATE, *size))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= size[0]
    assert "\x1b" not in out.getvalue()
    assert "90" in out.getvalue()


def test_a_plain_line_has_the_numbers_that_matter() -> None:
    line = plain_line(STATE)
    for part in ("published 100", "stored 90", "lag 10", "faithfulness 0.910 of 70", "refusals 10.0%"):
        assert part in line


def test_plain_lines_are_few_and_tell_the_spike_once() -> None:
    out = io.StringIO()
    view = PlainView(Console(file=out, width=200))
    for _ in range(5):
        view.show(STATE)
    assert out.getvalue().count("published") == 1
    assert out.getvalue().count("rolls out prompt") == 1


def test_the_report_names_what_is_wrong() -> None:
    compared = board(rows=3)
    compared.compare(TRUTHS, {"a": "healthy"})
    out = io.StringIO()
    print_report(Console(file=out, width=80), compared)
    assert "✗ 4 traces were published" in out.getvalue()
    assert "hallucination" in out.getvalue()
    assert max(map(len, out.getvalue().splitlines()[:14])) <= 80


@pytest.mark.parametrize("width", [80, 60, 50, 40])
def test_the_final_table_loses_columns_and_no_letters_where_it_is_narrow(width: int) -> None:
    compared = board()
    compared.compare(TRUTHS, {trace_id: one.failure for trace_id, one in TRUTHS.items()})
    out = io.StringIO()
    console = Console(file=out, width=width)
    console.print(fit_classes(compared, console))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert "…" not in out.getvalue()
    assert "rewrite_failure" in out.getvalue()
    assert "recall" in out.getvalue()
    assert ("in zh" in out.getvalue()) is (width == 80)


def test_too_few_traces_are_said_to_be_too_few() -> None:
    compared = board()
    compared.compare(TRUTHS, {trace_id: one.failure for trace_id, one in TRUTHS.items()})
    out = io.StringIO()
    print_report(Console(file=out, width=200), compared)
    assert "every injected class was found" not in out.getvalue()
    assert "fewer than 20 traces say nothing of a class: healthy" in out.getvalue()
