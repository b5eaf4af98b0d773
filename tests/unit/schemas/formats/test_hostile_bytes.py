"""Messages of spans that were damaged on their way: spans or a counted reason, in bounded time and memory.

`RAGPULSE_FUZZ=20` tries twenty times as much, `RAGPULSE_FUZZ_SEED=7` something else.
"""

from __future__ import annotations

import os
import random
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import orjson
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest as Request

from schemas.formats.assembly import NOT_RAG_REASONS, NotRag, assemble
from schemas.formats.base import NOT_OTLP, REASONS, Unreadable
from schemas.formats.otlp import read_json, read_proto
from schemas.formats.span import Span
from schemas.trace import MAX_ID_CHARS, Trace
from stream.files.convert import own_line
from tests.unit.schemas.formats.writers import WRITERS

TIMES = int(os.environ.get("RAGPULSE_FUZZ", "1"))
SEED = os.environ.get("RAGPULSE_FUZZ_SEED", "1")
Read = Callable[[bytes], list[Span] | Unreadable]


def as_proto(spans: Sequence[Span]) -> bytes:
    request = Request()
    scoped = request.resource_spans.add().scope_spans.add()
    for span in spans:
        made = scoped.spans.add(
            trace_id=bytes.fromhex(span.trace_id),
            span_id=bytes.fromhex(span.span_id),
            parent_span_id=bytes.fromhex(span.parent_id),
            name=span.name,
            start_time_unix_nano=span.start_ns,
            end_time_unix_nano=span.end_ns,
        )
        made.status.code = span.status
        for name, value in span.attributes.items():
            put(made.attributes.add(key=name).value, value)
        for event in span.events:
            written = made.events.add(name=event.name, time_unix_nano=event.time_ns)
            for name, value in event.attributes.items():
                put(written.attributes.add(key=name).value, value)
    return request.SerializeToString()


def put(held: Any, value: Any) -> None:
    match value:
        case bool():
            held.bool_value = value
        case str():
            held.string_value = value
        case int():
            held.int_value = value
        case float():
            held.double_value = value
        case list():
            held.array_value.SetInParent()
            for item in value:
                put(held.array_value.values.add(), item)
        case dict():
            held.kvlist_value.SetInParent()
            for name, item in value.items():
                put(held.kvlist_value.values.add(key=name).value, item)
        case _:
            pass


def as_json(spans: Sequence[Span]) -> bytes:
    return orjson.dumps(
        {"resourceSpans": [{"scopeSpans": [{"spans": [json_span(span) for span in spans]}]}]},
        option=orjson.OPT_NON_STR_KEYS,
    )


def json_span(span: Span) -> dict[str, Any]:
    return {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "parentSpanId": span.parent_id,
        "name": span.name,
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.end_ns),
        "attributes": [{"key": name, "value": json_value(value)} for name, value in span.attributes.items()],
        "status": {"code": span.status},
    }


def json_value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [json_value(item) for item in value]}}
        case dict():
            pairs = [{"key": name, "value": json_value(item)} for name, item in value.items()]
            return {"kvlistValue": {"values": pairs}}
        case _:
            return {"stringValue": value}


def comes_out(found: list[Span] | Unreadable) -> int:
    """How many traces came of it."""
    if isinstance(found, Unreadable):
        assert found.reason in REASONS
        assert found.detail
        return 0
    groups = defaultdict(list)
    for span in found:
        groups[span.trace_id].append(span)
    for spans in groups.values():
        if not 0 < len(spans[0].trace_id) <= MAX_ID_CHARS:
            continue  # whoever puts spans together refuses these
        made = assemble(spans)
        if isinstance(made, NotRag):
            assert made.reason in NOT_RAG_REASONS
        else:
            orjson.loads(own_line(made))
    return len(groups)


def hurt(data: bytes, chance: random.Random) -> bytes:
    """Cut, with bytes flipped, dropped, doubled, or replaced by what JSON and protobuf stumble over."""
    made = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5, 40])):
        at = chance.randrange(len(made)) if made else 0
        match chance.randrange(6):
            case 0:
                del made[at:]
            case 1 if made:
                made[at] = chance.randrange(256)
            case 2:
                del made[at : at + chance.randrange(1, 30)]
            case 3:
                made[at:at] = made[at : at + chance.randrange(1, 60)]
            case 4:
                made[at:at] = chance.choice(
                    [b"\xff\xfe", b"\x00", b"[[[[", b'"', b"\\u00", b"{", b"-1e999", b"\xe9"]
                )
            case _:
                made[at : at + 4] = bytes(chance.randrange(256) for _ in range(4))
    return bytes(made)


@pytest.mark.timeout(240 * TIMES)
@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_damaged_messages_are_read_or_refused(write: Any) -> None:
    chance = random.Random(f"{write.__name__} {SEED}")
    spans = write()
    for data, read in ((as_proto(spans), read_proto), (as_json(spans), read_json)):
        assert comes_out(read(data)) == 1
        for _ in range(40 * TIMES):
            comes_out(read(hurt(data, chance)))


