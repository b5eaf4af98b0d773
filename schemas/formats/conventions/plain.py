"""Spans of an application's own tracer: nothing but a telling name, and attributes of its own making."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from schemas.formats.conventions.common import query_in
from schemas.formats.documents import Document, read_documents
from schemas.formats.span import Span, as_number
from schemas.formats.step import Kind, Step
from schemas.formats.values import parse


class Told(NamedTuple):
    """What the name of a step tells of its part."""

    reranks: bool
    retrieves: bool


RERANKS: Final = re.compile(r"re-?rank|\branker\b|postprocess|重排", re.I)
RETRIEVES: Final = re.compile(
    r"retriev|similarity.?search|vector.?(search|store|query)|semantic.?search|hybrid.?search"
    r"|knowledge|search.?(kb|docs?|documents?|index)|\b(kb|doc(ument)?s?)[-_ .]?search|检索|召回|知识库",
    re.I,
)
"""Names by which applications call their retrieval."""
SEARCHES: Final = re.compile(
    RETRIEVES.pattern + r"|search|look.?up|query|fetch.?(doc|page)|wiki|faq|browse|查询|搜索", re.I
)
"""The same for tools, where a search may be called by a wider word."""
_REMEMBERED: Final = 1_024
_LONGEST_NAME: Final = 200
_known: dict[str, Told] = {}
_QUERIES: Final = re.compile(r"(^|[._])(query|question|query_text|search_query|q)$", re.I)


def told_by_name(name: str) -> Told:
    """What a step's name tells. Applications have few names for their steps: they are remembered."""
    return _known.get(name) or _learn(name)


def _learn(name: str) -> Told:
    found = Told(RERANKS.search(name) is not None, RETRIEVES.search(name) is not None)
    if len(name) <= _LONGEST_NAME:
        if len(_known) >= _REMEMBERED:
            _known.clear()
        _known[name] = found
    return found


def read(span: Span) -> Step | None:
    """A retrieval or a rerank by the span's name and by attributes that read as passages; else null."""
    told = told_by_name(span.name)
    if told.reranks:
        documents = _passages(span) or _kept(span)
        return Step(kind=Kind.RERANKER, documents=documents, query=_query(span))
    if told.retrieves:
        documents = _passages(span)
        if documents is not None or _query(span) is not None:
            return Step(kind=Kind.RETRIEVER, documents=documents, query=_query(span))
    return None


def _passages(span: Span) -> list[Document] | None:
    for value in span.attributes.values():
        opened = parse(value)
        if isinstance(opened, list) and opened and all(isinstance(item, dict) for item in opened):
            found = read_documents(opened)
            if found:
                return found
    return None


def _kept(span: Span) -> list[Document] | None:
    """What a reranker kept: a list of ids, with a list of scores of the same length where there is one."""
    lists = [parse(value) for value in span.attributes.values()]
    lists = [value for value in lists if isinstance(value, list) and value]
    ids = next((v for v in lists if all(isinstance(item, str) for item in v)), None)
    if ids is None:
        return None
    scores: list[Any] = next(
        (v for v in lists if len(v) == len(ids) and all(_is_score(item) for item in v)), []
    )
    padded = [as_number(score) for score in scores] or [None] * len(ids)
    return [Document(None, id=item, score=score) for item, score in zip(ids, padded, strict=True)]


def _is_score(item: Any) -> bool:
    return not isinstance(item, str) and as_number(item) is not None


def _query(span: Span) -> str | None:
    for name, value in span.attributes.items():
        if _QUERIES.search(name) and isinstance(value, str) and value:
            return query_in(value)
    return None


__all__ = ["SEARCHES", "Told", "read", "told_by_name"]
