"""What was asked and answered among the logs: Microsoft.Extensions.AI 9, Semantic Kernel 1, and others."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import orjson
import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from schemas.formats.assembly import NotRag, assemble
from schemas.formats.foreign import SPAN_FORMATS
from schemas.formats.span import Event, Span
from tests.unit.schemas.formats.spans import START_NS, TRACE, convert, span
from tests.unit.schemas.formats.writers_otel import DOCS, PROMPT, A, Q, dump

CALLED = span("chat m-1", 2, also={"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"})
MESSAGE = {"role": "user", "parts": [{"type": "text", "content": PROMPT}]}
ANSWER = {"role": "assistant", "parts": [{"type": "text", "content": A}], "finish_reason": "stop"}


def typed(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": k, "value": typed(v)} for k, v in value.items()]}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(item) for item in value]}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def record(
    name: str, at: int, body: Any = None, named: str = "eventName", attributes: dict[str, Any] | None = None
) -> dict[str, Any]:
    held: dict[str, Any] = {"timeUnixNano": str(START_NS + at), "traceId": TRACE, "spanId": CALLED.span_id}
    if named == "eventName":
        held["eventName"] = name
    else:
        attributes = {"event.name": name}
    if body is not None:
        held["body"] = typed(body)
    return held | {"attributes": [{"key": k, "value": typed(v)} for k, v in (attributes or {}).items()]}


RECORDS = {
    "structured bodies": [
        record("gen_ai.user.message", 1, {"content": PROMPT}),
        record("gen_ai.choice", 2, {"index": 0, "finish_reason": "stop", "message": {"content": A}}),
    ],
    "bodies as JSON, named by an attribute": [
        record("gen_ai.user.message", 1, dump({"content": PROMPT}), named="event.name"),
        record("gen_ai.choice", 2, dump({"index": 0, "message": {"content": A}}), named="event.name"),
    ],
    "one event with all of it": [
        record(
            "gen_ai.client.inference.operation.details",
            2,
            attributes={"gen_ai.input.messages": [MESSAGE], "gen_ai.output.messages": [ANSWER]},
        ),
    ],
    "one event with all of it in its body": [
        record(
            "gen_ai.client.inference.operation.details",
            2,
            {"gen_ai.input.messages": [MESSAGE], "gen_ai.output.messages": [ANSWER]},
        ),
    ],
}


def read(records: list[dict[str, Any]], form: str = "otlp_logs_json") -> list[Span]:
    value = {"resourceLogs": [{"scopeLogs": [{"scope": {"name": "x"}, "logRecords": records}]}]}
    if form == "otlp_logs_proto":
        for held in records:
            held["traceId"], held["spanId"] = (_base64(held[name]) for name in ("traceId", "spanId"))
        data = ParseDict(value, ExportLogsServiceRequest()).SerializeToString()
    else:
        data = orjson.dumps(value)
    spans = SPAN_FORMATS[form](data)
    assert isinstance(spans, list)
    return spans


def _base64(text: str) -> str:
    return b64encode(bytes.fromhex(text)).decode()


@pytest.mark.parametrize("form", ["otlp_logs_json", "otlp_logs_proto"])
@pytest.mark.parametrize("records", RECORDS.values(), ids=RECORDS.keys())
def test_messages_among_the_logs_belong_to_their_span(records: list[dict[str, Any]], form: str) -> None:
    spans = read(orjson.loads(orjson.dumps(records)), form)
    assert len(spans) == len(records)
    trace = convert(CALLED, *spans, *spans)
    assert (trace.question, trace.answer) == (Q, A)
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context is not None
    assert all(str(document["text"]) in trace.retrieval.prompt_context for document in DOCS)
    assert trace.generation is not None
    assert trace.generation.model == "m-1"
    assert "ragpulse_incomplete" not in (trace.extra or {})


def test_without_their_span_they_say_nothing() -> None:
    """Traces may be sampled where logs are not."""
    assert isinstance(assemble(read(RECORDS["structured bodies"])), NotRag)


def test_what_stands_on_the_span_too_is_there_once() -> None:
    told = {"gen_ai.input.messages": dump([MESSAGE]), "gen_ai.output.messages": dump([ANSWER])}
    whole = span("chat m-1", 2, also={**CALLED.attributes, **told})
    trace = convert(whole, *read(RECORDS["one event with all of it"]))
    assert (trace.question, trace.answer, trace.history) == (Q, A, [])


def test_records_without_content_or_without_a_span_are_passed_over() -> None:
    lonely = {**record("gen_ai.user.message", 1, {"content": Q}), "spanId": ""}
    assert read([lonely, record("gen_ai.user.message", 1), record("app.started", 1, "hello")]) == []


def test_the_prompt_of_a_text_completion_is_plain_text() -> None:
    """Semantic Kernel 1.x: a span's events have JSON there, or the bare prompt of a completion."""
    events = (
        Event("gen_ai.user.message", 1, {"gen_ai.event.content": PROMPT, "gen_ai.system": "openai"}),
        Event("gen_ai.choice", 2, {"gen_ai.event.content": dump({"index": 0, "text": A})}),
    )
    called = span("text_completion m-1", 2, events=events, also={"gen_ai.operation.name": "text_completion"})
    trace = convert(called)
    assert (trace.question, trace.answer) == (Q, A)
    assert trace.retrieval is not None
    assert trace.retrieval.chunks is None
