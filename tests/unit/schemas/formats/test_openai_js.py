"""OpenAI for JavaScript 5, as OpenInference 4.2, OpenLLMetry-JS 0.27 and Langfuse record it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.schemas.formats.spans import convert, span, texts
from tests.unit.schemas.formats.writers_otel import DOCS, A, Q, dump

ASKED = [{"role": "user", "content": [{"type": "input_text", "text": Q}]}]
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": A}]}
RESULTS = [{"file_id": d["id"], "filename": "kb.md", "score": d["score"], "text": d["text"]} for d in DOCS]
SEARCH = {"type": "file_search_call", "id": "fs", "queries": ["size limit"], "results": RESULTS}


def openinference(output: list[Any]) -> dict[str, Any]:
    return {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m-1",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.contents.0.message_content.type": "input_text",
        "llm.input_messages.0.message.contents.0.message_content.text": Q,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.contents.0.message_content.text": A,
        "output.value": dump({"object": "response", "output": output}),
    }


def langfuse(output: list[Any]) -> dict[str, Any]:
    return {
        "langfuse.observation.type": "generation",
        "langfuse.observation.model.name": "m-1",
        "langfuse.observation.input": dump(ASKED),
        "langfuse.observation.output": dump(output),
    }


@pytest.mark.parametrize("write", [openinference, langfuse])
def test_a_search_that_the_provider_did_is_the_retrieval(write: Any) -> None:
    trace = convert(span("rag", lasts=4), span("OpenAI Responses", 1, also=write([SEARCH, SAID])))
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, "size limit", A)
    assert texts(trace) == [document["text"] for document in DOCS]
    assert trace.retrieval is not None
    assert [(c.doc_id, c.score) for c in trace.retrieval.chunks or ()] == [
        (d["id"], d["score"]) for d in DOCS
    ]


@pytest.mark.parametrize("write", [openinference, langfuse])
def test_results_that_were_not_asked_for_are_not_recorded_and_none_at_all_is_empty(write: Any) -> None:
    hidden = convert(span("call", also=write([{**SEARCH, "results": None}, SAID])))
    assert hidden.retrieval is None
    assert texts(convert(span("call", also=write([{**SEARCH, "results": []}, SAID])))) == []


def test_a_conversation_in_the_text_of_one_message_is_unfolded() -> None:
    """OpenLLMetry-JS, of the Responses interface: its input as JSON in a message of the user."""
    folded = [{"role": "user", "parts": [{"type": "text", "content": dump(ASKED)}]}]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": A}], "finish_reason": "stop"}]
    told = {"gen_ai.input.messages": dump(folded), "gen_ai.output.messages": dump(said)}
    trace = convert(span("chat m-1", also=told | {"gen_ai.operation.name": "chat"}))
    assert (trace.question, trace.answer) == (Q, A)
