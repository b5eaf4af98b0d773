"""Vector databases: Spring AI's vector stores, and OpenLLMetry's spans of database clients."""

from __future__ import annotations

import re
from typing import Any, Final

from schemas.formats.conventions.common import shown
from schemas.formats.documents import MAX_DOCUMENTS, Document, read_documents
from schemas.formats.span import Span, as_number
from schemas.formats.step import Kind, Step
from schemas.formats.values import parse, parse_texts, regrow

_RESULTS: Final = ("db.query.result", "db.search.result")
_READS: Final = ("query", "search", "similarity", "get_relevant", "retrieve", "hybrid", "near_", "fetch")
_CLIENTS: Final = (
    "db.vector.", "db.chroma.", "db.milvus.", "db.pinecone.", "pinecone.", "db.marqo.", "db.weaviate.",
    "weaviate.", "db.lancedb.", "lancedb.", "qdrant.",
)  # fmt: skip
_STORES: Final = frozenset(
    {"chroma", "chromadb", "pinecone", "qdrant", "weaviate", "milvus", "lancedb", "marqo", "vespa", "vectara"}
)
"""By `db.system`: databases whose queries are searches by nearness."""
_COUNTS: Final = (
    "db.vector.query.result_count", "db.milvus.search.result_count", "db.vector.query.result.matches_length",
)  # fmt: skip
_HIT: Final = "db.vector.query.result."
_HIT_PARTS: Final = frozenset({"id", "score", "metadata"})
_HIT_METADATA: Final = re.compile(r"\.result\.(\d{1,6})\.metadata$")
_TEXTS: Final = ("text", "content", "page_content", "document", "chunk", "body")
_COLUMNS: Final = ("id", "document", "metadata", "score")
_SPRING_DOCUMENTS: Final = (
    "db.vector.query.response.documents",
    "spring.ai.vector.store.query.response.documents",
)


def read(span: Span) -> Step | None:
    """What a span says in this convention; null where it says nothing in it."""
    results = [event.attributes for event in span.events if event.name in _RESULTS]
    if not results and not _is_vector_query(span):
        return None
    step = Step(kind=Kind.RETRIEVER)
    step.query = shown(span.text("db.vector.query.content", "db.marqo.search.query"))
    step.top_k = span.integer("db.vector.query.top_k", "db.chroma.query.n_results", "db.milvus.search.limit")
    if results:
        step.documents = [document for held in results for document in _hits(held)] or None
    else:
        step.documents = _numbered(span) or _spring(span)
    if step.documents is None and span.integer(*_COUNTS) == 0:
        step.documents = []
    return step


def _numbered(span: Span) -> list[Document] | None:
    """OpenLLMetry-JS: hits as numbered attributes of the span, their metadata at times as events."""
    if not span.shape.has(_HIT):
        return None
    rows = regrow(
        (parts, value) for parts, value in span.under(_HIT) if parts[0].isdigit() and parts[-1] in _HIT_PARTS
    )
    if not isinstance(rows, list):
        return None
    for event in span.events:
        place = _HIT_METADATA.search(event.name)
        if place and int(place.group(1)) < len(rows):
            rows[int(place.group(1))]["metadata"] = dict(event.attributes)
    return [document for row in rows if (document := _hit(row)) is not None] or None


def _is_vector_query(span: Span) -> bool:
    system = (span.text("db.system", "db.system.name") or "").lower()
    if not span.shape.has(*_CLIENTS) and system not in _STORES:
        return span.text("spring.ai.kind") == "vector_store" and "query" in span.name
    operation = (span.text("db.operation.name", "db.operation") or span.name).lower()
    return any(word in operation for word in _READS)


def _hits(held: Any) -> list[Document]:
    """The hits of one event: one as a rule, all that a query found with earlier versions."""
    names = {key.rpartition(".result.")[2]: parse(value) for key, value in held.items()}
    columns = {name: value for name in _COLUMNS if isinstance(value := names.get(name), list)}
    length = min(max(map(len, columns.values()), default=1), MAX_DOCUMENTS)
    rows = (
        names | {name: value[i] if i < len(value) else None for name, value in columns.items()}
        for i in range(length)
    )
    return [document for row in rows if (document := _hit(row)) is not None]


def _hit(names: dict[str, Any]) -> Document | None:
    """Id, score, and the text: in the metadata, or among the values of an entity, at times."""
    text, identity = names.get("document"), names.get("id")
    if not isinstance(text, str):
        text = _text_in(parse(names.get("metadata") or names.get("entity"))) or _text_in(names)
    if text is None and identity is None:
        return None
    return Document(text, id=None if identity is None else str(identity), score=as_number(names.get("score")))


def _text_in(held: Any) -> str | None:
    if not isinstance(held, dict):
        return None
    if found := next((held[name] for name in _TEXTS if isinstance(held.get(name), str)), None):
        return str(found)
    return _text_in(parse(held.get("_node_content")))  # LlamaIndex keeps its whole node there


def _spring(span: Span) -> list[Document] | None:
    for name in _SPRING_DOCUMENTS:
        if name in span.attributes:
            return read_documents(parse_texts(span.attributes[name]))
    for event in span.events:
        if event.name == "db.vector.content.query.response":
            return read_documents(parse_texts(event.attributes.get("db.vector.query.content")))
    return None


__all__ = ["read"]
