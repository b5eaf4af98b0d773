"""One judge's opinion, asked over HTTP: each score in both languages, and what is not measured."""

from __future__ import annotations

from typing import Any

import pytest

from judges.llm.asking import JudgeFailed, Opinion, Reason
from judges.llm.client import LlmJudge
from judges.llm.material import PROMPT, PromptLimits
from judges.llm.opine import form_opinion
from judges.llm.rubrics import load
from schemas.trace import Trace
from tests.support.filled_forms import Filled, claim, opine_on, prompts_of, scores
from tests.support.http_judges import with_judges
from tests.support.judged_traces import DOCUMENTS, trace_of
from tests.support.obedient_judge import ObedientModel
from tests.support.stand_in_llm import PROSE, REFUSAL, UNAUTHORIZED, WELL, Behaviour, StandIn

both = pytest.mark.parametrize("language", ["en", "zh"])
GOOD = {"en": "an NPU with 6 TOPS of computing power", "zh": "算力为 6 TOPS 的神经网络处理单元"}
INVENTED = {"en": "an NPU with 60 TOPS, the fastest there is", "zh": "业界最快的 60 TOPS 处理单元"}


def judge(trace: Trace, llm: StandIn, **options: Any) -> Opinion:
    async def work(judges: list[LlmJudge]) -> Opinion:
        rubric = load("rag", trace.trace_id[:2])
        return await form_opinion(trace, None, judges[0], rubric, **options)

    return with_judges(work, llm)


# --- one trace of each kind, judged by the words in it ---


@both
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("healthy", {"failure": "healthy", "faithfulness": 1.0, "hallucination": 0.0, "refusal": False}),
        ("hallucination", {"failure": "hallucination", "faithfulness": 0.0, "hallucination": 1.0}),
        ("over_refusal", {"failure": "over_refusal", "refusal": True, "refusal_correct": False}),
        (
            "poor_retrieval",
            {"failure": "poor_retrieval", "parametric_leak": True, "context_sufficiency": 0.0},
        ),
    ],
)
def test_each_kind_of_trace_is_told_in_two_calls(language: str, kind: str, expected: dict[str, Any]) -> None:
    with StandIn(answer=ObedientModel()) as llm:
        opinion = judge(trace_of(language, kind), llm)
        assert len(llm.chats) == 2
    assert {name: getattr(opinion, name) for name in expected} == expected
    assert (opinion.rubric, opinion.rubric_version, opinion.language) == ("rag", "1", language)
    assert opinion.usage.calls == 2
    assert opinion.served_by == "stand-in-1"
    assert opinion.truncated == []


@both
def test_the_prompt_is_in_the_language_of_the_trace(language: str) -> None:
    with StandIn(answer=ObedientModel()) as llm:
        judge(trace_of(language, "healthy"), llm)
        system = llm.chats[0].body["messages"][0]["content"]
    assert ("只以文档为准" in system) == (language == "zh")
    assert ("ONLY THE DOCUMENTS COUNT" in system) == (language == "en")


@both
def test_the_same_trace_is_the_same_question(language: str) -> None:
    with StandIn(answer=ObedientModel()) as llm:

        async def work(judges: list[LlmJudge]) -> list[int]:
            rubric = load("rag", language)
            twice = [await form_opinion(trace_of(language, "healthy"), None, judges[0], rubric) for _ in "12"]
            return [opinion.usage.calls for opinion in twice]

        assert with_judges(work, llm) == [2, 0]


# --- claims and quotes ---


@both
def test_faithfulness_is_supported_claims_of_all_claims(language: str) -> None:
    claims = [claim(f"fact {i}", quote=GOOD[language]) for i in range(3)]
    claims.append(claim("other", "not_found"))
    opinion = opine_on(trace_of(language, "healthy"), claims, scores(failure="hallucination"))
    assert opinion.faithfulness == 0.75
    assert opinion.hallucination == 1.0
    assert [(c.label, c.chunk, c.verified) for c in opinion.claims[2:]] == [
        ("supported", 0, True),
        ("not_found", None, False),
    ]


@both
def test_a_claim_that_is_made_twice_counts_once(language: str) -> None:
    claims = [claim("It is fast.", quote=GOOD[language]), claim("it is  FAST", quote=GOOD[language])]
    opinion = opine_on(trace_of(language, "healthy"), [*claims, claim("odd", "not_found")])
    assert opinion.faithfulness == 0.5


@both
@pytest.mark.parametrize("label", ["supported", "contradicted"])
def test_an_invented_quote_voids_the_verdict(language: str, label: str) -> None:
    claims = [claim(f"fact {i}", quote=GOOD[language]) for i in range(3)]
    opinion = opine_on(trace_of(language, "healthy"), [*claims, claim("odd", label, INVENTED[language])])
    void = opinion.claims[-1]
    assert (void.label, void.claimed, void.void, void.verified) == (None, label, "invented_quote", False)
    assert opinion.faithfulness == 1.0  # of the three that stand
    assert opinion.hallucination is None
    assert opinion.not_measured["hallucination"] == "invented_quote"


@both
def test_with_too_many_invented_quotes_nothing_is_measured(language: str) -> None:
    claims = [claim("fact", quote=GOOD[language]), claim("odd", quote=INVENTED[language])]
    opinion = opine_on(trace_of(language, "healthy"), claims)
    assert opinion.faithfulness is None
    assert opinion.not_measured["faithfulness"] == "invented_quote"


