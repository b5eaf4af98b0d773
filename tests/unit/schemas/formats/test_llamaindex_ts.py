"""LlamaIndex.TS 0.12 as OpenLLMetry-JS 0.27 records it: nodes beside the answer, names in camel case."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.span import Span
from tests.unit.schemas.formats.spans import convert, span, texts
from tests.unit.schemas.formats.writers_otel import DOCS, A, Q, dump

NODES = [{"node": {"id_": d["id"], "metadata": {}, "text": d["text"]}, "score": d["score"]} for d in DOCS]


def step(name: str, at: float, parent: Span | None, came: Any, **kwargs: Any) -> Span:
    also = {"traceloop.span.kind": "task", "traceloop.entity.output": dump(came)}
    also["traceloop.entity.input"] = dump({"args": [], "kwargs": kwargs})
    return span(name, at, parent=parent, lasts=4 - at, also=also)


@pytest.mark.parametrize("name", ["retriever_query_engine.query", "context_chat_engine.chat"])
def test_an_engine_that_gives_an_answer_and_its_nodes_is_no_retriever(name: str) -> None:
    told = {"message": {"role": "assistant", "content": A}, "raw": None, "sourceNodes": NODES}
    earlier = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello!"}]
    root = step(name, 0, None, told, message=Q, chatHistory=earlier)
    trace = convert(root, step("vector_index_retriever.retrieve", 1, root, NODES, query=Q))
    assert (trace.question, trace.answer) == (Q, A)
    assert [turn.content for turn in trace.history] == ["hi", "Hello!"]
    assert texts(trace) == [document["text"] for document in DOCS]
    alone = convert(root)
    assert (alone.question, alone.answer) == (Q, A)
    assert texts(alone) == [document["text"] for document in DOCS]
