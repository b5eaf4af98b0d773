"""Retrieved passages in every form that libraries record them, to one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from schemas.formats.reprs import read_document_repr
from schemas.formats.span import as_number
from schemas.formats.values import parse

MAX_DOCUMENTS: Final = 10_000
_TEXT_KEYS: Final = (
    "page_content", "pageContent", "content", "text", "chunk_text", "chunk", "passage", "document", "body",
    "snippet", "page", "raw_content", "summary_text", "formatted_content",
)  # fmt: skip
_INNER_KEYS: Final = (
    "node",
    "payload",
    "_source",
    "fields",
    "entity",
    "properties",
    "document",
    "doc",
    "kwargs",
)
_LIST_KEYS: Final = (
    "documents", "docs", "source_nodes", "nodes", "retrieved_documents", "retrieved_docs", "source_documents",
    "sources", "chunks", "passages", "contexts", "context", "results", "matches", "hits", "data", "items",
    "points", "value", "outputs", "output", "result", "retrieved_contexts", "search_results", "response",
    "retrieval_results", "retrievalResults", "return", "relevantContext",
    "sourceDocuments", "sourceNodes", "retrievedDocuments", "retrievedDocs", "searchResults",
)  # fmt: skip
_ID_KEYS: Final = ("id", "id_", "_id", "node_id", "chunk_id", "doc_id", "document_id", "docId", "uuid", "key")
_META_TEXT_KEYS: Final = ("text", "page_content", "pageContent", "content", "chunk_text", "chunk", "passage")
"""Stores that keep vectors and metadata alone have the text among these."""
_META_ID_KEYS: Final = ("id", "chunk_id", "doc_id", "document_id", "_id", "uuid", "node_id")
_DOC_ID_KEYS: Final = ("doc_id", "document_id", "ref_doc_id", "source_id", "file_id", "documentId", "fileId")
_META_DOC_ID_KEYS: Final = ("doc_id", "document_id", "source_id", "parent_id")
_SCORE_KEYS: Final = (
    "score",
    "relevance_score",
    "rerank_score",
    "similarity",
    "similarity_score",
    "_score",
    "@search.score",
    "certainty",
    "relevanceScore",
)
_RERANK_KEYS: Final = (
    "relevance_score",
    "rerank_score",
    "relevanceScore",
    "reranker_score",
    "@search.rerankerScore",
)
_MAX_DEPTH: Final = 8


@dataclass(slots=True)
class Document:
    """One passage. `text` is null where the source did not record it; `index` is a reranker's pointer."""

    text: str | None
    id: str | None = None
    doc_id: str | None = None
    score: float | None = None
    rerank_score: float | None = None
    index: int | None = None


def read_documents(value: Any, depth: int = 0) -> list[Document] | None:
    """The passages of a list, of a dictionary that holds one, or of JSON in text.

    An empty list means that nothing was found; null that no passages are recorded here.
    """
    value = parse(value)
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, dict):
        return _read_holder(value, depth)
    if not isinstance(value, (list, tuple)):
        return None
    if not value:
        return []
    if len(value) == 1 and isinstance(value[0], (list, tuple)):  # a batch of one query
        return read_documents(value[0], depth + 1)
    found = [document for item in value[:MAX_DOCUMENTS] if (document := read_document(item)) is not None]
    return found if found and len(found) * 2 > len(value[:MAX_DOCUMENTS]) else None


def _read_holder(value: dict[str, Any], depth: int) -> list[Document] | None:
    if _is_columns(value):
        return _read_columns(value)
    if value.get("lc") and isinstance(value.get("kwargs"), dict):
        return None
    nothing: list[Document] | None = None
    for key in _LIST_KEYS:
        if key not in value:
            continue
        held = value[key]
        if isinstance(held, str):
            held = parse(held)
        if isinstance(held, (list, dict)):
            found = read_documents(held, depth + 1)
            if found:
                return found
            if found is not None and nothing is None:
                nothing = found
    return nothing


