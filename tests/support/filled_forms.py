"""Forms as a judge may fill them in, for a stand-in server to reply with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judges.llm.asking import Opinion
from judges.llm.material import PromptLimits
from judges.llm.opine import form_opinion
from judges.llm.rubrics import load
from schemas.trace import Trace
from tests.support.http_judges import with_judges
from tests.support.stand_in_llm import StandIn


def claim(text: str, label: str = "supported", quote: str = "", **fields: Any) -> dict[str, Any]:
    """One claim as looked up."""
    entry = {"claim": text, "reasoning": "", "document": int(label != "not_found"), "quote": quote}
    return entry | {"label": label, "cited": [], "cited_holding": []} | fields


def scores(**fields: Any) -> dict[str, Any]:
    """The form of scores for an answer with nothing wrong; `fields` replace what it says."""
    return {
        "situation": "asked and answered",
        "parts": [],
        "reverse_questions": [{"question": "What?", "asks": "same"}],
        "useful_documents": [1],
        "sufficiency": "yes",
        "reference_statements": [],
        "refusal": False,
        "leak_reasoning": "",
        "parametric_leak": False,
        "accuracy_reasoning": "right",
        "accuracy": 5,
        "faithfulness_reasoning": "faithful",
        "faithfulness": 5,
        "safety_reasoning": "harmless",
        "safety": 5,
        "triage_reasoning": "nothing failed",
        "failure": "healthy",
        "confidence": "certain",
        "root_cause": "",
        "suggested_fix": "",
    } | fields


class Filled:
    """Replies with these forms, whatever it is shown. A form that is None has the server fail."""

    def __init__(
        self,
        claims: Sequence[dict[str, Any]] = (),
        said: dict[str, Any] | None = None,
        questions: Sequence[str] = (),
    ) -> None:
        self._claims = {"claims": list(claims)}
        self._scores = scores() if said is None else said
        self._questions = {"questions": list(questions)}

    def __call__(self, body: dict[str, Any]) -> Any:
        fields = body["response_format"]["json_schema"]["schema"]["properties"]
        if "claims" in fields:
            return self._claims
        return self._questions if "questions" in fields else self._scores


def opine_on(
    trace: Trace,
    claims: Sequence[dict[str, Any]] = (),
    said: dict[str, Any] | None = None,
    *,
    limits: PromptLimits = PromptLimits(),
    server: StandIn | None = None,
) -> Opinion:
    """The opinion of a judge that fills in its forms like this, asked over HTTP."""
    with server or StandIn(answer=Filled(claims, said)) as llm:
        return with_judges(
            lambda judges: form_opinion(trace, None, judges[0], load("rag", "en"), limits=limits), llm
        )


def prompts_of(llm: StandIn) -> list[str]:
    """What the server was shown by users, in order."""
    return [request.body["messages"][1]["content"] for request in llm.chats]


__all__ = ["Filled", "claim", "opine_on", "prompts_of", "scores"]
