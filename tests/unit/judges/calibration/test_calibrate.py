"""Judges against people: what is compared, who counts, and when verdicts do not."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from judges.agreement import Weighting
from judges.calibration.between import compare_judges
from judges.calibration.calibrate import Bar, Calibration, calibrate
from judges.calibration.labels import About, JudgeKey, Label, Said

KEY = JudgeKey("strict", "m-1", "faithfulness", "1")
BAR = Bar(min_kappa=0.7, min_labels=20)


def crowd(count: int, wrong: float, language: str = "en", seed: int = 1) -> tuple[list[Label], list[Said]]:
    """Labels of one annotator, and a judge that is wrong with this probability."""
    random = Random(seed)
    labels, said = [], []
    for number in range(count):
        trace_id, truth = f"{language}{number}", random.random() < 0.4
        labels.append(Label(trace_id, "ann", hallucination=truth, language=language))
        chance = float(truth if random.random() >= wrong else not truth)
        said.append(Said(trace_id, KEY, hallucination=chance, language=language))
    return labels, said


def measured(labels: list[Label], said: list[Said], about: Any = None, bar: Bar = BAR) -> Calibration:
    return calibrate(labels, said, about or {}, bar, resamples=200)


def verdicts(found: Calibration, measure: str = "hallucination") -> dict[str, tuple[bool, str]]:
    return {m.language: (m.calibrated, m.shortfall) for m in found.measured if m.measure == measure}


def test_a_judge_that_agrees_is_calibrated_in_each_language_of_its_own() -> None:
    english, zh = crowd(60, 0.03), crowd(60, 0.35, "zh")
    found = measured(english[0] + zh[0], english[1] + zh[1])
    assert verdicts(found)["en"] == (True, "")
    assert verdicts(found)["zh"] == (False, "below_min_kappa")
    assert {one.language for one in found.findings()} >= {"zh"}


def test_too_few_labels_leave_a_judge_uncalibrated_however_well_it_does() -> None:
    english, zh = crowd(60, 0.0), crowd(8, 0.0, "zh")
    found = measured(english[0] + zh[0], english[1] + zh[1])
    assert verdicts(found) == {"": (True, ""), "en": (True, ""), "zh": (False, "too_few_labels")}


def test_where_everything_is_of_one_class_nothing_is_shown() -> None:
    labels = [Label(str(n), "ann", hallucination=False) for n in range(50)]
    said = [Said(str(n), KEY, hallucination=0.1) for n in range(50)]
    assert verdicts(measured(labels, said)) == {"": (False, "one_class_only")}


def test_a_class_says_whether_there_is_a_hallucination_unless_it_is_said_apart() -> None:
    labels = [
        Label("a", failure="healthy"),
        Label("b", failure="hallucination"),
        Label("c", failure="over_refusal"),
    ]
    said = [Said(one, KEY, failure="healthy") for one in "abc"]
    found = measured(labels, said)
    by_measure = {m.measure: m.agreement for m in found.measured}
    assert by_measure["hallucination"].confusion == [[1, 0], [1, 0]]
    assert by_measure["failure"].n == 3


def test_annotators_who_cancel_each_other_out_say_nothing_and_the_heavier_side_counts() -> None:
    labels = [
        Label("a", "li", hallucination=True),
        Label("a", "ann", hallucination=False),
        Label("b", "li", hallucination=True, weight=2.0),
        Label("b", "ann", hallucination=False),
    ]
    said = [Said(one, KEY, hallucination=1.0) for one in "ab"]
    found = measured(labels, said)
    assert found.people["hallucination"].values == {"b": True}
    assert found.people["hallucination"].undecided == 1
    assert found.people["hallucination"].annotators == 2


def test_ratings_are_ranks_and_several_become_their_median() -> None:
    labels = [
        Label(str(n), who, ratings={"accuracy": 1 + (n + step) % 5})
        for n in range(40)
        for step, who in ((0, "a"), (0, "b"), (1, "c"))
    ]
    said = [Said(str(n), KEY, ratings={"accuracy": min(5, 2 + n % 5)}) for n in range(40)]
    (one,) = [m for m in measured(labels, said).measured if m.measure == "rating_accuracy"]
    assert set(one.agreement.weighted) == {"linear", "quadratic"}
    weighted, plain = one.agreement.weighted[Weighting.QUADRATIC].value, one.agreement.kappa.value
    assert weighted is not None
    assert plain is not None
    assert weighted > 0.7 > plain
    assert not one.decides


def test_a_judge_under_another_model_or_rubric_is_another_judge() -> None:
    labels, said = crowd(40, 0.0)
    key = JudgeKey("strict", "m-2", "faithfulness", "1")
    other = [
        Said(s.trace_id, key, hallucination=1 - s.hallucination) for s in said if s.hallucination is not None
    ]
    assert len(other) == len(said)
    found = measured(labels, said + other)
    kappas = {
        m.key.model: m.agreement.kappa.value
        for m in found.measured
        if m.measure == "hallucination" and not m.language
    }
    assert kappas == {"m-1": pytest.approx(1.0), "m-2": pytest.approx(-0.93, abs=0.1)}


def test_agreement_on_a_sheet_is_weighted_back_to_the_traffic() -> None:
    """Half of the sheet is of a kind that is 1 % of the traffic: there the judge is always wrong."""
    labels, said, about = [], [], {}
    for number in range(200):
        rare, truth = number % 2 == 0, number % 4 < 2
        labels.append(Label(str(number), "ann", hallucination=truth))
        chance = float(not truth if rare else truth)
        said.append(Said(str(number), KEY, hallucination=chance, sample_probability=0.5))
        about[str(number)] = About("en", sheet_probability=1.0 if rare else 0.01)
    (one,) = [
        m for m in measured(labels, said, about).measured if m.measure == "hallucination" and not m.language
    ]
    assert one.agreement.kappa.value == pytest.approx(0.0, abs=0.01)
    assert one.traffic.value == pytest.approx(0.98, abs=0.01)
    assert 100 <= one.effective_n < 110


def test_without_known_probabilities_nothing_is_weighted_back() -> None:
    labels, said = crowd(40, 0.1)
    (one,) = [m for m in measured(labels, said).measured if m.language == ""]
    assert (one.traffic.value, one.traffic.n, one.effective_n) == (None, 0, 0.0)


def test_what_has_only_a_label_or_only_a_verdict_is_counted() -> None:
    found = measured([Label("a", hallucination=True)], [Said("b", KEY, hallucination=1.0)])
    assert found.measured == []
    assert sum(found.left_out.values()) == 2


def test_a_report_is_plain_json() -> None:
    labels, said = crowd(30, 0.2)
    for one in measured(labels, said).measured:
        json.dumps(one.as_dict(), allow_nan=False)


def test_judges_are_compared_over_the_traces_that_both_have_judged() -> None:
    _, first = crowd(50, 0.0)
    second = [
        Said(
            s.trace_id,
            JudgeKey("lenient", "m-9", "faithfulness", "1"),
            hallucination=0.0 if n % 5 == 0 else s.hallucination,
            language="en",
        )
        for n, s in enumerate(first[:40])
    ]
    found = compare_judges(first + second, {}, resamples=200)
    assert {(one.measure, one.language) for one in found} == {("hallucination", ""), ("hallucination", "en")}
    assert found[0].agreement.n == 40
    assert found[0].first.judge == "lenient"
    json.dumps(found[0].as_dict(), allow_nan=False)
