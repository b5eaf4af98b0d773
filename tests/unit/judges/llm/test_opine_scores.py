"""Each score in both languages, from a filled-in form."""

from __future__ import annotations

from typing import Any

import pytest

from judges.llm.asking import Opinion
from judges.llm.client import LlmJudge
from judges.llm.opine import form_opinion
from judges.llm.rubrics import load
from tests.support.filled_forms import Filled, claim, opine_on, prompts_of, scores
from tests.support.http_judges import with_judges
from tests.support.judged_traces import GOOD, INVENTED, trace_of
from tests.support.stand_in_llm import StandIn

both = pytest.mark.parametrize("language", ["en", "zh"])


# --- context ---


@both
@pytest.mark.parametrize(
    ("useful", "relevance", "precision"),
    [([1], 0.5, 1.0), ([2], 0.5, 0.5), ([1, 2], 1.0, 1.0), ([], 0.0, 0.0), ([9, 2, 2], 0.5, 0.5)],
)
def test_context_precision_asks_how_far_up_the_useful_documents_stand(
    language: str, useful: list[int], relevance: float, precision: float
) -> None:
    opinion = opine_on(trace_of(language, "healthy"), [], scores(useful_documents=useful))
    assert (opinion.context_relevance, opinion.context_precision) == (relevance, precision)


@both
def test_context_recall_counts_statements_whose_quotes_occur(language: str) -> None:
    found, lacking = {"statement": "one", "quote": GOOD[language]}, {"statement": "two", "quote": ""}
    trace = trace_of(language, "healthy", gold={"answer": "one. two."})
    opinion = opine_on(trace, [], scores(reference_statements=[found, lacking]))
    assert opinion.context_recall == 0.5
    invented = {"statement": "two", "quote": INVENTED[language]}
    voided = opine_on(trace, [], scores(reference_statements=[found, invented]))
    assert voided.context_recall is None
    assert voided.not_measured["context_recall"] == "invented_quote"
    without = opine_on(trace_of(language, "healthy"), [], scores(reference_statements=[found]))
    assert without.not_measured["context_recall"] == "no_gold_answer"


# --- relevance ---


@both
def test_relevance_by_marks_falls_with_what_is_left_unanswered(language: str) -> None:
    asks = [{"question": "a", "asks": "same"}, {"question": "b", "asks": "part"}]
    trace = trace_of(language, "healthy")
    whole = opine_on(trace, [], scores(reverse_questions=asks))
    assert whole.answer_relevance == 0.75
    assert whole.measured_by["answer_relevance"] == "marks"
    parts = [
        {"part": "RK3588", "answered": True},
        {"part": "NPU" if language == "en" else "算力", "answered": False},
    ]
    half = opine_on(trace, [], scores(reverse_questions=asks, parts=parts))
    assert half.answer_relevance == 0.375


@both
def test_parts_that_were_not_asked_for_cost_nothing(language: str) -> None:
    parts = [{"part": "RK3588", "answered": True}, {"part": "warranty 保修", "answered": False}]
    opinion = opine_on(trace_of(language, "healthy"), [], scores(parts=parts))
    assert opinion.answer_relevance == 1.0


@both
def test_with_an_embedder_relevance_is_measured_blind_on_the_claims(language: str) -> None:
    trace = trace_of(language, "healthy")
    filled = Filled(
        [claim("CLAIMED", quote=GOOD[language])], None, [trace.question or "", "totally else xyz"]
    )
    with StandIn(answer=filled) as llm:

        async def work(judges: list[LlmJudge]) -> Opinion:
            return await form_opinion(trace, None, judges[0], load("rag", language), embedder=judges[0])

        opinion = with_judges(work, llm, embedding_model="stand-in-embedder")
        blind = prompts_of(llm)[2]
        assert "CLAIMED" in blind
        assert (trace.question or "?") not in blind
        assert llm.calls["/v1/embeddings"] == 1
    assert opinion.measured_by["answer_relevance"] == "embeddings (judge-1)"
    assert opinion.answer_relevance is not None
    assert 0.5 < opinion.answer_relevance < 1.0  # one the same, one not


