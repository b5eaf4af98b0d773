"""Vector databases: Spring AI's vector stores, and OpenLLMetry's spans of database clients."""

from __future__ import annotations

from typing import Any, Final

from schemas.formats.conventions.common import shown
from schemas.formats.documents import Document, read_documents
from schemas.formats.span import Span, as_number
from schemas.formats.step import Kind, Step
from schemas.formats.values import parse

_RESULTS: Final = ("db.query.result", "db.search.result")
_READS: Final = ("query", "search", "similarity", "get_relevant", "retrieve", "hybrid", "near_", "fetch")
_CLIENTS: Final = ("db.vector.", "db.chroma.", "db.milvus.", "db.pinecone.", "db.marqo.", "qdrant.")
_SPRING_DOCUMENTS: Final = (
    "db.vector.query.response.documents",
    "spring.ai.vector.store.query.response.documents",
)


def read(span: Span) -> Step | None:
    """What a span says in this convention; null where it says nothing in it."""
    attributes = span.attributes
    results = [event.attributes for event in span.events if event.name in _RESULTS]
    if not results and not _is_vector_query(span):
        return None
    step = Step(kind=Kind.RETRIEVER)
    step.query = shown(span.text("db.vector.query.content", "db.marqo.search.query"))
    step.top_k = span.integer("db.vector.query.top_k", "db.chroma.query.n_results", "db.milvus.search.limit")
    if results:
        step.documents = [document for held in results if (document := _result(held)) is not None] or None
    else:
        step.documents = _spring(span)
    if (
        step.documents is None
        and span.integer("db.vector.query.result_count", "db.milvus.search.result_count") == 0
    ):
        step.documents = []
    if step.query is None and step.documents is None and "db.vector.query.top_k" not in attributes:
        step.kind = Kind.PLAIN if not span.text("spring.ai.kind") else Kind.RETRIEVER
    return step


def _is_vector_query(span: Span) -> bool:
    if not span.shape.has(*_CLIENTS):
        return span.text("spring.ai.kind") == "vector_store" and "query" in span.name
    operation = (span.text("db.operation.name", "db.operation") or span.name).lower()
    return any(word in operation for word in _READS)


def _result(held: Any) -> Document | None:
    """One hit as an event: id, score, and the text, in the metadata at times."""
    names = {key.rpartition(".result.")[2]: value for key, value in held.items()}
    metadata = parse(names.get("metadata") or names.get("entity"))
    text = names.get("document")
    if not isinstance(text, str) and isinstance(metadata, dict):
        text = next(
            (
                metadata[k]
                for k in ("text", "content", "page_content", "document", "_node_content")
                if isinstance(metadata.get(k), str)
            ),
            None,
        )
    identity = names.get("id")
    if text is None and identity is None:
        return None
    return Document(
        text, id=str(identity) if identity is not None else None, score=as_number(names.get("score"))
    )


def _spring(span: Span) -> list[Document] | None:
    for name in _SPRING_DOCUMENTS:
        if name in span.attributes:
            return read_documents(span.attributes[name])
    for event in span.events:
        if event.name == "db.vector.content.query.response":
            return read_documents(event.attributes.get("db.vector.query.content"))
    return None


__all__ = ["read"]
