"""The learned scorer: training and serving measure by one code path, and it explains what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from judges.distillation.rows import Row
from judges.distillation.table import build_table
from judges.distilled.heads.calibration import calibrate
from judges.distilled.heads.forest import Forest
from judges.distilled.heads.vectors import (
    CLAIM_FEATURES,
    TRACE_FEATURES,
    claim_vectors,
    describe_traces,
    fill_judged,
    trace_vectors,
)
from judges.distilled.heads.weights import Weights
from judges.distilled.measuring.batch import read_case
from judges.distilled.measuring.features import measure
from judges.distilled.student import StudentScorer
from schemas.taxonomy import Coverage
from tests.unit.judges.measured import trace_of
from tests.unit.judges.student import make_weights

CHUNKS = (
    "The Fjell tent weighs 2.1 kg and costs 349 euros. It has room for two people.",
    "Shipping to Norway takes eight working days. Returns are free within 30 days of delivery.",
)
ZH_CHUNKS = ("帐篷重2.1公斤，价格为349欧元，可住两人。", "运往挪威需要八个工作日。")
RECORD = '{"name": "Fjell", "OutdoorSeating": false, "stars": 4.5, "parking": {"garage": true, "lot": null}}'
ROWS = [
    ("The Fjell tent weighs 2.1 kg. It was designed in Bergen by Ola Nordmann.", CHUNKS, True),
    ("It weighs 2.1 kg.", CHUNKS, False),
    ("1. Shipping takes eight working days.\n2. Returns are free; the tent is waterproof.", CHUNKS, True),
    ("帐篷重2.1公斤。帐篷由王小明设计。", ZH_CHUNKS, True),
    ("运往挪威需要八个工作日。", ZH_CHUNKS, False),
    ("Fjell has 4.5 stars and outdoor seating.", (RECORD,), True),
    ("Yes.", (), False),
    ("", CHUNKS, False),
]


def make_rows() -> list[Row]:
    return [
        Row(
            source="made",
            task="QA",
            language="en",
            question="How much does it weigh?",
            contexts=contexts,
            answer=answer,
            bad=bad,
            spans=None,
            group=str(i),
            may_ship=True,
            split="train",
        )
        for i, (answer, contexts, bad) in enumerate(ROWS)
    ]


def random_forest(columns: int, seed: int, trees: int = 40) -> Forest:
    """Trees of three leaves that look at every column."""
    random = np.random.default_rng(seed)
    nodes = 5 * trees
    feature = np.full(nodes, -1, dtype=np.int16)
    left = np.zeros(nodes, dtype=np.int32)
    roots = np.arange(trees, dtype=np.int32) * 5
    feature[roots], left[roots] = random.integers(0, columns, trees), roots + 1
    feature[roots + 1], left[roots + 1] = random.integers(0, columns, trees), roots + 3
    return Forest(
        feature=feature,
        threshold=random.normal(0.5, 1.0, nodes).astype(np.float32),
        left=left,
        value=random.normal(0, 0.3, nodes).astype(np.float32),
        root=roots,
    )


def busy_weights() -> Weights:
    forests = {
        "claim": random_forest(len(CLAIM_FEATURES), 1, 120),
        "trace": random_forest(len(TRACE_FEATURES), 2, 120),
    }
    return replace(make_weights(), forests=forests)


def test_training_and_serving_measure_the_same() -> None:
    rows, weights = make_rows(), busy_weights()
    table = build_table(rows, lambda *_: None)
    claims = weights.forests["claim"].score(table.vectors)
    logits = weights.forests["trace"].score(table.trace_vectors(claims))
    chances = calibrate(weights.calibration["trace"], logits, [v or None for v in table.language.tolist()])
    served = StudentScorer(weights).score([row.trace() for row in rows])
    measured = [
        (s.hallucination, c) for s, c in zip(served, chances, strict=True) if s.hallucination is not None
    ]
    assert len(measured) == 6
    assert len({round(c, 9) for _, c in measured}) > 3
    for hallucination, chance in measured:
        assert hallucination == pytest.approx(chance, abs=1e-12)


def test_every_column_is_a_number_for_every_answer() -> None:
    table = build_table(make_rows(), lambda *_: None)
    assert table.vectors.shape[1] == len(CLAIM_FEATURES) == len(set(CLAIM_FEATURES))
    assert table.described.shape == (len(ROWS), len(TRACE_FEATURES))
    assert len(set(TRACE_FEATURES)) == len(TRACE_FEATURES)
    assert np.isfinite(table.vectors).all()
    assert np.isfinite(table.trace_vectors(np.linspace(-30, 30, len(table.vectors)))).all()


def test_vectors_do_not_depend_on_the_rest_of_the_batch() -> None:
    cases = [read_case(row.trace()) for row in make_rows()]
    together = measure(cases)
    vectors = claim_vectors(together)
    traces = trace_vectors(together, np.zeros(len(vectors)), vectors)
    for i, case in enumerate(cases):
        alone = measure([case])
        first, last = together.part.claim_first[i : i + 2]
        assert claim_vectors(alone) == pytest.approx(vectors[first:last], abs=1e-5)
        assert trace_vectors(alone, np.zeros(last - first))[0] == pytest.approx(traces[i], abs=1e-5)


def test_what_the_claim_forest_says_is_filled_in_apart() -> None:
    features = measure([read_case(row.trace()) for row in make_rows()])
    vectors = claim_vectors(features)
    logits = np.linspace(-3, 3, len(vectors))
    table = describe_traces(features, vectors)
    fill_judged(table, features.part.claim_first, vectors, logits)
    assert (table == trace_vectors(features, logits)).all()
    worst = table[:, TRACE_FEATURES.index("worst")]
    assert worst[0] == pytest.approx(logits[:2].max())
    assert worst[-1] < -5  # no claim at all


def test_the_claim_with_least_support_comes_first_and_says_why() -> None:
    scores = StudentScorer(make_weights()).score([trace_of(ROWS[0][0], CHUNKS)])[0]
    first = scores.evidence[0]
    assert first.text == "It was designed in Bergen by Ola Nordmann."
    assert first.support < 0.5
    assert first.why
    assert scores.evidence[-1].why == ""
    assert scores.faithfulness == 0.5


def test_candidate_trees_stand_behind_those_of_the_parent() -> None:
    weights = busy_weights()
    more = random_forest(len(TRACE_FEATURES), 3)
    grown = replace(weights, forests={**weights.forests, "trace": weights.forests["trace"].extend(more)})
    rows = np.random.default_rng(0).normal(size=(30, len(TRACE_FEATURES))).astype(np.float32)
    expected = weights.forests["trace"].score(rows) + more.score(rows)
    assert grown.forests["trace"].score(rows) == pytest.approx(expected)
    kept = grown.forests["trace"].value[: len(weights.forests["trace"].value)]
    assert (kept == weights.forests["trace"].value).all()


def test_long_contexts_and_long_answers_are_cut_and_say_so() -> None:
    chunks = [f"Item {i}: the part {i * 7} fits the wheel {i % 9}. " * 60 for i in range(200)]
    answer = "The part 7 fits the wheel 1. " * 900
    scores = StudentScorer(busy_weights()).score([trace_of(answer, chunks)])[0]
    assert scores.coverage is Coverage.TRUNCATED
    assert scores.hallucination is not None
    assert 0.0 <= scores.hallucination <= 1.0


def test_a_slope_counts_beside_the_trees() -> None:
    forest = random_forest(3, 4)
    rows = np.random.default_rng(0).normal(size=(10, 3)).astype(np.float32)
    sloped = replace(forest, slope=np.array([0.0, 2.0], dtype=np.float32))
    assert sloped.score(rows) == pytest.approx(forest.score(rows) + 2.0 * rows[:, 1])
    assert sloped.extend(sloped, 0.5).score(rows) == pytest.approx(1.5 * sloped.score(rows))
    assert sloped.scale(0.5).score(rows) == pytest.approx(0.5 * sloped.score(rows))
