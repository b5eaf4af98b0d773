"""One judge's opinion, asked over HTTP: in two calls, in both languages, also where a call fails."""

from __future__ import annotations

from typing import Any

import pytest

from judges.llm.asking import JudgeFailed, Reason
from judges.llm.client import LlmJudge
from judges.llm.opine import form_opinion
from judges.llm.rubrics import load
from tests.support.filled_forms import Filled, claim, judge
from tests.support.http_judges import with_judges
from tests.support.judged_traces import GOOD, trace_of
from tests.support.obedient_judge import ObedientModel
from tests.support.stand_in_llm import PROSE, REFUSAL, UNAUTHORIZED, WELL, Behaviour, StandIn

both = pytest.mark.parametrize("language", ["en", "zh"])


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
