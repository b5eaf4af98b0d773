"""The shipped scorer's training: pairs, curves, folds and weights, on a few made-up rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from judges.distillation import teach
from judges.distillation.calibrate_heads import fit_curves
from judges.distillation.card import write_card
from judges.distillation.curves import calibration_error, decide_at_half, f1, fit_line, fit_lines
from judges.distillation.examine import examine
from judges.distillation.pairs import make_pairs
from judges.distillation.rows import FOLDS, Row
from judges.distillation.table import UNKNOWN, Table, build_table
from judges.distilled.heads.calibration import ANY_LANGUAGE, calibrate
from judges.distilled.heads.weights import Manifest

PLACES = ["Oslo", "Bergen", "Narvik", "Hamar", "Alta", "Moss", "Bodo", "Skien"]
THINGS = ["tent", "stove", "lamp", "rope", "jacket", "map", "boat", "knife"]


def make_row(number: int, *, bad: bool, language: str = "en", source: str = "citecheck") -> Row:
    place, thing = PLACES[number % 8], THINGS[number // 8 % 8]
    if language == "en":
        context = f"The {thing} weighs {number + 3} kg. It is sold in {place} for {number + 40} euros."
        answer = f"The {thing} weighs {number + 3} kg. It is sold in {place}."
        invention = f"It was designed by a retired sailor called Olga {place}."
    else:
        context = f"{thing}重{number + 3}公斤，在{place}出售，价格为{number + 40}欧元。"
        answer = f"{thing}重{number + 3}公斤，在{place}出售。"
        invention = "它由一位退休水手设计，获得国际大奖。"
    answer = answer + (" " if language == "en" else "") + invention if bad else answer
    start = answer.find(invention)
    return Row(
        source=source,
        task="QA",
        language=language,
        question="",
        contexts=(context,),
        answer=answer,
        bad=bad,
        spans=((start, len(answer)),) if bad else (),
        group=f"{language}{number}",
        may_ship=True,
        split="train",
    )


ROWS = [
    make_row(i, bad=i % 2 == 1, language=language, source=source)
    for language, source in (("en", "begin_wow"), ("zh", "citecheck"))
    for i in range(64)
]


@pytest.fixture(scope="module")
def table() -> Table:
    return build_table(ROWS, lambda *_: None)


def test_claims_are_labelled_by_the_marked_spans(table: Table) -> None:
    for row, first, last in zip(ROWS, table.first[:-1], table.first[1:], strict=True):
        labels = table.claim_bad[first:last].tolist()
        assert labels == ([0] * (len(labels) - 1) + [1] if row.bad else [0] * len(labels))


def test_a_bad_answer_without_marks_teaches_of_its_only_claim_alone() -> None:
    several = replace(make_row(1, bad=True), spans=None)
    one = replace(several, answer="It was designed by a sailor.")
    found = build_table([several, one], lambda *_: None)
    assert found.claim_bad.tolist() == [UNKNOWN] * (len(found.claim_bad) - 1) + [1]


def test_a_group_is_in_one_fold_and_folds_are_about_even() -> None:
    assert make_row(5, bad=True).fold == make_row(5, bad=False).fold
    sizes = np.bincount([replace(ROWS[0], group=str(i)).fold for i in range(1000)])
    assert len(sizes) == FOLDS
    assert sizes.min() > 150


def test_pairs_differ_in_one_place_and_stay_in_their_group() -> None:
    pairs = make_pairs(ROWS, Random(3))
    assert len(pairs) >= 40
    for good, bad in zip(pairs[::2], pairs[1::2], strict=True):
        assert (good.bad, bad.bad) == (False, True)
        assert good.answer != bad.answer
        assert (good.group, good.contexts, good.source) == (bad.group, bad.contexts, bad.source)
        assert good.made
        assert good.origin in ("begin_wow", "citecheck")
        ((start, end),) = bad.spans or ()
        assert 0 <= start < end <= len(bad.answer) + 1
    assert pairs == make_pairs(ROWS, Random(3))


def test_pairs_come_from_supported_rows_that_may_ship_alone() -> None:
    assert make_pairs([replace(row, may_ship=False) for row in ROWS], Random(3)) == []
    assert make_pairs([row for row in ROWS if row.bad], Random(3)) == []
    assert make_pairs([replace(row, source="ragtruth") for row in ROWS], Random(3)) == []


def test_small_sources_and_rare_labels_count_for_more_than_their_size() -> None:
    source = np.array(["a"] * 100 + ["b"] * 4)
    bad = np.array([0] * 96 + [1] * 4 + [0, 0, 1, 1])
    made = np.zeros(104, dtype=bool)
    made[-1] = True
    weights = teach.balance(source, bad, made, 0.5)
    assert weights[0] == pytest.approx(1 / np.sqrt(96))
    assert weights[96] == pytest.approx(0.5)
    assert weights[-1] == pytest.approx(0.5 * weights[-2])


def test_targets_lean_on_how_often_a_writer_errs_where_answers_are_as_written(table: Table) -> None:
    rows = [replace(row, source="ragtruth", writer="llama") for row in ROWS[:4]] + list(ROWS[4:])
    soft = teach.soften(replace(table, rows=rows), np.arange(len(rows)))
    assert soft[:4] == pytest.approx([0.325, 0.675] * 2)
    assert (soft[4:] == table.bad[4:]).all()


def test_forests_learn_without_their_own_fold_and_the_same_for_the_same_seed(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teach, "SEEDS", 1)
    monkeypatch.setattr(teach, "CLAIM", replace(teach.CLAIM, rounds=20, rows_a_leaf=5))
    monkeypatch.setattr(teach, "TRACE", replace(teach.TRACE, rounds=20, rows_a_leaf=5))
    everyone = np.ones(len(ROWS), dtype=bool)
    forests, unseen = teach.fit_forests(table, everyone, 7, lambda *_: None)
    again, _ = teach.fit_forests(table, everyone, 7, lambda *_: None)
    for name in ("claim", "trace"):
        assert (forests[name].threshold == again[name].threshold).all()
        assert (forests[name].value == again[name].value).all()
    seen = teach.apply_forests(forests, table)
    assert np.abs(seen.claims - unseen.claims).max() > 0
    curves = fit_curves(table, unseen, everyone)
    chances = calibrate(curves["trace"], unseen.traces, table.language.tolist())
    results = examine(table, chances)
    assert results["language en"].auroc > 0.95
    assert results["language zh"].auroc > 0.95
    for curve in (*curves["claim"].values(), *curves["trace"].values()):
        assert (np.diff(curve.apply(np.linspace(-9, 9, 99))) > 0).all()


def test_a_line_makes_logits_mean_what_they_say() -> None:
    random = np.random.default_rng(1)
    truth = random.normal(0, 2, 4000)
    bad = (random.random(4000) < 1 / (1 + np.exp(-truth))).astype(np.int64)
    line = fit_line(3 * truth + 1, bad, np.full(4000, "a"))
    chances = 1 / (1 + np.exp(-line.apply(3 * truth + 1)))
    assert calibration_error(chances, bad) < 0.03
    assert calibration_error(1 / (1 + np.exp(-(3 * truth + 1))), bad) > 0.08


def test_half_is_where_f1_is_highest() -> None:
    random = np.random.default_rng(2)
    bad = (random.random(3000) < 0.15).astype(np.int64)
    logits = random.normal(0, 1, 3000) + 1.5 * bad
    names, language = np.full(3000, "a"), np.full(3000, "en")
    lines = fit_lines(logits, bad, names, language)
    moved = decide_at_half(lines, logits, bad, names, language)
    assert set(moved) == {ANY_LANGUAGE, "en"}
    before, after = (f1(curve["en"].apply(logits) >= 0, bad) for curve in (lines, moved))
    best = max(f1(logits >= bar, bad) for bar in np.linspace(-2, 4, 200))
    assert before < after
    assert after > best - 0.02


def test_the_card_names_data_results_and_limits(tmp_path: Path) -> None:
    result = {"rows": 9, "bad": 4, "auroc": 0.9, "f1": 0.8, "balanced_accuracy": 0.7, "ece": 0.1}
    source = {"rows": 9, "unsupported": 4, "licence": "somebody/something, MIT"}
    manifest = Manifest("student-9", "now", 7, data={"one": source}, metrics={"one/QA": result})
    write_card(tmp_path / "card.md", manifest)
    text = (tmp_path / "card.md").read_text(encoding="utf-8")
    assert "| one | 9 | 4 | somebody/something, MIT |" in text
    assert "| one/QA | 9 | 4 | 0.900 | 0.800 | 0.700 | 0.100 |" in text
    assert "## Limits" in text
