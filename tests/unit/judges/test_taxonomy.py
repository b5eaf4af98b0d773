"""The words for failures, and how they map to the vocabularies of others."""

from __future__ import annotations

import pytest

from schemas.taxonomy import (
    FAILURES,
    FIVE_WAY,
    KNOWLEDGE_BASE,
    MISSING_REJECTION,
    UNSUPPORTED_CITATION,
    Failure,
    five_way,
    knowledge_base,
)

FIVE = {"retrieval_failure", "hallucination", "incomplete_answer", "off_topic", "missing_rejection"}
FOUR = {"index gap", "retrieval miss", "false refusal", "wrong condition", None}


def test_the_order_of_blame_runs_from_upstream_to_downstream() -> None:
    assert [f.value for f in FAILURES] == [
        "system_error",
        "rewrite_failure",
        "empty_recall",
        "poor_retrieval",
        "over_refusal",
        "hallucination",
    ]


@pytest.mark.parametrize("failure", list(Failure))
def test_every_failure_has_a_name_in_the_other_vocabularies(failure: Failure) -> None:
    assert FIVE_WAY[failure] in FIVE
    assert KNOWLEDGE_BASE[failure] in FOUR
    assert five_way(failure) in FIVE


def test_a_healthy_trace_has_no_name_there() -> None:
    assert five_way(None) is None
    assert knowledge_base(None) is None


@pytest.mark.parametrize("failure", [Failure.EMPTY_RECALL, Failure.POOR_RETRIEVAL])
def test_an_answer_without_context_is_a_missing_rejection(failure: Failure) -> None:
    assert five_way(failure, parametric_leak=True) == MISSING_REJECTION
    assert five_way(failure, parametric_leak=False) == "retrieval_failure"


def test_a_leak_renames_no_other_failure() -> None:
    assert five_way(Failure.HALLUCINATION, parametric_leak=True) == "hallucination"


def test_a_hallucination_with_wrong_citations_is_an_unsupported_citation() -> None:
    assert knowledge_base(Failure.HALLUCINATION, citation_precision=0.2) == UNSUPPORTED_CITATION
    assert knowledge_base(Failure.HALLUCINATION, citation_precision=0.9) == "wrong condition"
    assert knowledge_base(Failure.HALLUCINATION) == "wrong condition"
    assert knowledge_base(Failure.OVER_REFUSAL, citation_precision=0.0) == "false refusal"
