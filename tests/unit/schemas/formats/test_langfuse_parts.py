"""Langfuse's ingestion as its JavaScript SDK 3.39 sends it: creations and updates lie in several batches."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.assembly import assemble
from schemas.formats.exports import read_langfuse
from schemas.formats.span import Span
from schemas.trace import Trace
from tests.unit.schemas.formats.spans import texts

Q, REWRITTEN, A = "And if I pay?", "upload limit of paid plans", "Up to 2 GB."
DOCS = [{"id": "k1", "text": "Paid plans: 2 GB a file.", "score": 0.9}]


def event(kind: str, second: int, **body: Any) -> dict[str, Any]:
    moment = f"2026-11-01T10:00:{second:02}.000Z"
    return {"id": f"{kind}{second}", "type": kind, "timestamp": moment, "body": {"traceId": "t1", **body}}


def at(second: int) -> str:
    return f"2026-11-01T10:00:{second:02}.000Z"


TRACE = {"id": "t1", "name": "rag", "timestamp": at(0), "release": "v9"}
EVENTS = [
    event("trace-create", 0, **TRACE, input={"question": Q}, userId="u", sessionId="s"),
    event(
        "generation-create", 1, id="w", name="rewrite", model="m-0", startTime=at(1), input=f"Rewrite: {Q}"
    ),
    event("generation-update", 2, id="w", endTime=at(2), output={"role": "assistant", "content": REWRITTEN}),
    event("span-create", 3, id="r", name="retrieval", startTime=at(3), input=REWRITTEN),
    event(
        "generation-create",
        4,
        id="e",
        parentObservationId="r",
        name="embedding",
        model="emb",
        startTime=at(4),
    ),
    event("generation-update", 5, id="e", endTime=at(5), usage={"input": 3}),
    event("span-update", 6, id="r", endTime=at(6), output=DOCS),
    event(
        "generation-create",
        7,
        id="g",
        name="answer",
        model="m-1",
        startTime=at(7),
        input=f"{DOCS[0]['text']} {Q}",
    ),
    event(
        "generation-update",
        8,
        id="g",
        endTime=at(9),
        output=A,
        usage={"promptTokens": 90, "completionTokens": 9},
    ),
    event("trace-create", 9, **TRACE, output={"answer": A}),
    event("trace-create", 10, **TRACE, output={"answer": A}, tags=["x"]),
]


def read(events: list[dict[str, Any]], size: int) -> list[Span]:
    batches = (events[i : i + size] for i in range(0, len(events), size))
    return [span for batch in batches for span in read_langfuse({"batch": batch, "metadata": {}})]


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("order", [1, -1])
def test_however_it_is_cut_into_batches_it_says_the_same(size: int, order: int) -> None:
    trace = assemble(read(EVENTS[::order], size))
    assert isinstance(trace, Trace)
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, REWRITTEN, A)
    assert texts(trace) == [DOCS[0]["text"]]
    assert trace.generation is not None
    assert (trace.generation.model, trace.generation.input_tokens, trace.generation.latency_ms) == (
        "m-1",
        90,
        2_000,
    )
    assert trace.release is not None
    assert (trace.release.app, trace.release.embedding_model) == ("v9", "emb")
    assert trace.conversation_id == "s"
    assert (trace.extra or {})["tags"] == ["x"]


def test_what_was_told_last_stands() -> None:
    later = event("generation-update", 20, id="g", output="Up to 3 GB.")
    final = event("trace-create", 20, **TRACE, output={"answer": "Up to 3 GB."})
    for events in ([*EVENTS, later, final], [final, later, *EVENTS]):
        trace = assemble(read(events, 2))
        assert isinstance(trace, Trace)
        assert trace.answer == "Up to 3 GB."


def test_an_embedding_that_is_logged_as_a_generation_answers_nothing() -> None:
    failed = event("span-update", 6, id="r", level="ERROR", statusMessage="index is gone")
    trace = assemble(read([EVENTS[0], *EVENTS[3:6], failed], 100))
    assert isinstance(trace, Trace)
    assert (trace.question, trace.answer, trace.generation) == (Q, None, None)
    assert trace.retrieval is not None
    assert trace.retrieval.error == "index is gone"
