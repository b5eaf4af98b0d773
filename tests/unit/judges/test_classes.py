"""Which stage failed first, as learned: what a trace admits, and what a scorer with such heads says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from judges.distilled.heads.apply import RULES_SAY
from judges.distilled.heads.calibration import ANY_LANGUAGE, Calibration
from judges.distilled.heads.chunk_vectors import CHUNK_FEATURES
from judges.distilled.heads.class_vectors import CLASS_FEATURES
from judges.distilled.heads.classes import CLASSES, admit, forest_name
from judges.distilled.heads.weights import Weights, WeightsRefused
from judges.distilled.student import StudentScorer
from judges.triage import triage
from schemas.scored import Scores
from schemas.taxonomy import HEALTHY, Failure
from tests.unit.judges.student import make_stump, make_weights
from tests.unit.judges.traces import CHUNKS, make_trace

REWRITE, POOR, REFUSED, INVENTED, WELL = range(len(CLASSES))


def allowed(*, follows: bool = False, **fields: Any) -> list[str]:
    row = admit([Scores(scorer_version="test", **fields)], [follows])[0]
    return [name for name, flag in zip(CLASSES, row.tolist(), strict=True) if flag]


def test_an_answer_is_invented_if_its_score_says_so_and_only_then() -> None:
    assert allowed(hallucination=0.5) == [Failure.POOR_RETRIEVAL, Failure.HALLUCINATION]
    assert allowed(hallucination=0.49) == [Failure.POOR_RETRIEVAL, HEALTHY]


def test_a_refusal_is_right_or_one_too_many() -> None:
    assert allowed(refusal=True) == [Failure.POOR_RETRIEVAL, Failure.OVER_REFUSAL]


@pytest.mark.parametrize(
    ("state", "held", "expected"),
    [("missing", 0.49, True), ("missing", 0.5, False), ("wrong", 0.34, True), ("wrong", 0.35, False)],
)
def test_a_follow_up_goes_astray_unless_a_chunk_speaks_of_its_topic(
    state: str, held: float, expected: bool
) -> None:
    signals: dict[str, Any] = {"rewrite_state": state, "history_cover": held}
    assert (Failure.REWRITE_FAILURE in allowed(follows=True, signals=signals)) is expected
    assert Failure.REWRITE_FAILURE not in allowed(follows=False, signals=signals)


def with_stages(**logits: float) -> Weights:
    """Tiny weights that say the same of every chunk, and of every trace what `logits` say."""
    weights = make_weights()
    forests = dict(weights.forests)
    arrays: dict[str, Any] = {}
    for language in ("en", "zh"):
        forests[f"sufficiency_{language}"] = make_stump()
        arrays |= {
            f"sufficiency.{language}.linear": np.zeros(len(CHUNK_FEATURES) + 1),
            f"sufficiency.{language}.pool": np.array([0.0, 0.0, 0.0, 0.0, 2.0]),
            f"sufficiency.{language}.blend": np.array([1.0, 0.0, 0.0]),
        }
    curves = dict(weights.calibration)
    for name in CLASSES:
        logit = logits.get(name, -3.0)
        forests[forest_name(name)] = make_stump(low=logit, high=logit)
        curves[forest_name(name)] = {ANY_LANGUAGE: Calibration.line(1.0, 0.0)}
    return replace(weights, forests=forests, arrays=arrays, calibration=curves)


LONG = (
    *CHUNKS,
    *("Sleeping bags are washed at thirty degrees and dried flat in the shade." for _ in range(12)),
)


def test_learned_heads_fill_in_sufficiency_and_classes() -> None:
    trace = make_trace(chunks=LONG)
    [scores] = StudentScorer(with_stages(poor_retrieval=3.0)).score([trace])
    assert scores.context_sufficiency == pytest.approx(1 / (1 + np.exp(-2.0)))
    assert scores.classes is not None
    assert sum(scores.classes.values()) == pytest.approx(1.0)
    assert triage(trace, scores).failure is Failure.POOR_RETRIEVAL


def test_a_context_shorter_than_any_that_taught_is_left_to_the_rules() -> None:
    with_heads, without = (
        StudentScorer(w).score([make_trace()])[0] for w in (with_stages(poor_retrieval=3.0), make_weights())
    )
    assert with_heads.classes is None
    assert with_heads.context_sufficiency == without.context_sufficiency


def test_between_classes_that_are_as_likely_the_rules_decide() -> None:
    chances = (
        StudentScorer(with_stages(poor_retrieval=0.0, hallucination=0.0, healthy=0.0))
        .score([make_trace(chunks=LONG)])[0]
        .classes
    )
    assert chances is not None
    best, following = sorted(chances.values(), reverse=True)[:2]
    assert best == pytest.approx(RULES_SAY * following)


@pytest.mark.parametrize("trace", [make_trace(chunks=[]), make_trace(retrieval=None), make_trace(answer="")])
def test_what_was_not_measured_has_no_classes(trace: Any) -> None:
    [scores] = StudentScorer(with_stages()).score([trace])
    assert scores.classes is None


def test_weights_without_these_heads_leave_the_rules_in_charge() -> None:
    [scores] = StudentScorer(make_weights()).score([make_trace()])
    assert scores.classes is None
    assert scores.context_sufficiency is not None


def test_half_a_head_is_refused_in_one_sentence() -> None:
    whole = with_stages()
    forests = {name: f for name, f in whole.forests.items() if name != forest_name(CLASSES[-1])}
    with pytest.raises(WeightsRefused, match="half of a head"):
        StudentScorer(replace(whole, forests=forests))


def test_a_trace_is_classified_alike_alone_and_in_a_batch() -> None:
    scorer = StudentScorer(with_stages(healthy=1.0))
    traces = [
        make_trace(chunks=LONG),
        make_trace(question="门票多少钱？", answer="30元。", chunks=["门票30元。"]),
        make_trace(history=[{"role": "user", "content": "What is it?"}], rewritten_query="What is the lamp?"),
    ]
    alone = [scorer.score([t])[0].classes for t in traces]
    assert [s.classes for s in scorer.score(traces)] == [pytest.approx(classes) for classes in alone]


def test_columns_have_names_of_their_own() -> None:
    assert len(set(CLASS_FEATURES)) == len(CLASS_FEATURES)
    assert len(set(CHUNK_FEATURES)) == len(CHUNK_FEATURES)
