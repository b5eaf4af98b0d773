"""Small traces of spans for tests, as OTLP protobuf."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

QUESTION = "Which pump is the quiet one?"
PASSAGE = "The K2 is quiet: 30 dB."
START_NS = 1_796_040_000_000_000_000


def rag_trace(trace_id: str) -> list[dict[str, Any]]:
    """A root, a retrieval and a generation, in OpenInference's words."""
    return [
        {
            "trace": trace_id,
            "id": 1,
            "name": "rag",
            "attributes": {
                "openinference.span.kind": "CHAIN",
                "input.value": QUESTION,
                "output.value": "The K2 is the quiet one.",
            },
        },
        {
            "trace": trace_id,
            "id": 2,
            "parent": 1,
            "name": "retrieve",
            "attributes": {
                "openinference.span.kind": "RETRIEVER",
                "input.value": QUESTION,
                "retrieval.documents.0.document.id": "k1",
                "retrieval.documents.0.document.content": PASSAGE,
            },
        },
        {
            "trace": trace_id,
            "id": 3,
            "parent": 1,
            "name": "chat",
            "attributes": {
                "openinference.span.kind": "LLM",
                "llm.model_name": "small-1",
                "llm.input_messages.0.message.role": "user",
                "llm.input_messages.0.message.content": f"{PASSAGE}\n{QUESTION}",
                "llm.output_messages.0.message.role": "assistant",
                "llm.output_messages.0.message.content": "The K2 is the quiet one.",
            },
        },
    ]


def otlp(spans: Iterable[dict[str, Any]]) -> bytes:
    """One export request. A span's `feedback` becomes an evaluation event of a user."""
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.attributes.add(key="service.name").value.string_value = "pumps"
    scoped = group.scope_spans.add()
    for number, span in enumerate(spans):
        made = scoped.spans.add(name=span["name"], trace_id=bytes.fromhex(span["trace"]))
        made.span_id = int(span["id"]).to_bytes(8, "big")
        if span.get("parent"):
            made.parent_span_id = int(span["parent"]).to_bytes(8, "big")
        made.start_time_unix_nano = START_NS + number * 1_000_000
        made.end_time_unix_nano = START_NS + 1_000_000_000
        for name, value in span["attributes"].items():
            made.attributes.add(key=name).value.string_value = value
        if "feedback" in span:
            event = made.events.add(name="gen_ai.evaluation.result")
            event.attributes.add(key="gen_ai.evaluation.name").value.string_value = "user_feedback"
            event.attributes.add(key="gen_ai.evaluation.score.value").value.double_value = 0.0
            event.attributes.add(key="gen_ai.evaluation.score.label").value.string_value = span["feedback"]
    found: bytes = request.SerializeToString()
    return found
