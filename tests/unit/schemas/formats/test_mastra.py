"""Mastra 1.71 with its OpenTelemetry exporter 1.4, and earlier ones (0.3): an agent with a tool."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.span import Span
from tests.unit.schemas.formats.spans import convert, span, texts
from tests.unit.schemas.formats.writers_otel import DOCS, A, Q, dump

SOURCES = [
    {"id": document["id"], "metadata": {"text": document["text"]}, "score": document["score"], "document": ""}
    for document in DOCS
]
RESULT = {"relevantContext": [source["metadata"] for source in SOURCES], "sources": SOURCES}
ASKED = {"queryText": "size limit", "topK": 2}


def step(
    kind: str, at: float, parent: Span | None, lasts: float, error: str | None = None, **also: Any
) -> Span:
    also = {name.replace("__", "."): value for name, value in also.items()}
    return span(kind, at, parent=parent, lasts=lasts, error=error, also={"mastra.span.type": kind} | also)


def message(role: str, text: str) -> str:
    return dump([{"role": role, "parts": [{"type": "text", "content": text}]}])


def current(error: str | None = None) -> list[Span]:
    """The whole turn of the model holds its steps, and the steps hold the tools."""
    told = {
        "gen_ai__operation__name": "invoke_agent",
        "mastra__metadata__threadId": "t9",
        "mastra__tags": '["x"]',
    }
    root = step(
        "agent_run",
        0,
        None,
        9,
        **told,
        mastra__agent_run__input=dump([{"role": "user", "content": Q}]),
        mastra__agent_run__output=dump({"text": A, "files": []}),
    )
    turn = step(
        "model_generation",
        0.1,
        root,
        8.8,
        mastra__model_generation__input=dump({"messages": [["user", Q]]}),
        mastra__model_generation__output=dump({"text": A}),
        gen_ai__operation__name="model_generation",
    )
    tool = step(
        "tool_call",
        3,
        turn,
        2,
        error,
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="vectorQueryTool",
        gen_ai__tool__call__arguments=dump(ASKED),
        **({} if error else {"gen_ai__tool__call__result": dump(RESULT)}),
    )
    embedded = step("rag_embedding", 3.1, tool, 0.5, mastra__rag_embedding__input="size limit")
    query = step(
        "rag_vector_operation", 3.7, tool, 0.5, error, mastra__rag_vector_operation__input=dump({"topK": 2})
    )
    query.name = "rag vector query"
    called = step(
        "model_inference",
        6,
        turn,
        2,
        gen_ai__operation__name="chat",
        gen_ai__request__model="m-1",
        gen_ai__input__messages=message("user", Q),
        gen_ai__output__messages=message("assistant", A),
        gen_ai__usage__input_tokens=90,
        gen_ai__usage__output_tokens=9,
        gen_ai__response__finish_reasons='["stop"]',
        mastra__completion_start_time="2026-09-21T14:13:26.500Z",
    )
    return [root, turn, tool, embedded, query, called]


def earlier(error: str | None = None) -> list[Span]:
    """Input and output under these bare names, and those of a tool beside them."""
    root = step(
        "agent_run", 0, None, 9, input=dump([{"role": "user", "content": Q}]), output=dump({"text": A})
    )
    given = dump({"messages": [{"role": "user", "content": Q}]})
    tool = step(
        "tool_call",
        1,
        root,
        2,
        error,
        input=dump(ASKED),
        gen_ai__tool__input=dump(ASKED),
        gen_ai__operation__name="tool.execute",
        gen_ai__tool__name="vectorQueryTool",
        **({} if error else {"gen_ai__tool__output": dump(RESULT), "output": dump(RESULT)}),
    )
    called = step(
        "model_generation",
        4,
        root,
        2,
        input=given,
        gen_ai__prompt=given,
        output=dump({"text": A}),
        gen_ai__completion=dump({"text": A}),
        gen_ai__request__model="m-1",
        gen_ai__usage__input_tokens=90,
        gen_ai__usage__output_tokens=9,
        gen_ai__response__finish_reasons="stop",
    )
    return [root, tool, called]


@pytest.mark.parametrize("write", [current, earlier])
def test_an_agent_with_a_search_is_read(write: Any) -> None:
    trace = convert(*write())
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, "size limit", A)
    assert texts(trace) == [document["text"] for document in DOCS]
    assert trace.retrieval is not None
    assert [(c.id, c.score) for c in trace.retrieval.chunks or ()] == [(d["id"], d["score"]) for d in DOCS]
    generation = trace.generation
    assert generation is not None
    assert (generation.model, generation.input_tokens, generation.finish_reason) == ("m-1", 90, "stop")


@pytest.mark.parametrize("write", [current, earlier])
def test_a_search_that_failed_says_so(write: Any) -> None:
    trace = convert(*write("index is gone"))
    assert trace.retrieval is not None
    assert trace.retrieval.error == "index is gone"


def test_thread_and_tags_are_segments() -> None:
    trace = convert(*current())
    assert trace.conversation_id == "t9"
    assert (trace.extra or {})["tags"] == ["x"]
    assert trace.retrieval is not None
    assert trace.retrieval.top_k == 2