@both
def test_one_contradicted_claim_is_a_hallucination_whatever_is_void(language: str) -> None:
    claims = [claim("odd", quote=INVENTED[language]), claim("wrong", "contradicted", GOOD[language])]
    opinion = opine_on(trace_of(language, "healthy"), claims, scores(failure="hallucination"))
    assert opinion.faithfulness is None
    assert opinion.hallucination == 1.0
    assert opinion.failure == "hallucination"


@both
def test_a_quote_under_the_wrong_number_is_put_right(language: str) -> None:
    opinion = opine_on(trace_of(language, "healthy"), [claim("fact", quote=GOOD[language], document=2)])
    assert opinion.claims[0].chunk == 0
    assert opinion.faithfulness == 1.0


def test_a_quote_may_not_join_what_was_cut_between() -> None:
    filler = "Nobody wrote anything about it on that day. " * 400
    text = f"The RK3588 has an NPU. {filler}The NPU of the RK3588 makes 6 TOPS."
    trace = Trace(
        trace_id="en", question="How many TOPS has the NPU?", answer="6 TOPS.",
        retrieval={"chunks": [{"text": text}]},
    )  # fmt: skip
    joined = claim("It makes 6 TOPS.", quote="The RK3588 has an NPU. The NPU of the RK3588 makes 6 TOPS.")
    opinion = opine_on(trace, [joined], limits=PromptLimits(documents=200))
    assert opinion.claims[0].void == "invented_quote"


@both
def test_without_claims_faithfulness_is_not_measured(language: str) -> None:
    opinion = opine_on(trace_of(language, "healthy"), [])
    assert opinion.faithfulness is None
    assert opinion.not_measured["faithfulness"] == "no_claims"
    refused = opine_on(trace_of(language, "over_refusal"), [], scores(refusal=True, failure="over_refusal"))
    assert refused.not_measured["faithfulness"] == "refusal"


# --- citations ---


@both
@pytest.mark.parametrize(
    ("answer", "cited", "holding", "expected"),
    [
        ("A [1].", [1], [1], 1.0),
        ("A [1][2].", [1, 2], [1], 0.5),
        ("A [7].", [7], [7], 0.0),  # there is no document 7
        ("A [1].", [1, 2], [1, 2], 1.0),  # the answer does not cite 2, whatever the judge says
        ("A.", [1], [1], None),
    ],
)
def test_citations_are_held_to_what_the_answer_cites(
    language: str, answer: str, cited: list[int], holding: list[int], expected: float | None
) -> None:
    said = claim("A", quote=GOOD[language], cited=cited, cited_holding=holding)
    opinion = opine_on(trace_of(language, "healthy", answer=answer), [said])
    assert opinion.citation_precision == expected
    assert opinion.not_measured.get("citation_precision") == (
        None if expected is not None else "no_citations"
    )


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
def test_without_a_question_what_compares_with_it_is_not_measured(language: str) -> None:
    opinion = opine_on(trace_of(language, "healthy", question=None), [claim("fact", quote=GOOD[language])])
    assert opinion.faithfulness == 1.0
    for name in ("answer_relevance", "context_sufficiency", "context_relevance", "failure"):
        assert opinion.not_measured[name] == "no_question"


def test_another_language_is_judged_in_english_and_keeps_its_name() -> None:
    trace = Trace(
        trace_id="en", question="バッテリーは何時間持ちますか？", answer="十時間です。",
        retrieval={"chunks": [{"text": "バッテリーは十時間持ちます。"}]},
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


# --- questions without an answer ---


def test_scores_without_claims_are_a_partial_opinion() -> None:
    with StandIn(answer=Filled()) as llm:
        llm.script(PROSE, PROSE)  # the answer, and the repaired one
        opinion = judge(trace_of("en", "healthy"), llm)
    assert opinion.failure == "healthy"
    assert opinion.faithfulness is None
    assert opinion.not_measured["faithfulness"] == "unreadable"
    assert opinion.usage.calls == 3


def test_claims_without_scores_are_a_partial_opinion() -> None:
    with StandIn(answer=Filled([claim("good", quote=GOOD["en"])])) as llm:
        llm.script(WELL, REFUSAL, REFUSAL)
        opinion = judge(trace_of("en", "healthy"), llm)
    assert opinion.faithfulness == 1.0
    assert opinion.failure is None
    assert opinion.not_measured["failure"] == "refused"
    assert opinion.not_measured["rating_safety"] == "refused"


@pytest.mark.parametrize("before", [(), (WELL,)])
def test_an_endpoint_that_is_away_is_no_reason_for_half_an_opinion(before: tuple[Behaviour, ...]) -> None:
    with StandIn(answer=Filled([claim("good", quote=GOOD["en"])])) as llm:
        llm.script(*before, UNAUTHORIZED)
        with pytest.raises(JudgeFailed) as failed:
            judge(trace_of("en", "healthy"), llm)
    assert failed.value.reason is Reason.UNAUTHORIZED
    assert failed.value.usage.calls == len(before) + 1


def test_without_any_answer_the_opinion_fails_with_all_that_was_spent() -> None:
    with StandIn(answer=Filled()) as llm:
        llm.script(*[PROSE] * 4)
        with pytest.raises(JudgeFailed) as failed:
            judge(trace_of("en", "healthy"), llm)
    assert failed.value.reason is Reason.UNREADABLE
    assert failed.value.usage.calls == 4
