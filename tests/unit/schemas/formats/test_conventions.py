"""One question, retrieved for and answered, as each convention records it."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.conventions import read_step
from schemas.formats.span import Event, Span
from schemas.trace import Generation, Trace
from tests.unit.schemas.formats.spans import convert, span, texts
from tests.unit.schemas.formats.writers import WRITERS, langfuse, traceloop
from tests.unit.schemas.formats.writers_otel import DOCS, A, Q, dump, genai, openinference


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_each_convention_says_the_same(write: Any) -> None:
    trace = convert(*write())
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, None, A)
    assert texts(trace) == [document["text"] for document in DOCS]
    assert trace.retrieval is not None
    assert [chunk.id for chunk in trace.retrieval.chunks or ()] == ["k1", "k2"]
    assert [chunk.score for chunk in trace.retrieval.chunks or ()] == [0.9, 0.4]
    assert trace.generation is not None
    assert trace.generation.model == "m-1"
    assert (trace.generation.input_tokens, trace.generation.output_tokens) == (90, 9)
    assert not trace.history
    assert trace.app == "helpdesk"


def generation_of(*spans: Span) -> Generation:
    generation = convert(*spans).generation
    assert generation is not None
    return generation


def without_content(spans: list[Span]) -> Trace:
    kept = (
        "gen_ai.operation.name",
        "gen_ai.request.model",
        "gen_ai.usage.input_tokens",
        "llm.model_name",
        "openinference.span.kind",
        "langfuse.observation.type",
        "langfuse.observation.model.name",
        "traceloop.span.kind",
    )
    for one in spans:
        one.attributes = {name: value for name, value in one.attributes.items() if name in kept}
        one.events = ()
    return convert(*spans)


@pytest.mark.parametrize(
    "write", [openinference, genai, langfuse, traceloop], ids=lambda write: write.__name__
)
def test_with_content_switched_off_nothing_is_guessed(write: Any) -> None:
    trace = without_content(write())
    assert (trace.question, trace.rewritten_query, trace.answer) == (None, None, None)
    assert trace.retrieval is not None
    assert trace.retrieval.chunks is None
    assert trace.retrieval.prompt_context is None
    assert (trace.extra or {})["ragpulse_unrecorded"] == ["question", "answer"]


@pytest.mark.parametrize("word", ["__REDACTED__", "[REDACTED]", "<redacted>", "***masked***"])
def test_stand_ins_for_hidden_content_are_not_taken_for_it(word: str) -> None:
    spans = openinference()
    for one in spans:
        hidden = ("input.value", "output.value", "content", "prompts")
        one.attributes = {k: word if k.endswith(hidden) else v for k, v in one.attributes.items()}
    trace = convert(*spans)
    assert (trace.question, trace.answer) == (None, None)
    assert not any(texts(trace))


def test_the_time_to_the_first_token_is_in_milliseconds_whatever_the_convention() -> None:
    def first(**attributes: Any) -> float | None:
        generation = convert(span("chat", also={"gen_ai.operation.name": "chat", **attributes})).generation
        return generation.ttft_ms if generation else None

    assert first(**{"gen_ai.response.time_to_first_chunk": 0.25}) == 250
    assert first(**{"ai.operationId": "ai.streamText.doStream", "ai.response.msToFirstChunk": 250}) == 250
    event = Event("First Token Stream Event", span("x").start_ns + 250_000_000, {})
    streamed = span("llm", also={"openinference.span.kind": "LLM"}, events=(event,))
    assert generation_of(streamed).ttft_ms == 250
    start = "2026-09-21T14:13:20.250Z"
    fuse = span(
        "g",
        also={
            "langfuse.observation.type": "generation",
            "langfuse.observation.completion_start_time": f'"{start}"',
        },
    )
    assert generation_of(fuse).ttft_ms == 250


def test_the_time_to_the_first_token_is_exact_to_a_microsecond() -> None:
    def first(start_ns: int, moment: str) -> float | None:
        one = span("g", also={"langfuse.observation.type": "generation"})
        one.attributes = {**one.attributes, "langfuse.observation.completion_start_time": moment}
        one.start_ns, one.end_ns = start_ns, start_ns + 1_000_000_000
        return generation_of(one).ttft_ms

    assert first(1_764_479_878_677_742_471, "2025-11-30T05:17:58.695585+00:00") == 17.843
    assert first(1_764_479_878_687_742_501, "2025-11-30T05:17:58.705585+00:00") == 17.842
    assert first(1_764_479_878_677_742_471, "2025-11-30T13:17:58.695585+08:00") == 17.843
    assert first(1_764_479_878_677_742_471, "2025-11-30T05:17:58.677742+00:00") is None, "it ran backwards"
    assert first(1_764_479_878_677_742_471, "0001-01-01T00:00:00") is None


def test_cost_is_taken_as_it_is_recorded() -> None:
    spans = langfuse()
    spans[2].attributes = {
        **spans[2].attributes,
        "langfuse.observation.cost_details": dump({"input": 0.001, "output": 0.002}),
    }
    assert generation_of(*spans).cost_usd == pytest.approx(0.003)


def test_a_decorated_function_names_its_model_among_its_arguments() -> None:
    """openinference-instrumentation 0.1.72: `@tracer.llm` records arguments and what came back, no more."""
    given = dump({"messages": [{"role": "user", "content": "q?"}], "model": "m-1"})
    step = read_step(
        span("call", also={"openinference.span.kind": "LLM", "input.value": given, "output.value": "a"})
    )
    assert (step.model, step.reply, [message.text for message in step.messages or ()]) == ("m-1", "a", ["q?"])
