"""Why a score is null: one word for each absence. Not measured is null, and never 0."""

from __future__ import annotations

import pytest

from judges.distilled.measuring.batch import MAX_CHUNKS, MAX_CONTEXT_CHARS
from judges.distilled.reading.claims import MAX_ANSWER_CHARS
from schemas.taxonomy import Coverage
from schemas.trace import Trace
from tests.unit.judges.traces import CHUNKS, make_trace, score

NO_RETRIEVAL = Trace(trace_id="t", question="How much does it weigh?", answer="It weighs 2.1 kg.")
PROMPT = {"chunks": None, "prompt_context": CHUNKS[0]}

MEASURED = [
    pytest.param(make_trace(), Coverage.FULL, id="everything there"),
    pytest.param(make_trace(retrieval=PROMPT), Coverage.PROMPT_CONTEXT, id="context only in the prompt"),
    pytest.param(
        make_trace(retrieval={"chunks": [{"id": "k", "text": None}], "prompt_context": CHUNKS[0]}),
        Coverage.PROMPT_CONTEXT,
        id="chunks without text, context in the prompt",
    ),
    pytest.param(make_trace(chunks=["x" * (MAX_CONTEXT_CHARS + 1)]), Coverage.TRUNCATED, id="endless chunk"),
    pytest.param(make_trace(chunks=["x y z"] * (MAX_CHUNKS + 1)), Coverage.TRUNCATED, id="too many chunks"),
    pytest.param(
        make_trace(answer="It weighs 2.1 kg. " * (MAX_ANSWER_CHARS // 16)),
        Coverage.TRUNCATED,
        id="endless answer",
    ),
    pytest.param(make_trace("How much does it weigh? " * 200), Coverage.TRUNCATED, id="endless question"),
    pytest.param(make_trace(None), Coverage.NO_QUESTION, id="no question"),
    pytest.param(make_trace(" \u200b"), Coverage.NO_QUESTION, id="blank question"),
    pytest.param(make_trace("???"), Coverage.NO_QUESTION, id="question marks alone"),
    pytest.param(make_trace("？！…… 👍"), Coverage.NO_QUESTION, id="marks and pictures alone"),
    pytest.param(make_trace(None, retrieval=PROMPT), Coverage.PROMPT_CONTEXT, id="no question, a prompt"),
    pytest.param(make_trace(chunks=[None, CHUNKS[0]]), Coverage.FULL, id="one of two texts recorded"),
]
ABSENT = [
    pytest.param(NO_RETRIEVAL, Coverage.NO_CONTEXT, id="no retrieval seen"),
    pytest.param(make_trace(chunks=[]), Coverage.NO_CONTEXT, id="nothing retrieved"),
    pytest.param(make_trace(chunks=["", " \n"]), Coverage.NO_CONTEXT, id="blank chunks"),
    pytest.param(make_trace(chunks=None), Coverage.NOT_RECORDED, id="chunks not recorded"),
    pytest.param(make_trace(chunks=[None, None]), Coverage.NOT_RECORDED, id="texts not recorded"),
    pytest.param(
        make_trace(chunks=[" ", None]), Coverage.NOT_RECORDED, id="one text blank, one not recorded"
    ),
    pytest.param(make_trace(answer=None), Coverage.NO_ANSWER, id="no answer"),
    pytest.param(make_trace(answer=" \n\u3000"), Coverage.NO_ANSWER, id="blank answer"),
    pytest.param(make_trace(answer="\u200b\ufeff\u200d"), Coverage.NO_ANSWER, id="invisible answer"),
    pytest.param(
        make_trace(answer=None, generation={"error": "boom"}), Coverage.SYSTEM_ERROR, id="model failed"
    ),
    pytest.param(make_trace(generation={"error": "boom"}), Coverage.SYSTEM_ERROR, id="model failed half-way"),
    pytest.param(make_trace(answer="Hello! How can I help?"), Coverage.NO_CLAIMS, id="courtesy alone"),
    pytest.param(make_trace(answer="I don't know."), Coverage.NO_CLAIMS, id="a refusal"),
    pytest.param(
        make_trace("Сколько весит палатка?", "Палатка весит 2,1 кг.", ["Палатка весит 2,1 кг."]),
        Coverage.UNSUPPORTED_LANGUAGE,
        id="a language that is not supported",
    ),
]


@pytest.mark.parametrize(("trace", "coverage"), MEASURED)
def test_what_was_measured_has_values_and_says_on_what(trace: Trace, coverage: Coverage) -> None:
    scores = score(trace)
    assert scores.coverage == coverage
    assert scores.faithfulness is not None
    assert scores.hallucination is not None
    assert scores.evidence


@pytest.mark.parametrize("question", [None, "???", "？？", " \u200b", "👍"])
def test_what_compares_with_a_question_is_not_measured_where_nothing_is_asked(question: str | None) -> None:
    scores = score(make_trace(question))
    assert scores.coverage is Coverage.NO_QUESTION
    assert scores.answer_relevance is scores.context_relevance is scores.context_sufficiency is None


@pytest.mark.parametrize(("trace", "coverage"), ABSENT)
def test_what_was_not_measured_is_null_and_says_why(trace: Trace, coverage: Coverage) -> None:
    scores = score(trace)
    assert scores.coverage == coverage
    assert scores.faithfulness is None
    assert scores.hallucination is None
    assert scores.evidence == []


@pytest.mark.parametrize(
    "trace", [NO_RETRIEVAL, make_trace(chunks=[]), make_trace(chunks=None), make_trace(chunks=[None])]
)
def test_without_context_nothing_is_said_of_it(trace: Trace) -> None:
    scores = score(trace)
    assert scores.context_relevance is None
    assert scores.context_sufficiency is None


def test_without_citations_there_is_no_citation_precision() -> None:
    assert score(make_trace()).citation_precision is None
    assert score(make_trace(answer="It weighs 2.1 kg [1].")).citation_precision is not None


@pytest.mark.parametrize("question", [None, "", "  "])
def test_without_a_question_nothing_is_relevant_to_it(question: str | None) -> None:
    scores = score(make_trace(question=question))
    assert scores.faithfulness is not None
    assert scores.answer_relevance is None
    assert scores.context_sufficiency is None


def test_a_refusal_has_no_answer_relevance() -> None:
    assert score(make_trace(answer="I don't know.")).answer_relevance is None
