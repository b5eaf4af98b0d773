"""Clients of vector stores as OpenLLMetry-JS 0.27 records them: numbered attributes, not events."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.span import Event, Span
from tests.unit.schemas.formats.spans import convert, span, texts
from tests.unit.schemas.formats.writers_otel import DOCS, PROMPT, A, dump

_P = "db.vector.query."


def answered(found: Span) -> list[Span]:
    called = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1", "gen_ai.completion": A}
    return [found, span("chat", 2, also=called | {"gen_ai.prompt": PROMPT})]


def hits(*, metadata: bool) -> dict[str, Any]:
    also: dict[str, Any] = {_P + "top_k": 2, _P + "result.matches_length": len(DOCS)}
    for i, document in enumerate(DOCS):
        also |= {f"{_P}result.{i}.id": document["id"], f"{_P}result.{i}.score": document["score"]}
        if metadata:
            also[f"{_P}result.{i}.metadata"] = dump({"text": document["text"], "page": 3})
    return also


@pytest.mark.parametrize("store", ["qdrant", "pinecone"])
def test_hits_under_numbered_names_are_passages(store: str) -> None:
    found = [
        Event(f"pinecone.query.result.{i}.metadata", 1, {"text": document["text"]})
        for i, document in enumerate(DOCS)
    ]
    qdrant = store == "qdrant"
    also = {"db.system": store.title(), **hits(metadata=qdrant)}
    query = span(
        f"{store}.{'search' if qdrant else 'query'}", 1, also=also, events=() if qdrant else tuple(found)
    )
    trace = convert(*answered(query))
    assert texts(trace) == [document["text"] for document in DOCS]
    assert trace.retrieval is not None
    assert [(c.id, c.score) for c in trace.retrieval.chunks or ()] == [(d["id"], d["score"]) for d in DOCS]
    assert trace.retrieval.top_k == 2


def test_no_match_is_an_empty_retrieval() -> None:
    also = {"db.system": "Qdrant", _P + "top_k": 2, _P + "result.matches_length": 0}
    assert texts(convert(*answered(span("qdrant.search", 1, also=also)))) == []
