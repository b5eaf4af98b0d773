"""One case measured: ranks, refusals, texts, and what is left unmeasured."""

from __future__ import annotations

import pytest

from judges.gate.ranking import find_gold, rank
from judges.gate.result import Demand
from judges.golden import Kind
from schemas.scored import Scores
from schemas.taxonomy import Coverage
from schemas.trace import Chunk
from tests.unit.judges.gate.cases import answered, chunk, golden, measured


def test_ranks_are_those_of_the_first_k_chunks() -> None:
    case = golden(gold_chunk_ids=("a", "b"), kind=Kind.MULTI_HOP)
    one = measured(case, answered("x", [chunk("n"), chunk("a"), chunk("m"), chunk("b")]), k=3)
    assert one.values["hit_at_k"] == 1.0
    assert one.values["mrr"] == 0.5
    assert one.values["recall_at_k"] == 0.5
    assert one.values["context_precision"] == 0.5
    assert one.values["ndcg"] == pytest.approx(0.6309 / 1.6309, abs=1e-3)


def test_a_chunk_twice_is_one_gain() -> None:
    found = [frozenset({"a"}), frozenset({"a"})]
    assert rank(found, wanted=2, k=5)["recall_at_k"] == 0.5


def test_gold_is_known_by_its_text_where_an_index_has_new_ids() -> None:
    text = "The reset link is valid for 30 minutes."
    case = golden(gold_chunk_ids=("old",), gold_texts={"old": text})
    chunks = [
        Chunk(id="new-1", text="Something else."),
        Chunk(id="new-2", text=f"Passwords.\n{text}  Really."),
    ]
    assert find_gold(case, chunks) == [frozenset(), frozenset({"old"})]


def test_with_a_reranker_both_orders_are_measured() -> None:
    case = golden(gold_chunk_ids=("a",))
    chunks = [chunk("n", score=0.1, rerank_score=0.9), chunk("a", score=0.8, rerank_score=0.2)]
    one = measured(case, answered("x", chunks))
    assert (one.values["mrr"], one.values["rerank_mrr"]) == (1.0, 0.5)


def test_an_empty_retrieval_scores_nothing_and_an_unrecorded_one_is_not_measured() -> None:
    case = golden(gold_chunk_ids=("a",), reference_answer="30 minutes.")
    empty, unseen = measured(case, answered("x", [])), measured(case, answered("x", None))
    assert empty.values["hit_at_k"] == empty.values["found_anything"] == empty.values["context_recall"] == 0.0
    assert unseen.gaps["hit_at_k"] == unseen.gaps["found_anything"] == "not_recorded"
    assert "hit_at_k" not in unseen.values


def test_chunks_without_ids_are_not_measured_by_ids() -> None:
    one = measured(golden(gold_chunk_ids=("a",)), answered("x", [chunk(None)]))
    assert one.gaps["recall_at_k"] == "no_chunk_ids"


def test_context_recall_is_how_far_the_chunks_hold_the_reference() -> None:
    case = golden(reference_answer="30 minutes.")
    one = measured(case, answered("x", [chunk("a")], reference=Scores("s", faithfulness=0.5)))
    assert one.values["context_recall"] == 0.5


@pytest.mark.parametrize(("should", "did", "right"), [(True, True, 1), (True, False, 0), (False, True, 0)])
def test_a_refusal_is_right_where_the_set_says_so(should: bool, did: bool, right: float) -> None:
    one = measured(golden(should_refuse=should), answered("No.", [chunk("a")], refusal=did))
    assert one.values["refusal_correctness"] == right
    assert one.passed is bool(right)


def test_a_refusal_has_no_faithfulness_and_an_error_no_refusal() -> None:
    refused = measured(golden(), answered("No.", [chunk("a")], refusal=True, faithfulness=None))
    assert "faithfulness" not in refused.values.keys() | refused.gaps.keys()
    failed = measured(golden(), answered(None, [chunk("a")], error="timeout"))
    assert failed.values["answered"] == 0.0
    assert "refusal_correctness" not in failed.values.keys() | failed.gaps.keys()


def test_what_the_student_could_not_look_at_is_a_gap_with_its_reason() -> None:
    one = measured(golden(), answered("x", [], faithfulness=None, coverage=Coverage.NO_CONTEXT))
    assert one.gaps["faithfulness"] == "no_context"


@pytest.mark.parametrize("answer", ["It is ３０ minutes.", "IT IS 30\nMINUTES."])
def test_texts_are_looked_for_whatever_the_layout(answer: str) -> None:
    case = golden(must_contain=("30 minutes",), must_not_contain=("24 hours",))
    assert measured(case, answered(answer, [chunk("a")])).values["texts"] == 1.0


def test_texts_that_do_not_hold_are_named() -> None:
    case = golden(must_contain=("30 minutes",), must_not_contain=("24 hours",))
    one = measured(case, answered("It is 24 hours.", [chunk("a")]))
    assert [(check.demand, check.about) for check in one.failed] == [
        (Demand.MUST_CONTAIN, "30 minutes"),
        (Demand.MUST_NOT_CONTAIN, "24 hours"),
    ]


def test_a_minimum_that_was_not_measured_is_not_held() -> None:
    one = measured(golden(minima={"hit_at_k": 1.0}), answered("x", [chunk("a")]))
    assert not one.passed
    assert "not measured" in one.failed[0].detail


def test_a_minimum_of_no_metric_is_refused() -> None:
    with pytest.raises(ValueError, match="hit_at_kk"):
        measured(golden(minima={"hit_at_kk": 1.0}), answered("x", [chunk("a")]))


def test_a_multi_hop_question_needs_all_of_its_chunks() -> None:
    case = golden(gold_chunk_ids=("a", "b"), kind=Kind.MULTI_HOP)
    one = measured(case, answered("x", [chunk("a")]))
    assert [check.detail for check in one.failed] == ["1 of 2 gold chunks found"]


def test_a_case_without_an_answer_measures_nothing_and_does_not_pass() -> None:
    one = measured(golden(gold_chunk_ids=("a",), must_contain=("x",)), None)
    assert not one.values
    assert not one.passed
    assert one.gaps["hit_at_k"] == one.gaps["texts"] == "no_answer_given"


def test_judges_have_metrics_of_their_own() -> None:
    opinion = {
        "faithfulness": 0.5,
        "answer_relevance": None,
        "context_precision": 1.0,
        "context_recall": None,
        "refusal": False,
        "not_measured": {"answer_relevance": "truncated", "context_recall": "no_gold_answer"},
    }
    one = measured(golden(), answered("x", [chunk("a")], opinion=opinion))
    assert one.values["judged_faithfulness"] == 0.5
    assert one.values["judged_refusal_correctness"] == 1.0
    assert one.gaps["judged_answer_relevance"] == "truncated"
    assert "judged_context_recall" not in one.gaps  # there is no reference: it makes no sense of this case


def test_judges_that_failed_leave_gaps() -> None:
    one = measured(golden(), answered("x", [chunk("a")], opinion={"error": "over_budget", "detail": ""}))
    assert one.gaps["judged_faithfulness"] == one.gaps["judged_refusal_correctness"] == "over_budget"