def read_document(item: Any, depth: int = 0) -> Document | None:
    """One passage; null where it is none."""
    if isinstance(item, str):
        opened = read_document_repr(item) or parse(item)
        return Document(item) if isinstance(opened, str) else read_document(opened, depth + 1)
    if isinstance(item, (list, tuple)):
        return _read_scored_pair(item, depth)
    if not isinstance(item, dict) or depth > 4 or "role" in item:  # a message is no passage
        return None
    metadata = parse(item.get("metadata") or item.get("meta") or item.get("extra_info"))
    metadata = metadata if isinstance(metadata, dict) else {}
    inner = _first(item, _INNER_KEYS, dict)
    base = read_document(inner, depth + 1) if inner is not None else None
    text = _first(item, _TEXT_KEYS, str)
    if not text:
        elsewhere = _joined(item.get("content")) if base is None else base.text
        elsewhere = elsewhere or _first_said(item, _TEXT_KEYS) or _first_said(metadata, _META_TEXT_KEYS)
        text = text if elsewhere is None else elsewhere
    own_id = _first_text(item, _ID_KEYS) or (base.id if base else None)
    found = Document(
        text,
        id=own_id or _first_text(metadata, _META_ID_KEYS),
        doc_id=_first_text(metadata, _META_DOC_ID_KEYS)
        or _first_text(item, _DOC_ID_KEYS)
        or (base.doc_id if base else None),
        score=_first_number(item, metadata, _SCORE_KEYS),
        rerank_score=_first_number(item, metadata, _RERANK_KEYS),
        index=_index(item),
    )
    if base is not None:
        found.score = base.score if found.score is None else found.score
        found.rerank_score = base.rerank_score if found.rerank_score is None else found.rerank_score
    if found.text is None and found.id is None and (found.index is None or found.score is None):
        return None
    return found


def _read_scored_pair(item: list[Any] | tuple[Any, ...], depth: int) -> Document | None:
    if len(item) != 2:
        return None
    found = read_document(item[0], depth + 1)
    score = as_number(item[1])
    if found is None or score is None or isinstance(item[1], str):
        return None
    found.score = score
    return found


def _is_columns(value: dict[str, Any]) -> bool:
    ids, texts = value.get("ids"), value.get("documents")
    return isinstance(ids, list) and (texts is None or isinstance(texts, list)) and "metadatas" in value


def _read_columns(value: dict[str, Any]) -> list[Document]:
    """Columns side by side, a row a query: ids, documents, metadatas, distances."""
    ids, texts = _column(value.get("ids")), _column(value.get("documents"))
    found = []
    for i in range(min(max(len(ids), len(texts)), MAX_DOCUMENTS)):
        text = texts[i] if i < len(texts) and isinstance(texts[i], str) else None
        found.append(Document(text, id=str(ids[i]) if i < len(ids) else None))
    return found


def _column(value: Any) -> list[Any]:
    if not isinstance(value, list):
        return []
    if value and all(isinstance(row, list) for row in value):
        return [cell for row in value for cell in row]
    return value


def _joined(content: Any) -> str | None:
    """Content in parts, as stores that answer like chat models give it."""
    if isinstance(content, list):
        texts = [p["text"] for p in content if isinstance(p, dict) and isinstance(p.get("text"), str)]
        return "\n".join(texts) if texts else None
    if isinstance(content, dict) and isinstance(content.get("text"), str):
        return str(content["text"])
    return None


def _first(item: dict[str, Any], keys: tuple[str, ...], kind: type) -> Any:
    """The first value of this kind. Passages have few of the many keys: asking with `in` costs least."""
    for key in keys:
        if key in item and isinstance(item[key], kind):
            return item[key]
    return None


def _first_said(item: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    """The first text that is not empty."""
    return next((held for key in keys if key in item and isinstance(held := item[key], str) and held), None)


def _first_text(item: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        if key not in item:
            continue
        value = item[key]
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None


def _first_number(item: dict[str, Any], metadata: dict[str, Any], keys: tuple[str, ...]) -> float | None:
    for source in (item, metadata) if metadata else (item,):
        for key in keys:
            if key in source and (found := as_number(source[key])) is not None:
                return found
    return None


def _index(item: dict[str, Any]) -> int | None:
    value = item.get("index", item.get("originalIndex"))
    return value if isinstance(value, int) and not isinstance(value, bool) else None


__all__ = ["MAX_DOCUMENTS", "Document", "read_document", "read_documents"]
