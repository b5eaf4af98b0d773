"""Exports of other tools: the same trace, whichever shape it was downloaded in."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from schemas.formats.assembly import NotRag, assemble
from schemas.formats.exports.times import read_moment
from schemas.formats.foreign import read_recognised, recognise
from schemas.formats.span import Span
from schemas.trace import LateFeedback, Trace
from stream.files.convert import own_line

FOLDER = Path(__file__).resolve().parents[5] / "shared" / "data" / "traces"
OTHERS = sorted(
    path for name in ("langfuse", "openinference", "trulens") for path in (FOLDER / name).glob("*.json*")
)


def convert(value: Any) -> list[Trace | LateFeedback | NotRag]:
    name = recognise(value)
    assert name is not None
    spans = read_recognised(value, name)
    assert isinstance(spans, list)
    traces: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        traces[span.trace_id].append(span)
    return [assemble(held) for held in traces.values()]


def one(value: Any) -> Trace:
    (trace,) = convert(value)
    assert isinstance(trace, Trace)
    return trace


OBSERVATIONS: list[dict[str, Any]] = [
    {
        "id": "r",
        "traceId": "t1",
        "type": "SPAN",
        "name": "kb_search",
        "parentObservationId": None,
        "startTime": "2026-11-01T10:00:01Z",
        "endTime": "2026-11-01T10:00:02Z",
        "input": '"q?"',
        "output": '[{"id": "k1", "text": "one", "score": 0.9}]',
    },
    {
        "id": "g",
        "traceId": "t1",
        "type": "GENERATION",
        "name": "answer",
        "parentObservationId": None,
        "startTime": "2026-11-01T10:00:02Z",
        "endTime": "2026-11-01T10:00:04Z",
        "completionStartTime": "2026-11-01T10:00:02.500Z",
        "model": "m",
        "input": '[{"role": "user", "content": "one. q?"}]',
        "output": '"a"',
        "usageDetails": {"input": 9, "output": 3},
        "costDetails": {"total": 0.01},
        "promptName": "rag",
        "promptVersion": 7,
    },
]
SCORES = [
    {
        "id": "s",
        "name": "user-feedback",
        "value": 0,
        "dataType": "NUMERIC",
        "source": "API",
        "comment": "no",
        "traceId": "t1",
    }
]
TRACE = {
    "id": "t1",
    "name": "rag",
    "timestamp": "2026-11-01T10:00:00Z",
    "userId": "u",
    "sessionId": "c",
    "release": "v9",
    "environment": "prod",
    "tags": ["x"],
    "input": '"q?"',
    "output": '"a"',
    "metadata": '{"tenant": "acme"}',
}
BATCH = {
    "batch": [
        {"id": "e1", "type": "trace-create", "body": TRACE},
        {
            "id": "e2",
            "type": "span-create",
            "body": {k: v for k, v in OBSERVATIONS[0].items() if k != "type"},
        },
        {
            "id": "e3",
            "type": "generation-create",
            "body": {"id": "g", "traceId": "t1", "startTime": "2026-11-01T10:00:02Z"},
        },
        {
            "id": "e4",
            "type": "generation-update",
            "body": {k: v for k, v in OBSERVATIONS[1].items() if k != "type"},
        },
        {"id": "e5", "type": "score-create", "body": SCORES[0]},
    ]
}
LANGFUSE = {
    "a trace": {**TRACE, "observations": OBSERVATIONS, "scores": SCORES},
    "a trace in an envelope": {
        "trace": {**TRACE, "observations": [], "scores": SCORES},
        "observations": OBSERVATIONS,
    },
    "a page": {"data": [{**TRACE, "observations": OBSERVATIONS, "scores": SCORES}]},
    "an ingestion batch": BATCH,
}


@pytest.mark.parametrize("value", LANGFUSE.values(), ids=LANGFUSE.keys())
def test_every_shape_of_langfuse_says_the_same(value: Any) -> None:
    trace = one(value)
    assert (trace.trace_id, trace.question, trace.answer) == ("t1", "q?", "a")
    assert trace.retrieval is not None
    assert [(c.id, c.text, c.score) for c in trace.retrieval.chunks or ()] == [("k1", "one", 0.9)]
    assert trace.generation is not None
    assert (trace.generation.model, trace.generation.input_tokens, trace.generation.cost_usd) == (
        "m",
        9,
        0.01,
    )
    assert trace.generation.ttft_ms == 500
    assert (trace.conversation_id, trace.tenant, trace.environment) == ("c", "acme", "prod")
    assert trace.release is not None
    assert (trace.release.app, trace.release.prompt) == ("v9", "rag@7")
    assert trace.feedback is not None
    assert (trace.feedback.rating, trace.feedback.comment) == (-1, "no")
    assert (trace.extra or {})["user_id"] == "u"
    assert trace.timestamp is not None
    assert trace.timestamp.isoformat() == "2026-11-01T10:00:00+00:00"


def test_observations_in_the_spelling_of_file_exports_are_read() -> None:
    lines = [
        {
            "id": o["id"],
            "trace_id": "t1",
            "type": o["type"],
            "name": o["name"],
            "parent_observation_id": None,
            "start_time": o["startTime"],
            "end_time": o["endTime"],
            "input": o["input"],
            "output": o["output"],
        }
        for o in OBSERVATIONS
    ]
    trace = one(lines)
    assert trace.answer == "a"
    assert trace.retrieval is not None


def test_a_score_whose_trace_is_elsewhere_is_late_feedback() -> None:
    (found,) = convert(SCORES)
    assert isinstance(found, LateFeedback)
    assert (found.trace_id, found.feedback.rating) == ("t1", -1)


def run(kind: str, identity: str, given: Any, came: Any, at: int, **more: Any) -> dict[str, Any]:
    moment = f"2026-11-01T10:00:{at:02}.000000+00:00"
    return {
        "id": identity,
        "trace_id": "root",
        "parent_run_id": "root" if identity != "root" else None,
        "name": identity,
        "run_type": kind,
        "inputs": given,
        "outputs": came,
        "start_time": moment,
        "end_time": moment,
        "session_name": "helpdesk",
        "extra": {"metadata": {"ls_model_name": "m", "session_id": "c"}},
        **more,
    }


RUNS = [
    run(
        "chain",
        "root",
        {"question": "q?"},
        {"answer": "a"},
        0,
        tags=["x"],
        feedback_stats={"user_score": {"n": 1, "avg": 1.0}},
    ),
    run(
        "retriever",
        "kb",
        {"query": "q?"},
        {"documents": [{"page_content": "one", "metadata": {"id": "k1"}, "type": "Document"}]},
        1,
    ),
    run(
        "llm",
        "chat",
        {
            "messages": [
                [{"lc": 1, "type": "constructor", "id": ["HumanMessage"], "kwargs": {"content": "one. q?"}}]
            ]
        },
        {"generations": [[{"text": "a", "message": {"kwargs": {"content": "a"}}}]]},
        2,
        prompt_tokens=9,
        completion_tokens=3,
    ),
]


@pytest.mark.parametrize(
    "value", [RUNS, {"runs": RUNS}, {**RUNS[0], "child_runs": RUNS[1:]}], ids=["list", "page", "tree"]
)
def test_runs_of_langsmith_are_read_in_every_shape(value: Any) -> None:
    trace = one(value)
    assert (trace.question, trace.answer, trace.conversation_id) == ("q?", "a", "c")
    assert trace.retrieval is not None
    assert [chunk.text for chunk in trace.retrieval.chunks or ()] == ["one"]
    assert trace.generation is not None
    assert (trace.generation.model, trace.generation.input_tokens) == ("m", 9)
    assert trace.app == "helpdesk"


def test_a_run_that_failed_says_why_in_one_line() -> None:
    trace = one(
        [
            RUNS[0] | {"outputs": None, "error": "x"},
            run(
                "llm",
                "chat",
                {"prompts": ["q?"]},
                None,
                2,
                error="Traceback (most recent call last):\n  File\nTimeoutError: too slow",
            ),
        ]
    )
    assert trace.generation is not None
    assert trace.generation.error == "TimeoutError: too slow"


SPAN = {
    "name": "llm",
    "context": {"trace_id": "0xabc1", "span_id": "0x01"},
    "parent_id": None,
    "start_time": "2026-11-01T10:00:00Z",
    "end_time": "2026-11-01T10:00:01Z",
    "attributes": {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m",
        "input.value": "q?",
        "output.value": "a",
    },
}
SHAPES = {
    "Phoenix": SPAN | {"span_kind": "LLM", "status_code": "OK"},
    "nested attributes": SPAN
    | {
        "attributes": {
            "openinference": {"span": {"kind": "LLM"}},
            "llm": {"model_name": "m"},
            "input": {"value": "q?"},
            "output": {"value": "a"},
        }
    },
    "a table's row": {
        "name": "llm",
        "span_kind": "LLM",
        "context.trace_id": "abc1",
        "context.span_id": "01",
        "parent_id": None,
        "start_time": "2026-11-01T10:00:00",
        "end_time": None,
        "attributes.input.value": "q?",
        "attributes.output.value": "a",
        "attributes.llm.model_name": "m",
    },
    "JavaScript": {
        "name": "llm",
        "spanContext": {"traceId": "abc1", "spanId": "01"},
        "startTime": [1790000000, 5],
        "endTime": [1790000001, 5],
        "status": {"code": 0},
        "attributes": SPAN["attributes"],
    },
    "a list": {"spans": [SPAN]},
}


@pytest.mark.parametrize("value", SHAPES.values(), ids=SHAPES.keys())
def test_single_spans_are_read_in_every_shape(value: Any) -> None:
    trace = one(value)
    assert (trace.trace_id, trace.question, trace.answer) == ("abc1", "q?", "a")
    assert trace.generation is not None
    assert trace.generation.model == "m"
    assert trace.timestamp is not None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2026-11-01T10:00:00Z", 1793527200),
        ("2026-11-01 10:00:00.000000+00:00", 1793527200),
        (1793527200, 1793527200),
        (1793527200000, 1793527200),
        ("1793527200000000000", 1793527200),
        ([1793527200, 0], 1793527200),
        ("soon", 0),
        (None, 0),
        (-5, 0),
        ([1], 0),
    ],
)
def test_moments_of_every_unit_are_nanoseconds(value: Any, seconds: int) -> None:
    assert read_moment(value) == seconds * 10**9


@pytest.mark.shared
@pytest.mark.skipif(not OTHERS, reason=f"{FOLDER} is not here")
@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.name)
def test_real_exports_are_converted_without_an_exception(path: Path) -> None:
    text = path.read_text()
    values = (
        [json.loads(text)] if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]
    )
    found = [item for value in values for item in convert(value)]
    traces = [item for item in found if isinstance(item, Trace)]
    assert traces
    assert all(json.loads(own_line(trace))["trace_id"] for trace in traces)
    if "langfuse" in path.parts:
        assert all(trace.question for trace in traces)
