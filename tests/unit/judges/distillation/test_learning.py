"""What is learned: from bags and from marks, on top of the parent, never from the label that is judged."""

from __future__ import annotations

from dataclasses import replace

import lightgbm
import numpy as np
import pytest

from judges.distillation.distill import Plan, distill
from judges.distillation.measured import Claims, measure_claims
from judges.distillation.residual import FOLDS, Lessons, _claim_labels, fit_residual
from judges.distillation.split import fold_of, split_examples
from judges.distillation.trees import Boost, fit_boost, read_trees
from judges.distilled.student import StudentScorer
from tests.support.weights import shipped
from tests.unit.judges.distillation.made import simulated, traffic

PARENT = shipped("parent-1")


def silent(what: str, done: int, total: int) -> None:
    assert 0 <= done <= total, what


def lessons(count: int, seed: int) -> tuple[Claims, Lessons]:
    examples = [e for e in simulated(count, seed) if e.label.hallucination is not None]
    claims = measure_claims([e.trace for e in examples], silent)
    kept = [e for e, measured in zip(examples, claims.measured, strict=True) if measured]
    clusters = split_examples(kept, seed).clusters
    return claims.only_measured(), Lessons(
        bad=np.array([float(bool(e.label.hallucination)) for e in kept]),
        weight=np.ones(len(kept)),
        spans=[None] * len(kept),
        fold=fold_of(clusters, FOLDS, seed),
    )


def test_trees_score_as_the_library_that_fitted_them() -> None:
    random = np.random.default_rng(3)
    rows = random.normal(size=(600, 5)).astype(np.float32)
    labels = (rows[:, 0] * rows[:, 1] + random.normal(size=600) > 0).astype(float)
    data = lightgbm.Dataset(rows, labels)
    model = lightgbm.train({"objective": "binary", "verbose": -1, "num_threads": 1}, data, num_boost_round=30)
    forest = read_trees(model.dump_model()["tree_info"])
    assert forest.score(rows) == pytest.approx(model.predict(rows, raw_score=True), abs=1e-5)


def test_trees_begin_where_the_parent_ends_and_are_the_same_for_the_same_seed() -> None:
    random = np.random.default_rng(3)
    rows = random.normal(size=(900, 3)).astype(np.float32)
    start = 2.0 * rows[:, 0].astype(np.float64)
    labels = (random.random(900) < 1 / (1 + np.exp(-start))).astype(float)
    how = Boost(rounds=20, leaves=4)
    first, again = (fit_boost(rows, labels, np.ones(900), start, how, seed=5).score(rows) for _ in range(2))
    assert (first == again).all()
    from_nothing = fit_boost(rows, labels, np.ones(900), np.zeros(900), how, seed=5).score(rows)
    assert np.abs(first).mean() < np.abs(from_nothing).mean() / 2  # little is left to learn


def test_claims_of_a_good_answer_are_good_and_of_a_bad_one_only_the_worst_is_bad() -> None:
    claims, taught = lessons(300, seed=2)
    logits = np.random.default_rng(1).normal(size=len(claims.owner))
    labels, weights = _claim_labels(claims, taught, logits)
    for trace, bad in enumerate(taught.bad):
        mine = slice(claims.first[trace], claims.first[trace + 1])
        if not bad:
            assert not labels[mine].any()
            assert (weights[mine] > 0).all()
        else:
            assert labels[mine].sum() == 1
            assert (weights[mine] > 0).sum() == 1
            assert labels[mine].argmax() == logits[mine].argmax() == weights[mine].argmax()


def test_marks_say_which_claims_are_bad() -> None:
    claims, taught = lessons(300, seed=2)
    count = np.diff(claims.first)
    trace = next(i for i in range(len(count)) if taught.bad[i] and count[i] >= 2)
    last = claims.spans(trace)[-1]
    spans = list(taught.spans)
    spans[trace] = ((last.start, last.end),)
    taught.spans = spans
    labels, weights = _claim_labels(claims, taught, -np.arange(float(len(claims.owner))))
    mine = slice(claims.first[trace], claims.first[trace + 1])
    assert labels[mine].tolist() == [0.0] * (count[trace] - 1) + [1.0]
    assert (weights[mine] > 0).all()


def test_no_logit_comes_from_trees_that_saw_its_label() -> None:
    """Turn round the labels of one fold: its unseen logits must not move by what its own labels say."""
    claims, taught = lessons(500, seed=6)
    before = fit_residual(claims, taught, PARENT, 0, silent)
    turned = Lessons(
        np.where(taught.fold == 2, 1 - taught.bad, taught.bad), taught.weight, taught.spans, taught.fold
    )
    after = fit_residual(claims, turned, PARENT, 0, silent)
    if before.rounds == after.rounds:
        mine = taught.fold == 2
        assert after.unseen[mine] == pytest.approx(before.unseen[mine])
    assert (before.parent_unseen == after.parent_unseen).all()


def test_a_candidate_is_its_parent_with_more_trees_and_serves_what_was_measured() -> None:
    examples = simulated(900, seed=9)
    made = distill(examples, PARENT, Plan("new-1", "2026-11-30T12:00:00+00:00"), silent)
    forests, old = made.weights.forests, PARENT.forests
    assert len(forests["claim"].root) == len(old["claim"].root) + made.report["trees_added"]
    assert (forests["claim"].value[: len(old["claim"].value)] == old["claim"].value).all()
    assert forests["trace"] is old["trace"]
    assert made.weights.manifest.parent == "parent-1"
    later = [trace for trace, _ in traffic(40, seed=10)]
    scores = StudentScorer(made.weights).score(later)
    assert len({round(s.hallucination, 6) for s in scores if s.hallucination is not None}) > 2


def test_a_head_that_was_not_learned_stays_as_it_was() -> None:
    claim = PARENT.forests["claim"]
    arrays = {**PARENT.arrays, "a": np.ones(3)}
    parent = replace(PARENT, forests={**PARENT.forests, "other": claim}, arrays=arrays)
    made = distill(simulated(900, seed=9), parent, Plan("new-1", "x"), silent)
    assert made.weights.forests["other"] is claim
    assert made.weights.arrays["a"].tolist() == [1.0, 1.0, 1.0]
