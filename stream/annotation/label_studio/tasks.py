"""A case as a Label Studio task, with what was said of it as annotations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from judges.annotation.votes import Vote
from schemas.annotation import AnnotationItem, ItemRole
from stream.annotation.label_studio.results import result_of

NOTHING_FOUND: Final = {"id": "–", "text": "(nothing was found / 没有检索到内容)"}
NO_ANSWER: Final = "(no answer / 没有回答)"


def task_of(item: AnnotationItem, votes: Iterable[Vote] = ()) -> dict[str, Any]:
    """The case in Label Studio's JSON. Texts are as they are in the queue: redacted.

    `annotator` and `role` of an annotation are ours: a Label Studio that imports the task does not know our
    annotators, takes the annotation for its own user's, and passes over the two keys.
    """
    trace = item.trace
    retrieval = trace.get("retrieval") or {}
    chunks = [
        {"id": str(chunk.get("id") or place), "text": chunk.get("text") or ""}
        for place, chunk in enumerate(retrieval.get("chunks") or (), 1)
    ]
    return {
        "data": {
            "item_id": item.item_id,
            "trace_id": item.trace_id,
            "language": item.language,
            "question": trace.get("question") or "",
            "history": "\n".join(
                f"{turn.get('role')}: {turn.get('content') or ''}" for turn in trace.get("history") or ()
            ),
            "rewritten_query": trace.get("rewritten_query") or "",
            "chunks": chunks or [NOTHING_FOUND],
            "chunk_choices": [{"value": chunk["id"]} for chunk in chunks],
            "answer": trace.get("answer") or NO_ANSWER,
        },
        "annotations": [_annotation(vote) for vote in votes],
    }


def is_task(entry: Mapping[str, Any]) -> bool:
    """Whether this is a task of Label Studio, and no line of ours."""
    return isinstance(entry.get("data"), dict)


def who_of(annotation: Mapping[str, Any]) -> str:
    """Who made an annotation: our name for them, their address there without its domain, or their number."""
    said = annotation.get("annotator") or annotation.get("completed_by")
    if isinstance(said, dict):
        said = said.get("email") or said.get("username") or said.get("id")
    if isinstance(said, int) and not isinstance(said, bool):
        return f"label-studio-{said}"
    return str(said).partition("@")[0].strip() if said else ""


def _annotation(vote: Vote) -> dict[str, Any]:
    return {
        "annotator": vote.annotator,
        "role": vote.role.value,
        "result": result_of(vote.said) if vote.said else [],
        "was_cancelled": vote.role is ItemRole.SKIP,
        "ground_truth": vote.role is ItemRole.ARBITRATION,
        "created_at": vote.at.isoformat(),
    }


__all__ = ["NOTHING_FOUND", "NO_ANSWER", "is_task", "task_of", "who_of"]
