"""Langfuse's newer exports: rows of traces and of observations (v3 blob storage), observations of API v2."""

from __future__ import annotations

from typing import Any

from schemas.trace import Trace
from tests.unit.schemas.formats.spans import read_export, texts
from tests.unit.schemas.formats.writers_otel import DOCS, A, Q, dump

ROW = {"trace_id": "t1", "project_id": "p", "level": "DEFAULT", "parent_observation_id": None}
FOUND = {**ROW, "id": "r", "type": "RETRIEVER", "name": "kb", "start_time": "2026-11-01 10:00:01.000"}
FOUND |= {"input": dump({"query": Q, "k": 2}), "output": dump(DOCS)}
CALLED = {**ROW, "id": "g", "type": "GENERATION", "name": "llm", "start_time": "2026-11-01 10:00:02.000"}
CALLED |= {"provided_model_name": "m-1", "input": dump([{"role": "user", "content": Q}]), "output": A}
TRACE: dict[str, Any] = {"id": "t1", "timestamp": "2026-11-01 10:00:00.000", "name": "rag"}
TRACE |= {
    "session_id": "s",
    "user_id": "u",
    "release": "v9",
    "tags": ["x"],
    "bookmarked": False,
    "input": dump({"question": Q}),
    "output": A,
}


def one(*values: Any) -> Trace:
    return read_export(values, "langfuse")


def test_rows_of_traces_and_of_observations_belong_together() -> None:
    trace = one(TRACE, CALLED, FOUND)
    assert (trace.question, trace.answer, trace.conversation_id) == (Q, A, "s")
    assert texts(trace) == [document["text"] for document in DOCS]
    assert trace.retrieval is not None
    assert trace.retrieval.top_k == 2
    assert trace.generation is not None
    assert trace.generation.model == "m-1"
    assert trace.extra == {"user_id": "u", "tags": ["x"]}


def test_observations_say_whose_trace_they_are_of() -> None:
    """API v2: the trace's user and session stand on each, the model under a name of its own."""
    shared = {
        "sessionId": "s",
        "userId": "u",
        "metadata": {"resourceAttributes": {"service.name": "helpdesk"}},
    }
    named = {"traceId": "t1", "parentObservationId": None, **shared}
    found = {**named, "id": "r", "type": "RETRIEVER", "input": dump({"query": Q}), "output": dump(DOCS)}
    called = {
        **named,
        "id": "g",
        "type": "GENERATION",
        "providedModelName": "m-1",
        "model": None,
        "output": A,
    }
    trace = one({"data": [found, called], "meta": {"cursor": None}})
    assert (trace.conversation_id, trace.app) == ("s", "helpdesk")
    assert trace.generation is not None
    assert trace.generation.model == "m-1"


def test_numbers_where_lists_belong_are_passed_over() -> None:
    trace = one({**TRACE, "observations": [], "scores": 7})
    assert (trace.question, trace.answer) == (Q, A)
    assert one({"trace": {**TRACE, "observations": 7}, "scores": 7}).answer == A
