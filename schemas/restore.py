"""A trace back from its row in table `traces`: what is scored again, or learned from, was stored by us.

What a row does not hold is lost: `gold` (its metrics are in the row) and unknown keys of parts. An empty
string in a column that is never null reads as null. `timestamp` is the row's, whoever said it, so that
what is written about the trace has the same key; `language` is the detected one where there was none.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from schemas.trace import Trace

TRACE_COLUMNS: Final = (
    "trace_id", "timestamp", "app", "tenant", "environment", "intent", "language", "release_app",
    "release_prompt", "release_index", "release_embedding_model", "release_reranker", "release_generator",
    "conversation_id", "turn", "question", "rewritten_query", "answer", "history", "chunks", "prompt_context",
    "retrieval_state", "retrieval_error", "retrieval_latency_ms", "top_k", "min_score", "model",
    "finish_reason", "generation_error", "generation_latency_ms", "ttft_ms", "input_tokens", "output_tokens",
    "cost_usd", "feedback_rating", "feedback_comment", "extra",
)  # fmt: skip
"""The columns of table `traces` that `trace_from_row` reads."""

_SAME: Final = ("app", "tenant", "environment", "intent", "language", "conversation_id")
_RELEASE: Final = ("app", "prompt", "index", "embedding_model", "reranker", "generator")
_GENERATION: Final = {
    "model": "model",
    "finish_reason": "finish_reason",
    "latency_ms": "generation_latency_ms",
    "ttft_ms": "ttft_ms",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cost_usd": "cost_usd",
    "error": "generation_error",
}
_NEVER_NULL: Final = ("model", "finish_reason")
_RETRIEVAL: Final = {
    "top_k": "top_k",
    "min_score": "min_score",
    "latency_ms": "retrieval_latency_ms",
    "error": "retrieval_error",
    "prompt_context": "prompt_context",
}


class TextsGone(ValueError):
    """The row is there, its texts are not: they were kept for a shorter time than its scores."""


def trace_from_row(row: Mapping[str, Any]) -> Trace:
    """The trace that `schemas.row.trace_row` flattened into this row (see `TRACE_COLUMNS`).

    Raises TextsGone where retention has taken the texts, ValueError where the row is no row of ours.
    """
    history = row["history"]
    if not history:  # an empty history is written as [], never as nothing
        raise TextsGone(f"the texts of trace {row['trace_id']!r} are no longer kept")
    return Trace.model_validate(
        {
            "trace_id": row["trace_id"],
            "timestamp": _moment(row["timestamp"]),
            **{name: row[name] or None for name in _SAME},
            "release": _part({name: row[f"release_{name}"] or None for name in _RELEASE}),
            "turn": row["turn"],
            "history": orjson.loads(history),
            "question": row["question"],
            "rewritten_query": row["rewritten_query"],
            "retrieval": _retrieval(row),
            "generation": _part({name: _known(name, row[column]) for name, column in _GENERATION.items()}),
            "answer": row["answer"],
            "feedback": _part({"rating": row["feedback_rating"], "comment": row["feedback_comment"]}),
            "extra": orjson.loads(row["extra"]) if row["extra"] else None,
        }
    )


def _part(values: dict[str, Any]) -> dict[str, Any] | None:
    """A part of the trace; null where nothing is known of it. Zero is something, and so is an empty text."""
    known = {name: value for name, value in values.items() if value is not None}
    return known or None


def _known(name: str, value: Any) -> Any:
    """Null for the empty string of a column that is never null."""
    return None if name in _NEVER_NULL and value == "" else value


def _retrieval(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Null means that no retrieval was seen, which is not the same as one that says nothing."""
    if row["retrieval_state"] == "none":
        return None
    chunks = row["chunks"]
    return {
        **{name: row[column] for name, column in _RETRIEVAL.items()},
        "chunks": orjson.loads(chunks) if chunks is not None else None,
    }


def _moment(value: datetime | str) -> datetime:
    """A time of the store, which keeps all in UTC and may hand it over without saying so."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


__all__ = ["TRACE_COLUMNS", "TextsGone", "trace_from_row"]
