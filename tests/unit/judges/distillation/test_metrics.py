"""Measures agree with their definitions, and intervals with what is known of them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, f1_score, roc_auc_score

from judges.distillation.metrics import (
    MEASURES,
    auroc,
    balanced_accuracy,
    brier,
    draw_weights,
    ece,
    estimate,
    f1,
)

RANDOM = np.random.default_rng(5)
LABELS = (RANDOM.random(300) < 0.3).astype(float)
CHANCES = np.round(np.clip(0.3 * LABELS + RANDOM.normal(0.35, 0.25, 300), 0, 1), 2).astype(float)  # many ties
WEIGHTS = RANDOM.uniform(0.1, 3.0, (1, 300))


def test_measures_are_those_that_everybody_knows() -> None:
    said, w = CHANCES >= 0.5, WEIGHTS[0]
    for mine, theirs in (
        (auroc, roc_auc_score(LABELS, CHANCES, sample_weight=w)),
        (balanced_accuracy, balanced_accuracy_score(LABELS, said, sample_weight=w)),
        (f1, f1_score(LABELS, said, sample_weight=w)),
        (brier, brier_score_loss(LABELS, CHANCES, sample_weight=w)),
    ):
        assert mine(LABELS, CHANCES, WEIGHTS)[0] == pytest.approx(theirs), mine.__name__


def test_calibration_error_is_the_distance_of_said_from_seen() -> None:
    labels = np.array([0.0, 1.0, 1.0, 1.0])
    assert ece(labels, np.array([0.25, 0.25, 0.95, 0.95]), np.ones((1, 4)))[0] == pytest.approx(0.15)
    assert ece(labels, labels, np.ones((1, 4)))[0] == 0.0


@pytest.mark.parametrize("name", ["auroc", "balanced_accuracy"])
def test_what_one_class_cannot_tell_is_not_told(name: str) -> None:
    values = MEASURES[name](np.ones(5), np.linspace(0, 1, 5), np.ones((3, 5)))
    assert np.isnan(values).all()
    assert estimate(values).as_json() is None


def test_the_interval_of_a_mean_is_about_what_theory_says() -> None:
    labels = (np.random.default_rng(1).random(900) < 0.4).astype(float)
    draws = draw_weights(np.arange(900), np.ones(900), seed=2)
    found = estimate(brier(labels, np.full(900, 0.5), draws) * 0 + (draws @ labels) / draws.sum(axis=1))
    expected = 1.96 * np.sqrt(0.4 * 0.6 / 900)
    assert found.value == pytest.approx(labels.mean())
    assert (found.high - found.low) / 2 == pytest.approx(expected, rel=0.15)


def test_rows_that_stand_together_make_the_interval_wider() -> None:
    labels = np.repeat((np.random.default_rng(1).random(90) < 0.4).astype(float), 10)
    means = []
    for clusters in (np.arange(900), np.arange(900) // 10):
        draws = draw_weights(clusters, np.ones(900), seed=2)
        found = estimate((draws @ labels) / draws.sum(axis=1))
        means.append(found.high - found.low)
    assert means[1] > 2 * means[0]
