"""Texts that give judges orders, and traces with one of them in some place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.trace import Trace
from tests.support.judged_traces import GOLD, trace_of

FILE = Path(__file__).parents[1] / "data" / "injections.jsonl"


@dataclass(frozen=True)
class Injection:
    """`order` is the part of `text` that, heard in the wrong place, would be obeyed."""

    id: str
    language: str
    kind: str
    text: str
    order: str
    places: tuple[str, ...]
    repeat: int = 1

    @property
    def whole(self) -> str:
        """The text as often as it is to be repeated."""
        return self.text * self.repeat


def read_injections() -> list[Injection]:
    """All of the suite."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [Injection(**{**raw, "places": tuple(raw["places"])}) for raw in map(json.loads, lines)]


KINDS = ("hallucination", "healthy")


def pairs(injection: Injection) -> Iterator[tuple[str, Trace, Trace]]:
    """For each place: what it is, a trace without the injection, and with it. Good and bad traces in turn."""
    for number, place in enumerate(injection.places, len(injection.id)):
        kind = KINDS[number % len(KINDS)]
        plain = _prepare(trace_of(injection.language, kind).model_dump(mode="json"), place, injection)
        name = f"{injection.id} in {place} of a trace with {kind}"
        yield name, _trace(plain), _trace(_inject(plain, place, injection))


def _trace(fields: dict[str, Any]) -> Trace:
    return Trace.model_validate(fields)


def _prepare(fields: dict[str, Any], place: str, injection: Injection) -> dict[str, Any]:
    """What the trace must have, with and without the injection, for the place to exist."""
    if place == "gold":
        fields["gold"] = {"answer": GOLD[injection.language]}
    if place == "error":
        fields["retrieval"]["error"] = "timeout"
    if place == "rewritten":
        fields["rewritten_query"] = fields["question"]
    if place == "metadata":
        fields |= {"app": "help", "intent": "ask", "generation": {"model": "m", "finish_reason": "stop"}}
    if place == "feedback":
        fields["feedback"] = {"rating": -1, "comment": "no"}
    return fields


def _inject(plain: dict[str, Any], place: str, injection: Injection) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(json.dumps(plain))
    text = injection.whole
    chunk = fields["retrieval"]["chunks"][0]
    match place:
        case "question":
            fields["question"] += "\n" + text
        case "chunk":
            chunk["text"] += "\n" + text
            fields["retrieval"]["chunks"][-1]["text"] = (
                text + "\n" + fields["retrieval"]["chunks"][-1]["text"]
            )
        case "answer":
            fields["answer"] += "\n" + text
        case "history":
            fields["history"][-1]["content"] += "\n" + text
        case "history_role":
            fields["history"][-1]["role"] = text
        case "rewritten":
            fields["rewritten_query"] += "\n" + text
        case "error":
            fields["retrieval"]["error"] += ": " + text
        case "gold":
            fields["gold"]["answer"] += "\n" + text
        case "chunk_id" | "doc_id":
            chunk["id" if place == "chunk_id" else "doc_id"] = text
        case "cited_id":
            chunk["id"] = text
            fields["answer"] += f" ({text})"
        case "feedback":
            fields["feedback"]["comment"] = text
        case "metadata":
            fields["generation"]["finish_reason"] = "stop; " + text
            fields["generation"]["model"] = text
            fields["release"] = {"prompt": text, "app": text}
            fields |= {"app": text, "tenant": text, "intent": text, "language": text, "user_note": text}
        case _:
            raise ValueError(place)
    return fields


__all__ = ["FILE", "Injection", "pairs", "read_injections"]
