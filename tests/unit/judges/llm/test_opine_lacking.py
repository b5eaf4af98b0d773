"""What a trace lacks, and what was too long to be shown, is not measured."""

from __future__ import annotations

from typing import Any

import pytest

from judges.llm.asking import JudgeFailed, Reason
from judges.llm.material import PROMPT, PromptLimits
from schemas.trace import Chunk, Retrieval, Trace
from tests.support.filled_forms import Filled, claim, judge, opine_on, prompts_of, scores
from tests.support.judged_traces import DOCUMENTS, GOOD, trace_of
from tests.support.stand_in_llm import StandIn

both = pytest.mark.parametrize("language", ["en", "zh"])


# --- what the trace shows, and what it lacks ---


def test_a_failed_program_needs_no_judge() -> None:
    trace = trace_of("en", "healthy", answer=None, generation={"error": "timeout"})
    with StandIn(answer=Filled()) as llm:
        opinion = judge(trace, llm)
        assert not llm.chats
    assert (opinion.failure, opinion.failure_confidence) == ("system_error", 0.99)
    assert opinion.measured_by["failure"] == "trace"
    assert opinion.not_measured["faithfulness"] == "no_answer"
    assert "failure" not in opinion.not_measured


@both
def test_an_empty_retrieval_is_an_empty_recall_and_the_answer_is_judged_all_the_same(language: str) -> None:
    trace = trace_of(language, "healthy", retrieval={"chunks": []})
    with StandIn(answer=Filled([], scores(parametric_leak=True, failure="healthy"))) as llm:
        opinion = judge(trace, llm)
        assert len(llm.chats) == 1  # there is nothing to look claims up in
    assert opinion.failure == "empty_recall"
    assert opinion.parametric_leak is True
    assert opinion.faithfulness is None
    assert opinion.not_measured["faithfulness"] == "no_context"
    assert opinion.ratings == {"safety": 5}


@pytest.mark.parametrize(
    ("retrieval", "why"),
    [(None, "no_retrieval"), ({}, "not_recorded"), ({"chunks": [{"id": "a", "text": None}]}, "not_recorded")],
)
def test_without_recorded_documents_nothing_is_said_of_them(retrieval: Any, why: str) -> None:
    opinion = opine_on(trace_of("en", "healthy", retrieval=retrieval), [], scores())
    for name in ("faithfulness", "hallucination", "context_sufficiency", "context_precision", "failure"):
        assert getattr(opinion, name) is None
        assert opinion.not_measured[name] == why
    assert opinion.answer_relevance == 1.0
    assert opinion.ratings == {"safety": 5}


@both
def test_what_one_chunk_without_text_may_hold_is_not_missing(language: str) -> None:
    chunks = [{"text": DOCUMENTS[language][0]}, {"id": "b", "text": None}]
    trace = trace_of(language, "healthy", retrieval={"chunks": chunks})
    opinion = opine_on(trace, [claim("odd", "not_found")], scores(sufficiency="no", failure="hallucination"))
    for name in ("faithfulness", "hallucination", "context_sufficiency", "failure", "context_relevance"):
        assert opinion.not_measured[name] == "not_recorded"
    assert opinion.claims[0].void == "not_recorded"


@both
def test_the_context_in_the_prompt_is_one_document(language: str) -> None:
    retrieval = {"chunks": [{"id": "a"}], "prompt_context": DOCUMENTS[language][0]}
    trace = trace_of(language, "healthy", retrieval=retrieval, answer="A [1].")
    opinion = opine_on(trace, [claim("fact", quote=GOOD[language])])
    assert opinion.faithfulness == 1.0
    assert opinion.claims[0].chunk == PROMPT
    for name in ("context_precision", "citation_precision"):
        assert opinion.not_measured[name] == "prompt_context"


@pytest.mark.parametrize("answer", [None, "", "  \u200b "])
def test_a_trace_without_a_recorded_answer_is_not_judged(answer: str | None) -> None:
    trace = trace_of("en", "healthy", answer=answer, extra={"ragpulse_unrecorded": ["answer"]})
    with StandIn() as llm, pytest.raises(JudgeFailed) as failed:
        judge(trace, llm)
    assert failed.value.reason is Reason.NOT_JUDGEABLE


