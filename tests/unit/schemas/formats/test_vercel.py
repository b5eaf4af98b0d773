"""The Vercel AI SDK, versions 3 to 7: each as it was seen in spans that it wrote."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.span import Span
from tests.unit.schemas.formats.spans import convert, span, texts
from tests.unit.schemas.formats.writers_otel import DOCS, A, Q, dump

FOUND = "\n\n".join(str(document["text"]) for document in DOCS)
TOOL = {
    "type": "function",
    "name": "getInformation",
    "description": "Search the knowledge base",
    "inputSchema": {},
}


def call(operation: str, at: float, parent: Span | None = None, **more: Any) -> Span:
    also = {"ai.operationId": operation, "ai.model.id": "m-1", **more.pop("also", {})}
    return span(operation, at, parent=parent, lasts=more.pop("lasts", 0.5), also=also, **more)


def agent(
    result: Any, told: dict[str, Any], name: str = "getInformation", error: str | None = None
) -> list[Span]:
    """Version 6: a call around two requests and what the tool did between them."""
    root = call("ai.generateText", 0, lasts=4, also={"ai.prompt": dump({"prompt": Q}), "ai.response.text": A})
    asked = {"role": "user", "content": [{"type": "text", "text": Q}]}
    first = call("ai.generateText.doGenerate", 0.5, root, also={"ai.prompt.messages": dump([asked])} | told)
    did = {"ai.toolCall.name": name, "ai.toolCall.args": dump({"question": "size limit"})}
    did |= {} if error else {"ai.toolCall.result": dump(result)}
    tool = call("ai.toolCall", 1, root, also=did, error=error)
    last = call("ai.generateText.doGenerate", 2, root, also={"ai.response.text": A}, error=error)
    return [root, first, tool, last]


@pytest.mark.parametrize(
    "told",
    [
        {"ai.prompt.tools": [dump(TOOL)]},
        {"gen_ai.tool.definitions": dump([TOOL])},
        {"llm.tools.0.tool.json_schema": dump({"type": "function", "function": TOOL})},
    ],
    ids=["ai 4 to 6", "ai 7", "openinference"],
)
def test_a_tool_that_the_model_was_told_to_search_with_is_a_search(told: dict[str, Any]) -> None:
    trace = convert(*agent(FOUND, told))
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context == FOUND  # without the quotes and escapes of its JSON
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, "size limit", A)


def test_a_tool_of_another_purpose_is_none() -> None:
    other = {"type": "function", "name": "getInformation", "description": "Get the opening hours of a shop"}
    assert convert(*agent(FOUND, {"ai.prompt.tools": [dump(other)]})).retrieval is None


def test_a_request_that_was_answered_has_not_failed_with_the_tool_ahead_of_it() -> None:
    """openinference-vercel 2.8 with ai 6 writes a tool's error on the spans that follow it too."""
    trace = convert(*agent(None, {}, "searchDocs", "index is gone"))
    assert trace.retrieval is not None
    assert trace.retrieval.error == "index is gone"
    assert trace.generation is not None
    assert trace.generation.error is None


def test_what_an_agent_was_given_back_is_no_part_of_its_answer() -> None:
    """ai 7 writes a whole turn as one message: the last text first, then calls and results."""
    parts = [
        {"type": "text", "content": A},
        {"type": "tool_call", "id": "c", "name": "searchDocs", "arguments": {"query": "size limit"}},
        {"type": "tool_call_response", "id": "c", "response": DOCS},
    ]
    root = span(
        "invoke_agent m-1",
        lasts=4,
        also={
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.request.model": "m-1",
            "gen_ai.input.messages": dump([{"role": "user", "parts": [{"type": "text", "content": Q}]}]),
            "gen_ai.output.messages": dump([{"role": "assistant", "parts": parts, "finish_reason": "stop"}]),
        },
    )
    tool = span(
        "execute_tool searchDocs",
        1,
        parent=root,
        also={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "searchDocs",
            "gen_ai.tool.call.arguments": dump({"query": "size limit"}),
            "gen_ai.tool.call.result": dump(DOCS),
        },
    )
    trace = convert(root, tool)
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, "size limit", A)
    assert texts(trace) == [document["text"] for document in DOCS]


