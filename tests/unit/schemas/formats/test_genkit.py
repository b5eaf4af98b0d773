"""Genkit 1.42 (JavaScript; Go writes the same names): a flow, its retriever, its model, a tool."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.span import Span
from tests.unit.schemas.formats.spans import convert, span, texts
from tests.unit.schemas.formats.writers_otel import DOCS, A, Q, dump

FOUND = [{"content": [{"text": d["text"]}], "metadata": {"id": d["id"], "score": d["score"]}} for d in DOCS]


def action(subtype: str, at: float, parent: Span | None, given: Any, came: Any = None, **more: Any) -> Span:
    also = {"genkit:type": "action", "genkit:metadata:subtype": subtype, "genkit:name": more.pop("name", "x")}
    also |= {"genkit:input": dump(given)} | ({} if came is None else {"genkit:output": dump(came)})
    return span(subtype, at, parent=parent, lasts=6 - at, also=also, **more)


def model(at: float, parent: Span, asked: str, said: str) -> Span:
    given = {"messages": [{"role": "user", "content": [{"text": asked}]}], "docs": FOUND, "config": {}}
    came = {"message": {"role": "model", "content": [{"text": said}]}, "finishReason": "stop"}
    came["usage"] = {"inputTokens": 90, "outputTokens": 9}
    return action("model", at, parent, given, came, name="fake/m-1")


def query(text: str) -> dict[str, Any]:
    return {"query": {"content": [{"text": text}]}, "options": {"k": 2}}


def test_a_flow_with_a_rewrite_is_read() -> None:
    root = action("flow", 0, None, Q, A)
    rewrite = model(1, root, f"Rewrite: {Q}", "size limit")
    found = action("retriever", 2, root, query("size limit"), {"documents": FOUND})
    trace = convert(root, rewrite, found, model(3, root, Q, A))
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, "size limit", A)
    assert texts(trace) == [document["text"] for document in DOCS]
    assert trace.retrieval is not None
    assert [(c.id, c.score) for c in trace.retrieval.chunks or ()] == [(d["id"], d["score"]) for d in DOCS]
    assert trace.retrieval.top_k == 2
    generation = trace.generation
    assert generation is not None
    assert (generation.model, generation.finish_reason, generation.input_tokens) == ("fake/m-1", "stop", 90)


@pytest.mark.parametrize("found", [[], None])
def test_nothing_found_and_a_failure_are_two_things(found: list[Any] | None) -> None:
    root = action("flow", 0, None, {"question": Q}, error=None if found is not None else "index is gone")
    came = None if found is None else {"documents": found}
    error = "index is gone" if found is None else None
    retrieval = convert(root, action("retriever", 1, root, query(Q), came, error=error)).retrieval
    assert retrieval is not None
    assert (retrieval.chunks, retrieval.error) == (found, error)


def test_documents_that_were_only_handed_to_the_model_count_and_a_reranker_orders_them() -> None:
    root = action("flow", 0, None, Q, A)
    asked = {"model": "fake/m-1", "docs": FOUND, "messages": []}
    util = span(
        "generate", 1, parent=root, lasts=4, also={"genkit:type": "util", "genkit:input": dump(asked)}
    )
    assert texts(convert(root, util, model(2, util, Q, A))) == [document["text"] for document in DOCS]
    order = [{**document, "metadata": {"score": 0.5}} for document in FOUND[::-1]]
    ranked = action("reranker", 0.5, root, query(Q) | {"documents": FOUND}, {"documents": order})
    trace = convert(root, ranked, model(2, root, Q, A))
    assert texts(trace) == [document["text"] for document in DOCS[::-1]]


def test_a_search_by_a_tool_is_the_retrieval() -> None:
    root = action("flow", 0, None, Q, A)
    tool = action("tool", 1, root, {"query": "size limit"}, DOCS, name="searchHelp")
    trace = convert(root, tool, model(2, root, Q, A))
    assert (trace.rewritten_query, texts(trace)) == ("size limit", [document["text"] for document in DOCS])
