"""Spans that no library should write: a trace or a counted reason comes back, in bounded time."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.formats.assembly import NOT_RAG_REASONS, NotRag, assemble
from schemas.formats.base import REASONS, Unreadable
from schemas.formats.exports import read_langfuse, read_langsmith, read_span_json, read_trulens
from schemas.formats.otlp import read_json, read_parsed, read_proto
from schemas.formats.span import Event, Span
from schemas.trace import LateFeedback, Trace
from stream.files.convert import own_line

NAMES = [
    "openinference.span.kind",
    "input.value",
    "output.value",
    "retrieval.documents",
    "retrieval.documents.0.document.content",
    "llm.input_messages.0.message.content",
    "llm.input_messages.0.message.role",
    "llm.output_messages.x.message",
    "gen_ai.operation.name",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.retrieval.documents",
    "gen_ai.usage.input_tokens",
    "gen_ai.prompt.0.content",
    "gen_ai.completion",
    "gen_ai.response.finish_reasons",
    "traceloop.span.kind",
    "traceloop.entity.input",
    "traceloop.entity.output",
    "langfuse.observation.type",
    "langfuse.observation.input",
    "langfuse.observation.output",
    "langfuse.observation.usage_details",
    "ai.prompt",
    "ai.operationId",
    "ai.ranking",
    "ai.documents",
    "haystack.component.type",
    "haystack.component.output",
    "haystack.component.input",
    "db.vector.query.content",
    "mlflow.spanType",
    "mlflow.spanOutputs",
    "metadata",
    "tag.tags",
    "langsmith.span.kind",
    "gen_ai.prompt",
    "spring.ai.kind",
    "ai.observability.span_type",
    "session.id",
    "events",
    "rerank.kept_ids",
    "pydantic_ai.all_messages",
    "langfuse.score",
]
WORDS = st.sampled_from(
    [
        "LLM",
        "RETRIEVER",
        "RERANKER",
        "CHAIN",
        "chat",
        "retrieval",
        "generation",
        "retriever",
        "workflow",
        "question?",
        "ai.generateText.doGenerate",
        "ai.rerank",
        "InMemoryRetriever",
        "{",
        '{"question": "那',
        "[[",
        "['a', ",
        "[]",
        "{}",
        "",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | WORDS | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "parts",
                    "documents",
                    "messages",
                    "id",
                    "score",
                    "text",
                    "input",
                    "kwargs",
                    "args",
                    "lc",
                    "type",
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
WRITTEN = VALUES | VALUES.map(
    lambda value: (
        orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode() if _fits(value) else ""
    )
)
IDS = st.sampled_from(["", "a", "b", "c", "00f067aa0ba902b7", "zz"])


def _fits(value: Any) -> bool:
    try:
        orjson.dumps(value)
    except TypeError:
        return False
    return True


@st.composite
def spans(draw: st.DrawFn) -> Span:
    attributes = draw(st.dictionaries(st.sampled_from(NAMES), WRITTEN, max_size=5))
    events = draw(
        st.lists(
            st.sampled_from(
                [
                    "exception",
                    "gen_ai.choice",
                    "gen_ai.user.message",
                    "gen_ai.evaluation.result",
                    "db.query.result",
                ]
            ),
            max_size=2,
        )
    )
    return Span(
        "t",
        draw(IDS),
        draw(IDS),
        draw(st.sampled_from(["retrieve", "rerank", "search_kb", "chat", "", "检索"])),
        draw(st.integers(0, 2**64)),
        draw(st.integers(0, 2**64)),
        attributes,
        tuple(
            Event(
                name,
                draw(st.integers(-5, 2**63)),
                draw(
                    st.dictionaries(
                        st.sampled_from(
                            ["content", "message", "gen_ai.evaluation.name", "exception.message"]
                        ),
                        WRITTEN,
                        max_size=2,
                    )
                ),
            )
            for name in events
        ),
        status=draw(st.integers(-1, 4)),
    )


def a_result(spans: list[Span]) -> Trace | LateFeedback | NotRag:
    found = assemble(spans)
    if isinstance(found, NotRag):
        assert found.reason in NOT_RAG_REASONS
    else:
        assert orjson.loads(own_line(found))["trace_id"] == "t"
    return found


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(spans(), max_size=6))
def test_any_spans_come_out_as_a_trace_or_a_reason(made: list[Span]) -> None:
    a_result(made)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_any_json_is_read_or_refused_with_a_reason(value: Any) -> None:
    for read in (read_langfuse, read_langsmith, read_span_json, read_trulens):
        assert isinstance(read(value), list)
    found = read_parsed({"resourceSpans": [{"scopeSpans": [{"spans": [value]}], "resource": value}, value]})
    assert isinstance(found, list | Unreadable)
    for span in found if isinstance(found, list) else ():
        assemble([span])


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_with_a_reason(data: bytes) -> None:
    for read in (read_json, read_proto):
        found = read(data)
        assert isinstance(found, list) or found.reason in REASONS


def chat(i: int, parent: str, **attributes: Any) -> Span:
    return Span(
        "t",
        f"{i:016x}",
        parent,
        "chat",
        10**18 + i,
        10**18 + i + 5,
        {"gen_ai.operation.name": "chat", **attributes},
    )


def test_parents_in_a_circle_are_cut_open() -> None:
    ring = [chat(i, f"{(i + 1) % 50:016x}") for i in range(50)]
    found = a_result(ring)
    assert isinstance(found, Trace)
    assert a_result([chat(1, f"{1:016x}")])


def test_a_hundred_thousand_spans_in_one_trace_are_read() -> None:
    spans = [chat(i, f"{max(0, i - 1):016x}" if i else "") for i in range(100_000)]
    random.Random(1).shuffle(spans)
    found = a_result(spans)
    assert isinstance(found, Trace)
    assert found.generation is not None


def test_a_flat_crowd_of_retrievals_keeps_the_first_thousand_chunks() -> None:
    spans = [
        Span(
            "t",
            f"{i:016x}",
            "",
            "r",
            i + 1,
            i + 2,
            {
                "openinference.span.kind": "RETRIEVER",
                "input.value": "q",
                "retrieval.documents": [{"id": f"{i}-{j}", "text": f"passage {i} {j}"} for j in range(20)],
            },
        )
        for i in range(200)
    ]
    found = a_result(spans)
    assert isinstance(found, Trace)
    assert found.retrieval is not None
    assert len(found.retrieval.chunks or ()) == 1_000
    assert (found.extra or {})["ragpulse_cut"] == {"chunks": 3_000}


@pytest.mark.parametrize("start", [0, 2**63, 5])
def test_a_clock_that_went_backwards_measures_nothing(start: int) -> None:
    span = Span("t", "a" * 16, "", "chat", start, 1, {"gen_ai.operation.name": "chat"})
    found = a_result([span])
    assert isinstance(found, Trace)
    assert found.generation is not None
    assert found.generation.latency_ms is None


def test_deep_json_inside_an_attribute_is_left_alone() -> None:
    deep = "[" * 500 + "]" * 500
    assert a_result(
        [
            chat(
                1,
                "",
                **{"gen_ai.input.messages": deep, "input.value": deep, "openinference.span.kind": "CHAIN"},
            )
        ]
    )
