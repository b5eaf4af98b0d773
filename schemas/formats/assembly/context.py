"""The retrieval of a trace: passages with their texts, or the part of the prompt that holds them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from schemas.bounds import MAX_CHUNKS
from schemas.formats.assembly.limits import Limit
from schemas.formats.assembly.marks import Marks
from schemas.formats.assembly.passages import Found, letters, seen_by
from schemas.formats.assembly.prompts import find_context
from schemas.formats.assembly.tools import which_search
from schemas.formats.assembly.tree import Tree
from schemas.formats.conventions.common import is_hidden
from schemas.formats.documents import Document
from schemas.formats.messages import TOOL, ChatMessage
from schemas.formats.step import Kind, Step
from schemas.formats.values import is_cut_json
from schemas.trace import Chunk, Retrieval


def build_retrieval(
    tree: Tree, path: list[int], found: Found | None, generation: Step | None, limit: Limit, marks: Marks
) -> Retrieval | None:
    """What was retrieved; null where neither a retrieval nor passages in the prompt were seen.

    `path` leads from the root to the generation.
    """
    messages = generation.messages if generation else None
    if found is None:
        context = _from_prompt(_without_other_tools(tree, messages), False, limit, marks)
        return Retrieval(prompt_context=context) if context else None
    if found.error is not None:
        return Retrieval(error=found.error, latency_ms=_latency(tree, found), top_k=_top_k(tree, found))
    documents = found.documents
    if documents is not None:
        documents = _cut_texts(seen_by(documents, _given(tree, path, messages)), limit, marks)
    _note_lost(tree, found, limit, marks)
    context = None
    if documents != [] and not any(document.text for document in documents or ()):
        context = _shown(found.context, limit, marks) or _from_prompt(messages, True, limit, marks)
        if context and letters(context) == letters(found.query or ""):
            context = None  # the prompt is the bare question
    return Retrieval(
        top_k=_top_k(tree, found),
        latency_ms=_latency(tree, found),
        prompt_context=context,
        chunks=None if documents is None else [_chunk(document) for document in documents[:MAX_CHUNKS]],
    )


def _given(tree: Tree, path: list[int], messages: list[ChatMessage] | None) -> Iterator[Any]:
    """What the generation was given: its prompt, else what the steps around it were, from the inside out."""
    if messages:
        yield [message.text for message in messages]
    for i in reversed(path):
        if tree.steps[i].kind in (Kind.CHAIN, Kind.AGENT) and tree.steps[i].input is not None:
            yield tree.steps[i].input


def _chunk(document: Document) -> Chunk:
    return Chunk(
        id=document.id,
        doc_id=document.doc_id,
        text=document.text,
        score=document.score,
        rerank_score=document.rerank_score,
    )


def _cut_texts(documents: list[Document], limit: Limit, marks: Marks) -> list[Document]:
    """Texts of which only the beginning is there are no texts; the beginnings are kept apart."""
    beginnings = []
    for document in documents:
        if is_hidden(document.text):
            document.text = None
        elif document.text is not None and limit.cuts(document.text):
            beginnings.append(document.text)
            document.text = None
    if beginnings:
        marks.cut("chunk_texts", beginnings, len(beginnings))
    if len(documents) > MAX_CHUNKS:
        marks.cut("chunks", None, len(documents) - MAX_CHUNKS)
    return documents


def _note_lost(tree: Tree, found: Found, limit: Limit, marks: Marks) -> None:
    """Lists of passages whose JSON was cut, and attributes that were dropped for being too many."""
    spans = [tree.steps[i].span for i in found.steps]
    if found.documents is None and found.context is None:
        values = [value for span in spans for value in span.attributes.values() if isinstance(value, str)]
        if any(is_cut_json(value) and (limit.cuts(value) or limit.chars is None) for value in values):
            marks.cut("chunks")
    dropped = sum(span.dropped for span in spans)
    if dropped:
        marks.cut("attributes", None, dropped)


def _shown(text: str | None, limit: Limit, marks: Marks) -> str | None:
    if text is None or is_hidden(text):
        return None
    if limit.cuts(text):
        marks.cut("prompt_context", text)
        return None
    return text


def _from_prompt(messages: list[ChatMessage] | None, certain: bool, limit: Limit, marks: Marks) -> str | None:
    """The passages inside the final prompt, if the prompt is whole."""
    if not messages:
        return None
    if any(limit.cuts(message.text) for message in messages):
        if certain:
            marks.cut("prompt_context")
        return None
    return find_context(messages, certain=certain)


def _without_other_tools(tree: Tree, messages: list[ChatMessage] | None) -> list[ChatMessage] | None:
    """Without what tools gave back that are no searches. A result is that of its name, else of its turn."""
    if messages is None:
        return None
    known = which_search(tree, {call.name for message in messages for call in message.calls})
    kept, waiting = [], deque[str]()
    for message in messages:
        if message.role != TOOL:
            waiting = deque(call.name for call in message.calls) or waiting
            kept.append(message)
            continue
        turn = waiting.popleft() if waiting else ""
        if (message.name if message.name in known else turn) in known:
            kept.append(message)
    return kept


def _latency(tree: Tree, found: Found) -> float | None:
    """Of all searches together."""
    known = [
        duration
        for i in found.steps
        if tree.steps[i].kind is Kind.RETRIEVER and (duration := tree.steps[i].span.duration_ms) is not None
    ]
    return sum(known) if known else None


def _top_k(tree: Tree, found: Found) -> int | None:
    return next((top_k for i in found.steps if (top_k := tree.steps[i].top_k) is not None), None)


__all__ = ["build_retrieval"]