def test_a_ranking_inside_another_span_orders_the_documents_that_both_tell() -> None:
    """ai 6: the outer span has no ranking, and plain texts are JSON in a list."""
    documents = {"ai.documents": [dump(document["text"]) for document in DOCS]}
    root = span("rag", lasts=4)
    outer = call("ai.rerank", 1, root, also=documents)
    order = [{"index": 1, "relevanceScore": 0.9}, {"index": 0, "relevanceScore": 0.2}]
    inner = call(
        "ai.rerank.doRerank", 1.1, outer, lasts=0.1, also=documents | {"ai.ranking": [*map(dump, order)]}
    )
    told = {"ai.prompt": dump({"prompt": Q}), "ai.response.text": A}
    trace = convert(root, outer, inner, call("ai.generateText", 2, root, also=told))
    assert texts(trace) == [document["text"] for document in DOCS[::-1]]
    assert trace.retrieval is not None
    assert [chunk.rerank_score for chunk in trace.retrieval.chunks or ()] == [0.9, 0.2]


@pytest.mark.parametrize(
    "embedded",
    [
        {"ai.operationId": "ai.embed", "ai.value": dump("size limit")},
        {"ai.operationId": "ai.embed.doEmbed", "ai.values": [dump("size limit")]},
        {"openinference.span.kind": "EMBEDDING", "embedding.embeddings.0.embedding.text": "size limit"},
        {"langfuse.observation.type": "embedding", "langfuse.observation.input": "size limit"},
        {"gen_ai.operation.name": "embeddings", "gen_ai.prompt.0.content": "size limit"},
    ],
    ids=["ai.embed", "ai.embed.doEmbed", "openinference", "langfuse", "openllmetry"],
)
@pytest.mark.parametrize("written", ["size limit", "something else"])
def test_what_a_model_wrote_and_was_then_embedded_is_the_query(
    embedded: dict[str, Any], written: str
) -> None:
    root = span("rag", lasts=4)
    asked = {"ai.prompt": dump({"prompt": f"Rewrite.\nQuestion: {Q}"}), "ai.response.text": written}
    rewrite = call("ai.generateText.doGenerate", 0.5, root, also=asked)
    told = {"ai.prompt": dump({"prompt": f"Context:\n{FOUND}\n\nQuestion: {Q}"}), "ai.response.text": A}
    answer = call("ai.generateText.doGenerate", 2, root, also=told)
    trace = convert(root, rewrite, span("embed", 1, parent=root, also=embedded), answer)
    assert (trace.question, trace.answer) == (Q, A)
    assert trace.rewritten_query == ("size limit" if written == "size limit" else None)


def test_version_3_called_an_answer_a_result() -> None:
    told = {"ai.prompt": dump({"prompt": Q}), "ai.result.text": A, "ai.finishReason": "stop"}
    trace = convert(call("ai.streamText", 0, also=told), call("ai.streamText.doStream", 0.1, also=told))
    assert (trace.question, trace.answer) == (Q, A)
    assert trace.generation is not None
    assert trace.generation.finish_reason == "stop"


def test_what_tools_gave_back_for_an_earlier_question_is_no_context_of_this_one() -> None:
    """Versions 5 and later wrap a result in its kind."""

    def turn(question: str, asked: str, result: dict[str, Any]) -> list[dict[str, Any]]:
        named = {"toolCallId": asked, "toolName": "searchDocs"}
        return [
            {"role": "user", "content": [{"type": "text", "text": question}]},
            {"role": "assistant", "content": [{"type": "tool-call", **named, "input": {"query": asked}}]},
            {"role": "tool", "content": [{"type": "tool-result", **named, "output": result}]},
        ]

    first = turn("Where are you?", "office", {"type": "text", "value": "Our office is in Berlin."})
    said = [{"role": "assistant", "content": [{"type": "text", "text": "In Berlin."}]}]
    second = turn(Q, "size limit", {"type": "json", "value": [document["text"] for document in DOCS]})
    told = {"ai.prompt.messages": dump([*first, *said, *second]), "ai.response.text": A}
    trace = convert(call("ai.streamText.doStream", 0, also=told))
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, "size limit", A)
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context == "\n".join(str(document["text"]) for document in DOCS)
