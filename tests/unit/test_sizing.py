"""The plan for a rate is arithmetic: each line by hand, and the document in step with it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.sizing import RATES, Assumptions, Costs, plan, plan_text, read_costs, report, worst

COSTS = Costs(
    traffic="made up", traces=1_000, message_bytes=2_000, worker_ms=0.6, store_ms=0.15,
    kafka_trace_bytes=1_000, kafka_row_bytes=1_500, text_bytes=1_000, other_bytes=200,
)  # fmt: skip


def test_cores_follow_from_the_peak_and_how_busy_they_may_be() -> None:
    one = plan(10_000, COSTS, Assumptions(peak=2.0, busy=0.6, store_busy=0.3))
    assert one.workers == 20  # 20,000/s x 0.6 ms / 0.6
    assert one.store_cores == 10  # 20,000/s x 0.15 ms / 0.3
    assert one.partitions == 36  # one and a half times 20, in twelves


def test_disks_follow_from_retention_and_copies() -> None:
    one = plan(1_000, COSTS, Assumptions(replicas=2, days=90, text_days=30, kafka_hours=24, kafka_replicas=3))
    assert one.disk_gb == pytest.approx(1_000 * 86_400 * (1_000 * 30 + 200 * 90) * 2 / 1e9)
    assert one.kafka_gb == pytest.approx(1_000 * 86_400 * 2_500 * 3 / 1e9)


def test_shards_follow_from_cores_or_from_disks_whichever_is_more() -> None:
    roomy, small = Assumptions(tb_a_server=1e6), Assumptions(tb_a_server=1.0)
    assert plan(100_000, COSTS, roomy).shards == 7  # 100 cores on servers of 16
    assert plan(1_000, COSTS, small).shards == 5  # 4.1 TB a replica
    assert plan(1_000, COSTS, small).servers == 10


def test_little_traffic_still_has_two_of_everything_that_must_not_stop() -> None:
    one = plan(1, COSTS, Assumptions())
    assert (one.workers, one.sinks, one.partitions, one.shards) == (2, 2, 12, 1)


def test_the_worst_of_two_kinds_of_traffic_leaves_out_what_was_not_measured() -> None:
    other = replace(COSTS, traffic="other", text_bytes=5_000, store_ms=None, other_bytes=None, worker_ms=0.1)
    found = worst([COSTS, other])
    assert (found.text_bytes, found.worker_ms, found.store_ms, found.other_bytes) == (5_000, 0.6, 0.15, 200)


def test_a_report_changes_what_stands_between_its_marks_and_nothing_else(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text("before\n<!-- plan begins -->\nold\n<!-- plan ends -->\nafter\n")
    report(document, {"plan": "new"})
    assert document.read_text() == "before\n<!-- plan begins -->\nnew\n<!-- plan ends -->\nafter\n"
    with pytest.raises(ValueError, match="no place for costs"):
        report(document, {"costs": "x"})


def test_the_document_holds_the_plan_that_its_own_figures_give() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "SCALING.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- plan begins -->\n(.*?)\n<!-- plan ends -->", text, re.DOTALL)
    assert found
    costs = worst(read_costs())
    assert found[1] == plan_text([plan(rate, costs, Assumptions()) for rate in RATES])