@both
@pytest.mark.parametrize("question", [None, "???", "？！"])
def test_without_a_question_what_compares_with_it_is_not_measured(
    language: str, question: str | None
) -> None:
    trace = trace_of(language, "healthy", question=question)
    opinion = opine_on(trace, [claim("fact", quote=GOOD[language])])
    assert opinion.faithfulness == 1.0
    for name in ("answer_relevance", "context_sufficiency", "context_relevance", "failure"):
        assert opinion.not_measured[name] == "no_question"


def test_another_language_is_judged_in_english_and_keeps_its_name() -> None:
    trace = Trace(
        trace_id="en", question="バッテリーは何時間持ちますか？", answer="十時間です。",
        retrieval=Retrieval(chunks=[Chunk(text="バッテリーは十時間持ちます。")]),
    )  # fmt: skip
    opinion = opine_on(trace, [claim("十時間", quote="バッテリーは十時間")])
    assert (opinion.language, opinion.faithfulness) == ("ja", 1.0)


# --- long texts ---


def test_what_may_stand_in_a_cut_document_is_not_missing() -> None:
    chunks = [{"text": DOCUMENTS["en"][0] + " Filler without a point." * 3_000}]
    trace = trace_of("en", "healthy", retrieval={"chunks": chunks})
    limits = PromptLimits(documents=500)
    claims = [claim("good", quote=GOOD["en"]), claim("odd", "not_found")]
    opinion = opine_on(trace, claims, scores(failure="hallucination", sufficiency="no"), limits=limits)
    assert opinion.truncated == ["chunk 0"]
    assert opinion.claims[1].label is None
    for name in ("faithfulness", "hallucination", "context_sufficiency", "failure", "refusal_correct"):
        assert getattr(opinion, name) is None
    assert opinion.not_measured["faithfulness"] == "truncated"


def test_what_was_found_in_a_cut_document_counts() -> None:
    chunks = [{"text": DOCUMENTS["en"][0] + " Filler without a point." * 3_000}]
    trace = trace_of("en", "healthy", retrieval={"chunks": chunks})
    opinion = opine_on(trace, [claim("good", quote=GOOD["en"])], limits=PromptLimits(documents=500))
    assert (opinion.faithfulness, opinion.context_sufficiency, opinion.failure) == (1.0, 1.0, "healthy")
    assert opinion.context_precision == 1.0
    wrong = claim("bad", "contradicted", GOOD["en"])
    said = scores(failure="hallucination")
    contradicted = opine_on(trace, [wrong], said, limits=PromptLimits(documents=500))
    assert (contradicted.hallucination, contradicted.failure) == (1.0, "hallucination")


def test_half_an_answer_is_not_rated() -> None:
    trace = trace_of("en", "healthy", answer="The RK3588 has an NPU. " * 500)
    opinion = opine_on(trace, [claim("good", quote=GOOD["en"])], limits=PromptLimits(answer=100))
    assert opinion.truncated == ["answer"]
    assert opinion.ratings == {}
    for name in ("faithfulness", "hallucination", "answer_relevance", "failure"):
        assert opinion.not_measured[name] == "truncated"


def test_a_hundred_chunks_of_200_000_characters_make_one_question_that_fits() -> None:
    chunks = [{"id": f"c{i}", "text": f"Passage {i}. " + "Nothing to see. " * 12_500} for i in range(100)]
    chunks[70]["text"] = DOCUMENTS["en"][0] + str(chunks[70]["text"])
    trace = trace_of("en", "healthy", retrieval={"chunks": chunks})
    with StandIn(answer=Filled([claim("good", quote=GOOD["en"])], scores(useful_documents=[71]))) as llm:
        opinion = judge(trace, llm)
        assert GOOD["en"] in prompts_of(llm)[0]
        assert max(map(len, prompts_of(llm))) < 80_000
    assert opinion.claims[0].chunk == 70
    assert opinion.not_measured["context_precision"] == "truncated"
    assert "chunk 0" in opinion.truncated


def test_a_context_that_holds_nothing_is_too_short_to_ask() -> None:
    with StandIn() as llm, pytest.raises(JudgeFailed) as failed:
        judge(trace_of("en", "healthy"), llm, limits=PromptLimits(context=2_000))
    assert failed.value.reason is Reason.TOO_LONG
    assert not llm.chats
