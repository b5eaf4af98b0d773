"""Which passages the final generation saw, out of all that was retrieved and reranked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from schemas.bounds import MAX_CHUNKS
from schemas.formats.assembly.tree import Tree
from schemas.formats.conventions.common import query_in
from schemas.formats.conventions.plain import told_by_name
from schemas.formats.documents import Document, read_documents
from schemas.formats.step import Kind, Step
from schemas.formats.values import leaves, parse

_NOT_LETTERS: Final = re.compile(r"[\W_]+")
_HANDED_OVER: Final = (
    "context", "contexts", "source_documents", "documents", "docs", "passages", "chunks",
    "retrieved_documents", "retrieved_docs", "source_nodes", "retrieved_contexts", "sourceDocuments",
    "sourceNodes", "retrievedDocuments", "retrievedDocs",
)  # fmt: skip
_PROBE_CHARS: Final = 80
"""Letters of a passage that are looked for in the prompt: applications shorten passages at their end."""
_GLANCE_CHARS: Final = 16
_GLANCE_LETTERS: Final = 4


@dataclass(slots=True)
class Found:
    """What was retrieved. `documents` null: not recorded; `context`: given back as one text."""

    documents: list[Document] | None = None
    context: str | None = None
    query: str | None = None
    error: str | None = None
    steps: list[int] = field(default_factory=list)


def gather(tree: Tree, before: int | None) -> Found | None:
    """Everything retrieved ahead of the final generation, in order; null where nothing was.

    Of nested retrievers the outermost counts. A reranker replaces what it was given.
    """
    places = tree.outermost(Kind.RETRIEVER, Kind.RERANKER)
    places = [i for i in places if Kind.JUDGE not in tree.above(i)]
    if before is not None:
        limit = tree.steps[before].span
        ahead = [i for i in places if tree.steps[i].span.start_ns <= max(limit.start_ns, limit.end_ns)]
        places = ahead or places
    completed = [_completed(tree, i) for i in places]
    if not any(step.kind is Kind.RETRIEVER or step.documents for step in completed):
        documents = handed_over(tree)
        return _built_in(tree) or (None if documents is None else Found(documents=documents))
    found = Found(steps=places)
    texts: list[str] = []
    for i, step in zip(places, completed, strict=True):
        found.query = found.query or step.query or _query_above(tree, i)
        if step.kind is Kind.RERANKER:
            if step.documents is not None:
                found.documents = rerank(found.documents, step.documents)
            continue
        if step.documents is not None:
            found.documents = (found.documents or []) + step.documents
        elif step.context:
            texts.append(step.context)
    found.context = "\n\n".join(texts) or None
    if texts and any(document.text for document in found.documents or ()):
        found.documents = (found.documents or []) + _new(texts, found.documents or [])
    if found.documents != [] and not found.context and not any(d.text for d in found.documents or ()):
        found.documents = handed_over(tree) or found.documents
    failed = [error for i in places if (error := _error(tree, i))]
    if failed and not found.documents and not found.context:
        found.error, found.documents = failed[-1], None
    return found


def _built_in(tree: Tree) -> Found | None:
    """What the provider of a model searched for it."""
    places = [i for i, step in enumerate(tree.steps) if step.kind is Kind.LLM and step.documents is not None]
    documents = [document for i in places for document in tree.steps[i].documents or ()]
    query = next((step.query for i in places if (step := tree.steps[i]).query), None)
    return Found(documents=documents, query=query, steps=places) if places else None


def _new(texts: Sequence[str], known: Sequence[Document]) -> list[Document]:
    """What other searches gave back as one text each, unless passages that are known stand in it."""
    parts = [letters(document.text) for document in known if document.text]
    plain = [(text, letters(text)) for text in texts]
    return [Document(text) for text, whole in plain if not any(part in whole for part in parts)]


def _completed(tree: Tree, i: int) -> Step:
    """A step with what only the steps inside it recorded."""
    step = tree.steps[i]
    inner = [
        tree.steps[j] for j in sorted(tree.below(i)) if tree.steps[j].kind in (Kind.RETRIEVER, Kind.RERANKER)
    ]
    if step.query is None:
        step.query = next((s.query for s in inner if s.query), None)
    if step.top_k is None:
        step.top_k = next((s.top_k for s in inner if s.top_k is not None), None)
    if step.documents is None and step.context is None and inner:
        step.documents = next((s.documents for s in reversed(inner) if s.documents is not None), None)
        step.context = next((s.context for s in reversed(inner) if s.context), None)
    return step


def _query_above(tree: Tree, i: int) -> str | None:
    """What the function around a database's call was asked, where its name says that it retrieves."""
    parent = tree.parent[i]
    if parent < 0 or not told_by_name(tree.steps[parent].span.name).retrieves:
        return None
    return query_in(tree.steps[parent].input)


