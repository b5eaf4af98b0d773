"""LangChain.js 1 and LangGraph.js 1.7, as OpenInference 4.1 and OpenLLMetry-JS 0.27 write them."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.span import Event, Span
from tests.unit.schemas.formats.spans import convert, span, texts
from tests.unit.schemas.formats.writers_otel import DOCS, A, Q, dump

WORDS = "Retrieved:\n" + "\n".join(str(document["text"]) for document in DOCS)


def step(name: str, at: float, parent: Span | None, given: Any, came: Any = None, **more: Any) -> Span:
    """OpenLLMetry-JS: all steps of a chain are workflows, whatever they do."""
    also = {"traceloop.span.kind": "workflow", "traceloop.entity.input": dump(given)} | more.pop("also", {})
    also |= {} if came is None else {"traceloop.entity.output": dump(came)}
    return span(name, at, parent=parent, lasts=4 - at, also=also, **more)


def tool_message(**more: Any) -> dict[str, Any]:
    fields = {"status": "success", "content": WORDS, "tool_call_id": "c", "name": "retrieve", **more}
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain_core", "messages", "ToolMessage"],
        "kwargs": fields,
    }


@pytest.mark.parametrize("apart", [True, False])
def test_a_tool_is_called_what_its_message_says_and_its_passages_lie_beside_the_words(apart: bool) -> None:
    kept = [{"pageContent": document["text"], "metadata": {"id": document["id"]}} for document in DOCS]
    root = step("workflow CompiledStateGraph", 0, None, {"messages": [["user", Q]]}, {"output": A})
    tool = step(
        "execute_tool DynamicStructuredTool",
        1,
        root,
        {"args": [dump({"query": "size limit"})]},
        tool_message(artifact=kept) if apart else tool_message(),
        also={
            "gen_ai.operation.name": "execute_tool",
            "traceloop.span.kind": "task",
            "traceloop.entity.name": "DynamicStructuredTool",
        },
    )
    trace = convert(root, tool)
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, "size limit", A)
    assert trace.retrieval is not None
    if apart:
        assert texts(trace) == [document["text"] for document in DOCS]
        assert [chunk.id for chunk in trace.retrieval.chunks or ()] == [document["id"] for document in DOCS]
    else:
        assert (trace.retrieval.chunks, trace.retrieval.prompt_context) == (None, WORDS)


@pytest.mark.parametrize(
    "told",
    [
        "index is gone\n\nError: index is gone\n    at KB.search (file:///app/kb.mjs:9:7)\n    at async main",
        "index is gone\n   at Helpdesk.Kb.SearchAsync(String query) in /app/Kb.cs:line 7",
        "index is gone\n\tat com.helpdesk.Kb.search(Kb.java:7)",
    ],
    ids=["JavaScript", ".NET", "Java"],
)
def test_an_error_leaves_out_the_stack(told: str) -> None:
    root = span("chain", also={"openinference.span.kind": "CHAIN", "input.value": Q}, lasts=4)
    event = Event("exception", 1, {"exception.message": told})
    kind = {"openinference.span.kind": "RETRIEVER", "input.value": Q}
    retrieval = convert(root, span("KB", 1, parent=root, also=kind, error="x", events=(event,))).retrieval
    assert retrieval is not None
    assert retrieval.error == "index is gone"


def test_who_gave_up_is_asked_where_its_root_says_nothing() -> None:
    root = span("helpdesk.workflow", lasts=4, also={"traceloop.span.kind": "workflow"})
    failed = step("workflow RunnableSequence", 1, root, {"input": Q}, error="index is gone")
    trace = convert(root, failed)
    assert (trace.question, trace.answer, trace.retrieval) == (Q, None, None)
    assert trace.generation is not None
    assert trace.generation.error == "index is gone"