@pytest.mark.parametrize(
    ("encode", "read"), [(as_proto, read_proto), (as_json, read_json)], ids=["proto", "json"]
)
def test_a_message_may_end_anywhere(encode: Any, read: Read) -> None:
    data = encode(WRITERS[0]())
    step = max(1, len(data) // (400 * TIMES))
    for end in range(0, len(data), step):
        comes_out(read(data[:end]))


def a_span(i: int, **attributes: Any) -> Span:
    named = {"gen_ai.operation.name": "chat", **attributes}
    return Span(
        "0a" * 16, f"{i + 1:016x}", f"{i:016x}" if i else "", "chat", 10**18 + i, 10**18 + i + 5, named
    )


def test_half_a_character_costs_its_text_and_not_the_message() -> None:
    spans = [a_span(0, **{"gen_ai.prompt": "QQQQQQQQ", "gen_ai.completion": "因为没有电。"}), a_span(1)]
    data = as_proto(spans)
    for broken, text in ((b"12345\xe9\x82", "12345"), (b"12\xff45678", "12\ufffd45678")):
        found = read_proto(
            data.replace(b"QQQQQQQQ", broken.ljust(8, b"8") if broken[-1] == 0x38 else broken.rjust(8, b"0"))
        )
        assert isinstance(found, list)
        assert len(found) == 2
        assert str(found[0].attributes["gen_ai.prompt"]).lstrip("0") == text
        assert found[0].attributes["gen_ai.completion"] == "因为没有电。"
        assert found[1] == read_proto(data)[1]  # type: ignore[index]


def test_protobuf_that_nests_without_end_is_refused() -> None:
    inner = b"x"
    for _ in range(5_000):
        inner = (
            b"\x2a" + varint(len(b"\x0a" + varint(len(inner)) + inner)) + b"\x0a" + varint(len(inner)) + inner
        )
    value = b"\x0a\x01k\x12" + varint(len(inner)) + inner
    span = b"\x4a" + varint(len(value)) + value
    scoped = b"\x12" + varint(len(span)) + span
    group = b"\x12" + varint(len(scoped)) + scoped
    found = read_proto(b"\x0a" + varint(len(group)) + group)
    assert isinstance(found, Unreadable)
    assert found.reason == NOT_OTLP


def varint(number: int) -> bytes:
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    made.append(number)
    return bytes(made)


@pytest.mark.parametrize("size", [0, 1, 7, 9, 15, 17, 64])
def test_ids_of_any_length_keep_spans_together(size: int) -> None:
    request = Request.FromString(as_proto([a_span(0), a_span(1)]))
    for span in request.resource_spans[0].scope_spans[0].spans:
        span.trace_id = b"\x01" * size
        span.span_id = span.span_id[:size]
        span.parent_span_id = span.parent_span_id[:size]
    assert comes_out(read_proto(request.SerializeToString())) == 1
    document = orjson.loads(as_json([a_span(0), a_span(1)]))
    for item in document["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        item["traceId"] = "1" * size
        item["spanId"] = item["spanId"][:size]
    assert comes_out(read_json(orjson.dumps(document))) == 1


@pytest.mark.parametrize(
    "number",
    ["9223372036854775807", "-9223372036854775808", "1" * 400, "1e400", "NaN", "-Infinity", "0x10", "", "一"],
)
def test_numbers_of_any_size_come_through_as_json(number: str) -> None:
    kinds = {"intValue": number, "doubleValue": number}
    for kind, value in kinds.items():
        attributes = [
            {"key": name, "value": {kind: value}}
            for name in (
                "gen_ai.usage.input_tokens",
                "gen_ai.usage.output_tokens",
                "gen_ai.response.time_to_first_chunk",
            )
        ]
        attributes.append({"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}})
        span = {"traceId": "0a" * 16, "spanId": "0b" * 8, "attributes": attributes,
                "startTimeUnixNano": number, "endTimeUnixNano": "5"}  # fmt: skip
        data = orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
        assert comes_out(read_json(data)) == 1


def crowd(count: int, chain: bool) -> list[Span]:
    """So many spans of one trace, in a row or below one root; each with a question and some passages."""
    made = []
    for i in range(count):
        span = a_span(i, **{"gen_ai.prompt": f"question {i}?", "gen_ai.completion": f"answer {i}."})
        if not chain and i:
            span.parent_id = f"{1:016x}"
        if i % 7 == 3:
            span.attributes = {
                "openinference.span.kind": "RETRIEVER",
                "input.value": f"query {i}",
                "retrieval.documents.0.document.content": f"Passage {i}: {'words ' * 12}",
            }
        made.append(span)
    return made


@pytest.mark.timeout(120)
@pytest.mark.parametrize("chain", [True, False], ids=["in a row", "below one root"])
def test_spans_without_number_stay_within_memory(chain: bool) -> None:
    spans = crowd(12_000 * TIMES, chain)
    random.Random(SEED).shuffle(spans)
    tracemalloc.start()
    try:
        found = assemble(spans)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(found, Trace)
    assert peak < 6_000 * len(spans)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "value",
    [
        "<context>" * 30_000,
        "Context:\n" * 30_000,
        "[1] " * 60_000,
        "Question: " * 30_000,
        "[" * 200_000,
        '{"a":' * 60_000,
        "['" * 100_000,
        "Document(" * 30_000,
        "\n" * 300_000,
        "…" * 100_000,
        "([{<" * 70_000,
        " " * 300_000 + "]",
        "根据" * 100_000,
    ],
    ids=lambda value: value.strip()[:6] or "space",
)
def test_texts_made_to_be_slow_are_not(value: str) -> None:
    """A pattern or a parser that goes back and forth would need minutes for one of these."""
    for kind in ("CHAIN", "LLM", "RETRIEVER", "TOOL"):
        named = {
            "openinference.span.kind": kind,
            "input.value": value,
            "output.value": value,
            "metadata": value,
            "retrieval.documents": value,
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": value,
        }
        comes_out(
            [a_span(0, **named), a_span(1, **{"gen_ai.input.messages": value, "gen_ai.completion": value})]
        )


def test_many_names_in_one_span_are_read_once() -> None:
    named = {f"llm.input_messages.{i}.message.content": "x" for i in range(30_000)}
    named |= {f"retrieval.documents.{i}.document.content": f"Passage {i}" for i in range(30_000)}
    for kind in ("LLM", "RETRIEVER"):
        assert comes_out([a_span(0, **{"openinference.span.kind": kind}, **named)]) == 1
