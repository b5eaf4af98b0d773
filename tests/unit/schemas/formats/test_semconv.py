"""OpenTelemetry's GenAI conventions in versions between 1.27 and 1.38, by Azure's SDKs and others."""

from __future__ import annotations

from typing import Any

from schemas.formats.assembly import NotRag, assemble
from schemas.formats.span import Event
from tests.unit.schemas.formats.spans import convert, span, texts
from tests.unit.schemas.formats.writers_otel import DOCS, PROMPT, A, Q, dump


def content(name: str, at: int, **body: Any) -> Event:
    return Event(name, at, {"gen_ai.system": "az.ai", "gen_ai.event.content": dump(body)})


def test_the_answer_of_an_agents_run_is_a_message_like_the_others() -> None:
    """azure-ai-agents 1.0: a thread's run has no choices."""
    told = {"gen_ai.operation.name": "process_thread_run", "gen_ai.request.model": "m-1"}
    asked = content("gen_ai.user.message", 1, content=Q, role="user")
    said = content("gen_ai.assistant.message", 2, role="assistant", content={"text": {"value": A}})
    trace = convert(span("process_thread_run", events=(asked, said), also=told))
    assert (trace.question, trace.answer) == (Q, A)
    alone = span("create_message", events=(asked,), also={"gen_ai.operation.name": "create_message"})
    assert isinstance(assemble([alone]), NotRag)


def test_why_a_model_stopped_may_stand_in_its_message_alone() -> None:
    told = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"}
    choice = content("gen_ai.choice", 2, index=0, finish_reason="stop", message={"content": A})
    asked = content("gen_ai.user.message", 1, content=PROMPT)
    by_event = convert(span("chat", events=(asked, choice), also=told))
    parts = [{"type": "text", "content": A}]
    said = {"gen_ai.output.messages": dump([{"role": "assistant", "parts": parts, "finish_reason": "stop"}])}
    by_attribute = convert(span("chat", also=told | said))
    for trace in (by_event, by_attribute):
        assert trace.generation is not None
        assert (trace.answer, trace.generation.finish_reason) == (A, "stop")


def test_a_search_of_files_has_several_queries_and_names_files() -> None:
    root = span(
        "invoke_agent",
        also={
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.request.model": "m-1",
            "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": Q}]}],
            "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": A}]}],
        },
        lasts=4,
    )
    found = [
        {"file_id": d["id"], "score": d["score"], "content": [{"type": "text", "text": d["text"]}]}
        for d in DOCS
    ]
    tool = span(
        "execute_tool file_search",
        1,
        parent=root,
        also={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.type": "datastore",
            "gen_ai.tool.call.arguments": {"queries": ["size limit", "upload"]},
            "gen_ai.tool.call.result": {"results": found},
        },
    )
    trace = convert(root, tool)
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, "size limit\nupload", A)
    assert texts(trace) == [document["text"] for document in DOCS]
    assert trace.retrieval is not None
    assert [chunk.doc_id for chunk in trace.retrieval.chunks or ()] == [document["id"] for document in DOCS]


def test_source_documents_of_a_chain_are_passages_in_either_spelling() -> None:
    kept = [{"pageContent": document["text"], "metadata": {}} for document in DOCS]
    for name in ("sourceDocuments", "source_documents"):
        came = {"traceloop.entity.output": dump({"text": A, name: kept}), "traceloop.span.kind": "workflow"}
        trace = convert(span("qa", also=came | {"traceloop.entity.input": dump({"args": [{"query": Q}]})}))
        assert (trace.question, trace.answer) == (Q, A)
        assert texts(trace) == [document["text"] for document in DOCS]