def handed_over(tree: Tree) -> list[Document] | None:
    """Passages that a step was given, or gave back: where no retrieval shows their texts."""
    for step in reversed(tree.steps):
        if step.kind not in (Kind.CHAIN, Kind.AGENT, Kind.PROMPT):
            continue
        for value in (step.input, step.output):
            opened = parse(value)
            named = [opened.get(key) for key in _HANDED_OVER] if isinstance(opened, dict) else [opened]
            for held in named:
                found = _passages(held, alone=held is opened)
                if found:
                    return found
    return None


def _passages(held: Any, *, alone: bool) -> list[Document] | None:
    """A list of passages with texts; one that stands alone must be of objects, for texts may be anything."""
    if not isinstance(held, list) or not held or (alone and not all(isinstance(item, dict) for item in held)):
        return None
    found = read_documents(held)
    whole = found is not None and len(found) == len(held) and all(document.text for document in found)
    return found if whole else None


def _error(tree: Tree, i: int) -> str | None:
    return tree.steps[i].error


def rerank(given: list[Document] | None, kept: list[Document]) -> list[Document]:
    """What a reranker kept, in its order, with the texts of what it was given."""
    given = given or []
    by_id = {document.id: document for document in given if document.id}
    by_text = {document.text: document for document in given if document.text}
    result = []
    for document in kept:
        known = by_id.get(document.id) if document.id else None
        known = known or (by_text.get(document.text) if document.text else None)
        if (
            known is None
            and document.index is not None
            and document.text is None
            and document.index < len(given)
        ):
            known = given[document.index]
        if document.score is not None and document.rerank_score is None:
            document.rerank_score = document.score
        if known is not None:
            document.text = known.text if document.text is None else document.text
            document.id = document.id or known.id
            document.doc_id = document.doc_id or known.doc_id
        result.append(document)
    return result


def seen_by(documents: Sequence[Document], given: Iterable[Any]) -> list[Document]:
    """The passages that stand in the prompt, in the order they stand there; all, where none can be found.

    An application may hand over fewer passages than it retrieved, or in another order. `given` holds
    the prompt, then what the steps around the generation were given: the first that shows any passage
    decides.
    """
    once = without_doubles(documents)
    if not once or len(once) > MAX_CHUNKS:
        return once
    for value in given:
        prompt = "\n".join(leaves(value))
        places = _places([document.text for document in once], prompt)
        if any(place >= 0 for place in places):
            order = sorted((place, i) for i, place in enumerate(places) if place >= 0)
            return [once[i] for _, i in order]
    return once


def _places(texts: Sequence[str | None], prompt: str) -> list[int]:
    """Where each text begins in the prompt; -1 where it does not."""
    exact = [prompt.find(text) if text else -1 for text in texts]
    if all(place >= 0 for place in exact):
        return exact
    plain = letters(prompt)
    probes = [letters(text or "")[:_PROBE_CHARS] for text in texts]
    return [plain.find(probe) if probe else -1 for probe in probes]


def without_doubles(documents: Sequence[Document]) -> list[Document]:
    """Each passage once: several searches may find the same."""
    seen = set()
    once = []
    for document in documents:
        key = (document.id, document.text)
        if key not in seen:
            seen.add(key)
            once.append(document)
    return once


def letters(text: str) -> str:
    """Letters and digits alone: white space, escapes and markup differ between copies."""
    return _NOT_LETTERS.sub("", text)


class Alike:
    """What has the letters of one of these texts is in it.

    Most texts differ in their first letters, which costs less to see.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)
        self._begin = {_first_letters(text) for text in self._texts}
        self._letters: set[str] | None = None

    def __contains__(self, text: str) -> bool:
        begin = _first_letters(text)
        if begin and "" not in self._begin and begin not in self._begin:
            return False
        if self._letters is None:
            self._letters = {letters(text) for text in self._texts}
        return letters(text) in self._letters


def _first_letters(text: str) -> str:
    """Empty where there are too few at its beginning."""
    found = letters(text[:_GLANCE_CHARS])
    return found[:_GLANCE_LETTERS] if len(found) >= _GLANCE_LETTERS else ""


__all__ = ["Alike", "Found", "gather", "letters", "rerank", "seen_by", "without_doubles"]
