"""One question, retrieved for and answered, as OpenInference and OpenTelemetry write it."""

from __future__ import annotations

from typing import Any

import orjson

from schemas.formats.span import Event, Span
from tests.unit.schemas.formats.spans import span

Q, A = "How large may a file be?", "Up to 2 GB [1]."
DOCS = [
    {"id": "k1", "text": "Files may be up to 2 GB.", "score": 0.9},
    {"id": "k2", "text": "Versions last 30 days.", "score": 0.4},
]
CONTEXT = "[1] Files may be up to 2 GB.\n\n[2] Versions last 30 days."
PROMPT = f"Context:\n{CONTEXT}\n\nQuestion: {Q}"


def dump(value: Any) -> str:
    return orjson.dumps(value).decode()


def openinference() -> list[Span]:
    root = span(
        "rag", also={"openinference.span.kind": "CHAIN", "input.value": Q, "output.value": A}, lasts=3
    )
    numbered = {
        f"retrieval.documents.{i}.document.{k}": v
        for i, d in enumerate(DOCS)
        for k, v in (("content", d["text"]), ("id", d["id"]), ("score", d["score"]))
    }
    found = span(
        "retrieve",
        1,
        parent=root,
        also={"openinference.span.kind": "RETRIEVER", "input.value": Q, **numbered},
    )
    called = span(
        "llm",
        2,
        parent=root,
        also={
            "openinference.span.kind": "LLM",
            "llm.model_name": "m-1-2026-01-01",
            "llm.invocation_parameters": '{"model": "m-1"}',
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": PROMPT,
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": A,
            "llm.token_count.prompt": 90,
            "llm.token_count.completion": 9,
        },
    )
    return [root, found, called]


def openinference_nested() -> list[Span]:
    root = span(
        "rag",
        also={"openinference": {"span": {"kind": "chain"}}, "input": {"value": Q}, "output": {"value": A}},
        lasts=3,
    )
    found = span(
        "retrieve",
        1,
        parent=root,
        also={
            "openinference": {"span": {"kind": "RETRIEVER"}},
            "input": {"value": Q},
            "retrieval": {
                "documents": [
                    {"document": {"id": d["id"], "content": d["text"], "score": d["score"]}} for d in DOCS
                ]
            },
        },
    )
    called = span(
        "llm",
        2,
        parent=root,
        also={
            "openinference": {"span": {"kind": "LLM"}},
            "llm": {
                "model_name": "m-1",
                "token_count": {"prompt": 90, "completion": 9},
                "output_messages": [{"message": {"role": "assistant", "content": A}}],
            },
        },
    )
    return [root, found, called]


def genai() -> list[Span]:
    root = span(
        "invoke_workflow",
        also={
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.input.messages": dump([{"role": "user", "parts": [{"type": "text", "content": Q}]}]),
        },
        lasts=3,
    )
    found = span(
        "retrieval kb",
        1,
        parent=root,
        also={
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.query.text": Q,
            "gen_ai.retrieval.documents": [
                {"id": d["id"], "score": d["score"], "content": d["text"]} for d in DOCS
            ],
        },
    )
    called = span(
        "chat m-1",
        2,
        parent=root,
        also={
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m-1",
            "gen_ai.usage.input_tokens": 90,
            "gen_ai.usage.output_tokens": 9,
            "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": PROMPT}]}],
            "gen_ai.output.messages": dump(
                [{"role": "assistant", "parts": [{"type": "text", "content": A}], "finish_reason": "stop"}]
            ),
        },
    )
    return [root, found, called]


def genai_numbered() -> list[Span]:
    root, found, _ = genai()
    called = span(
        "openai.chat",
        2,
        parent=root,
        also={
            "gen_ai.system": "openai",
            "llm.request.type": "chat",
            "gen_ai.request.model": "m-1",
            "gen_ai.usage.prompt_tokens": 90,
            "gen_ai.usage.completion_tokens": 9,
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": PROMPT,
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": A,
            "gen_ai.completion.0.finish_reason": "stop",
        },
    )
    return [root, found, called]


def genai_events() -> list[Span]:
    root, found, _ = genai()
    events = (
        Event("gen_ai.user.message", 1, {"content": PROMPT}),
        Event(
            "gen_ai.choice",
            2,
            {"index": 0, "finish_reason": "stop", "message": dump({"role": "assistant", "content": A})},
        ),
    )
    called = span(
        "chat m-1",
        2,
        parent=root,
        events=events,
        also={
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m-1",
            "gen_ai.usage.input_tokens": 90,
            "gen_ai.usage.output_tokens": 9,
        },
    )
    return [root, found, called]


def genai_content_events() -> list[Span]:
    root, found, _ = genai()
    events = (
        Event("gen_ai.content.prompt", 1, {"gen_ai.prompt": dump([{"role": "user", "content": PROMPT}])}),
        Event("gen_ai.content.completion", 2, {"gen_ai.completion": A}),
    )
    called = span(
        "chat m-1",
        2,
        parent=root,
        events=events,
        also={
            "gen_ai.system": "openai",
            "gen_ai.request.model": "m-1",
            "gen_ai.usage.input_tokens": 90,
            "gen_ai.usage.output_tokens": 9,
        },
    )
    return [root, found, called]


def genai_details_event() -> list[Span]:
    root, found, _ = genai()
    details = Event(
        "gen_ai.client.inference.operation.details",
        1,
        {
            "gen_ai.input.messages": dump([{"role": "user", "parts": [{"type": "text", "content": PROMPT}]}]),
            "gen_ai.output.messages": dump(
                [{"role": "assistant", "parts": [{"type": "text", "content": A}]}]
            ),
        },
    )
    called = span(
        "chat m-1",
        2,
        parent=root,
        events=(details,),
        also={
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m-1",
            "gen_ai.usage.input_tokens": 90,
            "gen_ai.usage.output_tokens": 9,
        },
    )
    return [root, found, called]