def test_without_embeddings_the_marks_stay_and_say_so() -> None:
    trace = trace_of("en", "healthy")
    with StandIn(answer=Filled([], None, ["What?"])) as llm:
        opinion = with_judges(
            lambda judges: form_opinion(trace, None, judges[0], load("rag", "en"), embedder=judges[0]), llm
        )
    assert opinion.measured_by["answer_relevance"].startswith("marks (")
    assert opinion.answer_relevance == 1.0


# --- refusals, leaks, ratings, triage ---


@both
@pytest.mark.parametrize(
    ("refusal", "sufficiency", "gold", "expected"),
    [
        (True, "yes", None, False),
        (True, "no", None, True),
        (True, "partly", None, True),
        (False, "yes", None, None),
        (True, "yes", {"should_refuse": True}, True),
        (True, "no", {"should_refuse": False}, False),
        (False, "no", {"should_refuse": True}, False),
    ],
)
def test_a_refusal_is_correct_where_the_documents_do_not_hold_the_answer(
    language: str, refusal: bool, sufficiency: str, gold: dict[str, bool] | None, expected: bool | None
) -> None:
    trace = trace_of(language, "over_refusal", gold=gold)
    opinion = opine_on(trace, [], scores(refusal=refusal, sufficiency=sufficiency, failure="poor_retrieval"))
    assert opinion.refusal_correct is expected


@both
def test_a_refusal_is_neither_relevant_nor_accurate_nor_a_leak(language: str) -> None:
    said = scores(refusal=True, parametric_leak=True, failure="over_refusal")
    opinion = opine_on(trace_of(language, "over_refusal"), [], said)
    assert opinion.ratings == {"safety": 5}
    assert opinion.parametric_leak is False
    assert opinion.answer_relevance is None
    assert opinion.not_measured["rating_accuracy"] == "refusal"


@pytest.mark.parametrize(
    ("said", "claims"),
    [
        (scores(failure="over_refusal"), []),
        (scores(failure="hallucination", refusal=True), []),
        (scores(failure="hallucination"), [claim("good", quote=GOOD["en"])]),
        (scores(failure="healthy"), [claim("wrong", "contradicted", GOOD["en"])]),
        (scores(failure="empty_recall"), []),
        (scores(failure="poor_retrieval"), []),
        (scores(failure="rewrite_failure"), []),
    ],
)
def test_a_class_that_its_own_findings_contradict_is_no_verdict(
    said: dict[str, Any], claims: list[dict[str, Any]]
) -> None:
    opinion = opine_on(trace_of("en", "healthy"), claims, said)
    assert opinion.failure is None
    assert opinion.not_measured["failure"] == "inconsistent"


def test_words_are_kept_with_the_verdict() -> None:
    said = scores(
        failure="poor_retrieval", root_cause="old index", suggested_fix="index anew", sufficiency="no"
    )
    opinion = opine_on(trace_of("en", "healthy"), [], said)
    assert (opinion.root_cause, opinion.suggested_fix) == ("old index", "index anew")
    assert "nothing failed" in opinion.rationale
    assert opinion.failure_confidence == 0.95


def test_a_rewrite_fails_only_where_there_was_something_to_rewrite() -> None:
    said = scores(failure="rewrite_failure", sufficiency="no")
    assert opine_on(trace_of("en", "healthy"), [], said).failure == "rewrite_failure"
    alone = opine_on(trace_of("en", "healthy", history=[]), [], said)
    assert alone.not_measured["failure"] == "inconsistent"


@both
@pytest.mark.parametrize(
    ("failure", "found", "settled"),
    [
        ("hallucination", {}, "poor_retrieval"),
        ("over_refusal", {"refusal": True}, "poor_retrieval"),
        ("healthy", {"refusal": True}, "poor_retrieval"),
        ("healthy", {"parametric_leak": True}, "poor_retrieval"),
        ("healthy", {}, "healthy"),  # thanks need no documents
        ("rewrite_failure", {}, "rewrite_failure"),
        ("system_error", {}, "system_error"),
    ],
)
def test_where_the_documents_lack_the_answer_the_retrieval_failed_first(
    language: str, failure: str, found: dict[str, Any], settled: str
) -> None:
    said = scores(failure=failure, sufficiency="no", **found)
    opinion = opine_on(trace_of(language, "healthy"), [claim("odd", "not_found")], said)
    assert opinion.failure == settled
    assert opinion.measured_by["failure"] == ("judge" if settled == failure else "order of blame")
