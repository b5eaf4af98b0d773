"""What bytes look like, whoever wrote them: in words, and as the format to set for them."""

from __future__ import annotations

import gzip
import struct

import orjson
import pytest
from backports import zstd
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from schemas.formats.base import Unreadable
from stream.worker.encodings import Opened, open_message, read_spans
from stream.worker.guess import guess
from tests.support.traces import trace_json

LONGEST = 1 << 20


def otlp_proto() -> bytes:
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.trace_id, span.span_id, span.name = bytes(range(16)), bytes(8), "chat"
    found: bytes = request.SerializeToString()
    return found


def metrics() -> bytes:
    request = ExportMetricsServiceRequest()
    request.resource_metrics.add().scope_metrics.add().metrics.add().name = "http.server.duration"
    found: bytes = request.SerializeToString()
    return found


def log_records() -> bytes:
    request = ExportLogsServiceRequest()
    record = request.resource_logs.add().scope_logs.add().log_records.add()
    record.time_unix_nano, record.body.string_value = 1, "hello"
    found: bytes = request.SerializeToString()
    return found


SPAN = {"traceId": "0" * 31 + "1", "spanId": "0" * 15 + "1", "name": "chat"}
OTLP_JSON = orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]})
OWN = trace_json("t-1")
WIRE = b"\0" + struct.pack(">I", 7)

KNOWN = [
    pytest.param(OWN, "ragpulse", id="own"),
    pytest.param(b"\xef\xbb\xbf" + OWN, "ragpulse", id="own, byte order mark"),
    pytest.param(b'{"trace_id":"t","feedback":{"rating":1}}', "ragpulse", id="feedback"),
    pytest.param(WIRE + OWN, "ragpulse", id="own, Confluent"),
    pytest.param(OTLP_JSON, "otlp_json", id="otlp json"),
    pytest.param(b"\n " + OTLP_JSON, "otlp_json", id="otlp json after a line end"),
    pytest.param(WIRE + OTLP_JSON, "otlp_json", id="otlp json, Confluent"),
    pytest.param(otlp_proto(), "otlp_proto", id="otlp proto"),
    pytest.param(gzip.compress(otlp_proto()), "otlp_proto", id="otlp proto, gzip"),
    pytest.param(zstd.compress(OTLP_JSON), "otlp_json", id="otlp json, zstd"),
    pytest.param(WIRE + b"\0" + otlp_proto(), "otlp_proto", id="otlp proto, Confluent"),
    pytest.param(gzip.compress(OWN), "ragpulse", id="own, gzip"),
]


@pytest.mark.parametrize(("data", "form"), KNOWN)
def test_a_format_that_we_read_is_recognised_and_opened(data: bytes, form: str) -> None:
    assert guess(data).form == form
    opened = open_message(data, "auto", LONGEST)
    assert isinstance(opened, Opened)
    assert opened.form == form
    if form != "ragpulse":
        spans = read_spans(opened)
        assert isinstance(spans, list)
        assert spans[0].name == "chat"
        told = open_message(data, form, LONGEST)
        assert isinstance(told, Opened)
        assert read_spans(told) == spans


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "tombstone"),
        (WIRE + b"\x02\x06abc", "Avro"),
        (b"Obj\x01\x04", "Avro"),
        (metrics(), "metrics"),
        (b'{"resourceMetrics":[]}', "metrics"),
        (b"\x0a\x10" + bytes(range(16)) + b"\x12\x08" + bytes(8) + b"\x1a\x02hi", "Jaeger"),
        (b'{"traceId":"AAE=","spanId":"AAE=","operationName":"q"}', "Jaeger"),
        (b'[{"traceId":"1","id":"2","name":"q","localEndpoint":{}}]', "Zipkin"),
        (b'{"level":"info","msg":"hello"}', "level, msg"),
        (b'{"trace_id":"t","question":', "breaks off"),
        (b"2026-11-30 INFO started", "text"),
        ("你好，世界".encode(), "text"),
        ("{}".encode("utf-16"), "UTF-16"),
        (b"\x93\x01\xff\xfe\x80\x80\x80", "nothing that is known"),
        (b"\x1f\x8b\x08damaged", "damaged"),
        (b"[1, 2]", "list"),
    ],
)
def test_whatever_else_is_named(data: bytes, words: str) -> None:
    found = guess(data)
    assert found.form is None
    assert words in found.words


@pytest.mark.parametrize(
    ("data", "form"), [(log_records(), "otlp_logs_proto"), (b'{"resourceLogs":[]}', "otlp_logs_json")]
)
def test_logs_are_told_from_spans_and_may_hold_nothing_for_us(data: bytes, form: str) -> None:
    assert guess(data).form == form
    opened = open_message(data, "auto", LONGEST)
    assert isinstance(opened, Opened)
    assert (opened.form, read_spans(opened)) == (form, [])


@pytest.mark.parametrize("data", [b"\x93\x01\xff", b"plain text", WIRE + b"\x02\x06abc"])
def test_what_is_no_format_of_ours_is_a_reason(data: bytes) -> None:
    opened = open_message(data, "auto", LONGEST)
    assert isinstance(opened, Unreadable)
    assert opened.reason == "unknown_encoding"


def test_a_small_message_that_unpacks_to_an_enormous_one_is_refused() -> None:
    bomb = gzip.compress(b"{" + b" " * (4 * LONGEST))
    opened = open_message(bomb, "auto", LONGEST)
    assert isinstance(opened, Unreadable)
    assert opened.reason == "too_large"


@pytest.mark.parametrize("data", [metrics()[:9], b"\x0a\x7fabc", OTLP_JSON, OWN, b"\x0a"])
def test_what_is_no_otlp_protobuf_is_never_read_as_an_empty_message(data: bytes) -> None:
    opened = open_message(data, "otlp_proto", LONGEST)
    found = read_spans(opened) if isinstance(opened, Opened) else opened
    assert isinstance(found, Unreadable)
    assert found.reason == "not_otlp"
