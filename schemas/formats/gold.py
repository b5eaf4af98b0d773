"""The truth that an experiment's item brings along: what was expected of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from schemas.formats.reading import read_answer
from schemas.formats.values import parse, unquote
from schemas.trace import Gold

_CHUNKS: Final = (
    "chunk_ids", "chunkIds", "expected_chunk_ids", "relevant_chunk_ids", "gold_chunk_ids", "relevant_ids",
    "expected_ids", "document_ids", "documentIds", "expected_document_ids", "relevant_document_ids",
    "doc_ids", "relevant_docs", "expected_chunks", "node_ids", "source_ids",
)  # fmt: skip
_REFUSES: Final = ("should_refuse", "shouldRefuse", "unanswerable", "is_unanswerable", "expect_refusal")
_ANSWERS: Final = (
    "expected_output", "expectedOutput", "expected_answer", "reference_answer", "ground_truth", "reference",
    "gold_answer", "answer",
)  # fmt: skip


def read_gold(expected: Any, beside: Any = None) -> Gold | None:
    """What was expected: a text, or an object with an answer, ids of chunks, whether to refuse.

    `beside` is the item's metadata, where ids and the like may stand apart from the answer.
    """
    found = parse(unquote(expected)) if expected is not None else None
    places = [place for place in (found, parse(beside)) if isinstance(place, Mapping)]
    answer = _answer(found)
    chunks = next((ids for place in places if (ids := _ids(place)) is not None), None)
    refuse = next((held for place in places if (held := _flag(place)) is not None), None)
    if answer is None and chunks is None and refuse is None:
        return None
    return Gold(chunk_ids=chunks, answer=answer, should_refuse=refuse)


def _answer(found: Any) -> str | None:
    if isinstance(found, Mapping):
        for name in _ANSWERS:
            if isinstance(found.get(name), str) and found[name].strip():
                return str(found[name])
    return read_answer(found) if found is not None else None


def _ids(place: Mapping[str, Any]) -> list[str] | None:
    for name in _CHUNKS:
        held = parse(place.get(name))
        if isinstance(held, list) and all(isinstance(item, str | int) for item in held):
            return [str(item) for item in held]
        if isinstance(held, list) and held and all(_has_id(item) for item in held):
            return [str(item["id"]) for item in held]
    return None


def _has_id(item: Any) -> bool:
    return isinstance(item, Mapping) and isinstance(item.get("id"), str | int)


def _flag(place: Mapping[str, Any]) -> bool | None:
    return next((place[name] for name in _REFUSES if isinstance(place.get(name), bool)), None)


__all__ = ["read_gold"]
