"""How often labels err is estimated beside the calibration, and flipped ones are seen for what they are."""

from __future__ import annotations

import numpy as np
import pytest

from judges.distillation.guards import check_contradictions
from judges.distillation.lapses import fit_lapses


def drawn(
    slope: float, shift: float, alarms: float, misses: float, n: int = 4000
) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(11)
    logits = random.normal(-1.0, 2.5, n)
    chance = alarms + (1 - alarms - misses) / (1 + np.exp(-(slope * logits + shift)))
    return logits, (random.random(n) < chance).astype(float)


@pytest.mark.parametrize(
    ("slope", "shift", "alarms", "misses"),
    [(1.0, 0.0, 0.0, 0.0), (2.0, -1.0, 0.1, 0.1), (1.5, 0.5, 0.3, 0.3), (1.2, 0.0, 0.02, 0.25)],
)
def test_what_was_put_in_is_found_again(slope: float, shift: float, alarms: float, misses: float) -> None:
    logits, labels = drawn(slope, shift, alarms, misses)
    found = fit_lapses(logits, labels, np.ones(len(labels)))
    assert found.false_alarms == pytest.approx(alarms, abs=0.04)
    assert found.misses == pytest.approx(misses, abs=0.06)
    assert found.slope == pytest.approx(slope, rel=0.4)
    crossing = -found.intercept / found.slope
    assert crossing == pytest.approx(-shift / slope, abs=0.35)  # where the truth is even, not the label


def test_weights_count_by_their_proportions_not_by_their_scale() -> None:
    logits, labels = drawn(1.5, 0.0, 0.1, 0.1, n=500)
    weights = np.linspace(0.5, 2.0, 500)
    once, again = fit_lapses(logits, labels, weights), fit_lapses(logits, labels, weights * 1000)
    assert once.loss == pytest.approx(again.loss)
    assert once.slope == pytest.approx(again.slope)


def test_few_labels_leave_the_scorer_as_it_was() -> None:
    found = fit_lapses(np.array([-2.0, 2.0]), np.array([0.0, 1.0]), np.ones(2))
    assert found.slope == pytest.approx(1.0, abs=0.5)
    assert found.false_alarms < 0.05


@pytest.mark.parametrize("logits", [np.full(50, 1e9), np.zeros(50), np.linspace(-1e9, 1e9, 50)])
def test_logits_without_measure_give_numbers_all_the_same(logits: np.ndarray) -> None:
    labels = np.tile([0.0, 1.0], 25)
    found = fit_lapses(logits, labels, np.ones(50))
    assert np.isfinite([found.slope, found.intercept, found.loss]).all()


@pytest.mark.parametrize("error", [0.0, 0.05, 0.1, 0.15])
def test_a_judge_who_errs_now_and_then_is_believed(error: float) -> None:
    logits, labels = drawn(1.5, -0.5, error, error, n=1500)
    assert check_contradictions(logits, labels, np.ones(len(labels))) == []


@pytest.mark.parametrize(("alarms", "misses"), [(0.3, 0.3), (0.3, 0.0)])
def test_labels_of_which_three_in_ten_are_flipped_are_not(alarms: float, misses: float) -> None:
    logits, labels = drawn(1.5, 0.5, alarms, misses, n=1500)
    (objection,) = check_contradictions(logits, labels, np.ones(len(labels)))
    assert objection.slice == "labels"
    assert objection.numbers["labelled_bad_though_good"] == pytest.approx(alarms, abs=0.08)


def test_flipped_labels_of_mostly_bad_answers_are_not_believed_either() -> None:
    logits, labels = drawn(1.5, 0.5, 0.3, 0.3, n=1500)
    (objection,) = check_contradictions(-logits, 1 - labels, np.ones(len(labels)))
    assert objection.numbers["labelled_good_though_bad"] == pytest.approx(0.3, abs=0.08)


def test_a_scorer_that_cries_wolf_does_not_make_labels_lies() -> None:
    logits, labels = drawn(1.5, -3.0, 0.0, 0.35, n=1500)
    assert check_contradictions(logits, labels, np.ones(len(labels))) == []
