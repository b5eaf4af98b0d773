"""Searches that a provider does for its model, told in the reply of the model (OpenAI Responses)."""

from __future__ import annotations

from typing import Any, Final

from schemas.formats.conventions.common import query_in
from schemas.formats.documents import Document, read_documents
from schemas.formats.step import Step
from schemas.formats.values import parse

_CALLS: Final = frozenset({"file_search_call", "file_search"})


def read_searches(step: Step, reply: Any) -> None:
    """Queries and results of searches in a reply, in their order, into the step of the model."""
    if isinstance(reply, str) and "file_search" not in reply:
        return
    opened = parse(reply)
    items = opened.get("output") if isinstance(opened, dict) else opened
    calls = [
        item
        for item in (items if isinstance(items, list) else ())
        if isinstance(item, dict) and item.get("type") in _CALLS
    ]
    found: list[Document] | None = None
    for call in calls:
        documents = read_documents(call.get("results"))
        if documents is not None:
            found = (found or []) + documents
        step.query = step.query or query_in(call)
    step.documents = found


__all__ = ["read_searches"]
