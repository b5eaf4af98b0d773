"""Forms as a judge may fill them in, for a stand-in server to reply with."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from judges.llm.asking import Opinion
from judges.llm.bounds import Bounds
from judges.llm.client import LlmJudge, open_judge
from judges.llm.endpoint import Endpoint
from judges.llm.material import PromptLimits
from judges.llm.opine import form_opinion
from judges.llm.rubrics import load
from judges.llm.state import open_state
from schemas.trace import Trace
from tests.support.http_judges import QUICK, with_judges
from tests.support.stand_in_llm import StandIn


def claim(text: str, label: str = "supported", quote: str = "", **fields: Any) -> dict[str, Any]:
    """One claim as looked up, in words that its quote has too."""
    entry = {
        "claim": f"{text} {quote}".strip(),
        "reasoning": "",
        "document": int(label != "not_found"),
        "quote": quote,
    }
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
    """Replies with these forms, whatever it is shown."""

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


class _Standing:
    """One server and one judge without a memory, for tests of what becomes of a filled-in form.

    Opening a judge takes a tenth of a second, which a hundred tests need not spend each.
    """

    def __init__(self) -> None:
        self.llm = StandIn().__enter__()  # a daemon, as the loop below: both end with the tests
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True, name="standing-judge").start()
        self._judge = asyncio.run_coroutine_threadsafe(self._open(), self._loop).result(20)

    async def _open(self) -> LlmJudge:
        endpoint = Endpoint("judge-1", self.llm.base_url, self.llm.model, limits=QUICK)
        return open_judge(endpoint, state=open_state(None, bounds=Bounds(age_s=0)))

    def opine(self, trace: Trace, answer: Filled, limits: PromptLimits) -> Opinion:
        self.llm.answer = answer
        work = form_opinion(trace, None, self._judge, load("rag", "en"), limits=limits)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)


_standing = lru_cache(maxsize=1)(_Standing)


def opine_on(
    trace: Trace,
    claims: Sequence[dict[str, Any]] = (),
    said: dict[str, Any] | None = None,
    *,
    limits: PromptLimits = PromptLimits(),
) -> Opinion:
    """The opinion of a judge that fills in its forms like this, asked over HTTP."""
    return _standing().opine(trace, Filled(claims, said), limits)


def judge(trace: Trace, llm: StandIn, **options: Any) -> Opinion:
    """The opinion of a judge of its own at this server; the trace_id begins with the rubric's language."""

    async def work(judges: list[LlmJudge]) -> Opinion:
        rubric = load("rag", trace.trace_id[:2])
        return await form_opinion(trace, None, judges[0], rubric, **options)

    return with_judges(work, llm)


def prompts_of(llm: StandIn) -> list[str]:
    """What the server was shown by users, in order."""
    return [request.body["messages"][1]["content"] for request in llm.chats]


__all__ = ["Filled", "claim", "judge", "opine_on", "prompts_of", "scores"]
