"""What carries a change is named, and a shift of the mix is not taken for one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import orjson
import pytest

from stream.watch.bins import bins_of
from stream.watch.excess import Cells, cells_of
from stream.watch.explain import Explanation, explain
from stream.watch.records import COLUMNS, Batch, Mark, Measure, SegmentKey

APP = SegmentKey.of(app="helpdesk")
Kind = Mapping[str, str]


def cells(*kinds: tuple[int, float, Kind], version: str = "s-1") -> Cells:
    """So many traces at this rate, with these values."""
    sums: dict[tuple[str, ...], np.ndarray] = defaultdict(lambda: np.zeros(3))
    for n, rate, values in kinds:
        whole = {"app": "helpdesk", "tenant": "acme", "language": "en", "release_prompt": "p7", **values}
        combo = (*(whole.get(column, "") for column in COLUMNS), version)
        sums[combo] += np.array([n, n * rate, n * rate])
    return Cells(tuple(sums), np.array(list(sums.values())))


EN, ZH = {"language": "en"}, {"language": "zh"}
LUMEN, LUMEN_ZH = {"tenant": "lumen"}, {"tenant": "lumen", "language": "zh"}
BEFORE = cells((900, 0.05, EN), (900, 0.10, ZH), (450, 0.05, LUMEN), (450, 0.10, LUMEN_ZH))
ROLLED_OUT = cells(
    (300, 0.05, EN), (300, 0.10, ZH),
    (150, 0.30, {**LUMEN, "release_prompt": "p8"}), (150, 0.35, {**LUMEN_ZH, "release_prompt": "p8"}),
)  # fmt: skip


def explained(
    since: Cells, before: Cells = BEFORE, segment: SegmentKey = APP, marks: list[Mark] | None = None
) -> Explanation:
    return explain(before, since, segment, Measure.HALLUCINATION, 1_000.0, marks or [])


def mark(at: float, text: str = "prompt=p8", app: str = "helpdesk", previous: str = "p7") -> Mark:
    part, _, value = text.partition("=")
    return Mark(at, app, part, value, previous, "detected")


def test_the_tenant_whose_rate_rose_carries_the_change() -> None:
    found = explained(ROLLED_OUT)
    assert found.carried_by == SegmentKey.of(app="helpdesk", tenant="lumen")
    assert found.share == pytest.approx(1.0, abs=0.05)
    assert found.traffic == pytest.approx(1 / 3, abs=0.01)
    assert found.new == ("prompt=p8",)


def test_a_release_that_only_part_of_a_tenant_runs_is_told_from_the_rest_of_it() -> None:
    since = cells(
        (300, 0.05, EN), (300, 0.10, ZH), (150, 0.05, LUMEN), (150, 0.10, LUMEN_ZH),
        (100, 0.30, {**LUMEN, "release_prompt": "p8"}),
    )  # fmt: skip
    found = explained(since)
    assert found.carried_by.value("release_prompt") == "p8"
    assert found.carried_by.value("tenant") == "lumen", "whose traffic it is, is said too"


def test_two_columns_are_named_where_one_does_not_tell_it() -> None:
    since = cells((300, 0.05, EN), (300, 0.10, ZH), (150, 0.05, LUMEN), (150, 0.45, LUMEN_ZH))
    assert explained(since).carried_by == SegmentKey.of(app="helpdesk", tenant="lumen", language="zh")


def test_a_change_of_everything_is_carried_by_the_segment_itself() -> None:
    since = cells((300, 0.20, EN), (300, 0.25, ZH), (150, 0.20, LUMEN), (150, 0.25, LUMEN_ZH))
    found = explained(since)
    assert found.carried_by == APP
    assert found.share == pytest.approx(1.0)


def test_more_traffic_of_a_difficult_kind_is_told_as_mix_and_carried_by_nobody() -> None:
    since = cells((100, 0.05, EN), (900, 0.10, ZH), (50, 0.05, LUMEN), (450, 0.10, LUMEN_ZH))
    found = explained(since)
    assert found.carried_by == APP
    assert found.by_mix == pytest.approx(0.02, abs=0.003)
    assert found.by_change == pytest.approx(0.0, abs=0.003)
    assert "mix of traffic" in found.text()


def test_a_change_amid_a_shift_of_the_mix_is_named_all_the_same() -> None:
    since = cells((100, 0.05, EN), (900, 0.10, ZH), (50, 0.05, LUMEN), (450, 0.40, LUMEN_ZH))
    found = explained(since)
    assert found.carried_by == SegmentKey.of(app="helpdesk", tenant="lumen")
    assert found.by_mix == pytest.approx(0.02, abs=0.005)
    assert found.by_mix + found.by_change == pytest.approx((found.since or 0) - (found.before or 0))


def test_a_value_that_did_not_exist_before_is_held_against_its_kind_of_traffic() -> None:
    since = cells((300, 0.05, EN), (300, 0.10, ZH), (200, 0.5, {**EN, "tenant": "newcomer"}))
    assert explained(since).carried_by == SegmentKey.of(app="helpdesk", tenant="newcomer")


def test_another_segment_is_not_looked_into() -> None:
    since = cells((300, 0.05, EN), (300, 0.9, {**EN, "app": "shop"}))
    found = explained(since)
    assert found.since == pytest.approx(0.05)
    assert all(share.segment.value("app") == "helpdesk" for share in found.splits)


def test_the_release_whose_value_is_new_comes_before_a_nearer_one() -> None:
    marks = [mark(996.0), mark(999.0, "index=kb-2", previous="kb-1"), mark(999.5, app="shop")]
    found = explained(ROLLED_OUT, marks=marks)
    assert [one.text for one in found.releases] == ["prompt=p8"]
    assert "prompt=p8 (was p7), 4 s before the estimated onset" in found.text()


def test_of_parts_that_were_released_together_the_version_of_the_app_is_named_last() -> None:
    both = {**LUMEN, "release_prompt": "p8", "release_app": "v43"}
    since = cells((300, 0.05, EN), (300, 0.10, ZH), (150, 0.05, LUMEN), (100, 0.5, both))
    found = explained(since)
    assert found.carried_by.value("release_prompt") == "p8"
    assert not found.carried_by.value("release_app")


def test_a_few_traces_of_a_release_before_the_estimated_onset_do_not_make_it_old() -> None:
    early = cells(
        (900, 0.05, EN), (900, 0.10, ZH), (450, 0.05, LUMEN), (450, 0.10, LUMEN_ZH),
        (50, 0.3, {**LUMEN, "release_prompt": "p8"}),
    )  # fmt: skip
    assert explained(ROLLED_OUT, before=early).new == ("prompt=p8",)


def test_without_a_mark_the_new_value_is_named() -> None:
    assert "New there since then: prompt=p8" in explained(ROLLED_OUT).text()


def test_the_text_is_a_sentence_for_whoever_is_woken() -> None:
    text = explained(ROLLED_OUT, marks=[mark(996.0)]).text()
    assert text.startswith("Hallucination of app=helpdesk rose from 7.5% to 15.8%. ")
    assert "app=helpdesk,tenant=lumen carries 100% of it with 33% of the traffic" in text


def test_faithfulness_falls_where_others_rise() -> None:
    found = explain(BEFORE, ROLLED_OUT, APP, Measure.FAITHFULNESS, 1_000.0)
    assert found.text().startswith("Faithfulness of app=helpdesk fell from 92.5% to 84.2%")


def test_the_facts_are_json_and_list_the_greatest_part_first() -> None:
    facts = orjson.loads(orjson.dumps(explained(ROLLED_OUT, marks=[mark(996.0)]).facts()))
    assert facts["splits"][0]["segment"] == "app=helpdesk"
    assert facts["splits"][1]["segment"] == "app=helpdesk,tenant=lumen"
    assert facts["splits"][1]["share"] == pytest.approx(1.0, abs=0.05)
    assert facts["releases"][0]["seconds_before"] == 4.0


def test_nothing_before_or_nothing_since_explains_nothing() -> None:
    empty = cells()
    nothing = Cells((), empty.sums.reshape(-1, 3))
    assert explained(nothing).carried_by == APP
    assert explained(nothing).since is None
    unknown = explained(ROLLED_OUT, before=nothing)
    assert (unknown.before, unknown.by_mix, unknown.by_change) == (None, 0.0, 0.0)


def test_counts_come_from_bins() -> None:
    names = np.array(["a", "b", "c"], dtype=object)
    batch = Batch(
        trace_id=names, conversation=names, timestamp=np.array([1.0, 2.0, 61.0]),
        columns={column: np.array(["x"] * 3, dtype=object) for column in COLUMNS},
        hallucination=np.array([0.2, np.nan, 0.6]), faithfulness=np.full(3, np.nan),
        failure=np.array(["healthy"] * 3, dtype=object), refusal=np.zeros(3, dtype=bool),
        quadrant=names, coverage=names, scorer_version=np.array(["s"] * 3, dtype=object),
    )  # fmt: skip
    found = cells_of(bins_of(batch), Measure.HALLUCINATION)
    assert len(found.combos) == 1
    assert found.sums[0] == pytest.approx([2.0, 0.8, 0.40])
    assert found.mean() == pytest.approx(0.4)
