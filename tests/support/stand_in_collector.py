"""A stand-in for an OpenTelemetry Collector: OTLP over HTTP in, its Kafka exporter's messages out.

Like the Collector's `kafka` exporter: one message an export request, without a key; with
`partition_traces_by_id` one a trace, whose key is the trace id in hex. Value: the request in the encoding
chosen, `otlp_proto` or `otlp_json`. The answer to the application waits for the broker's confirmation.
"""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import orjson
from confluent_kafka import Producer
from google.protobuf.json_format import MessageToDict, Parse
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

Encoding = Literal["otlp_proto", "otlp_json"]
_IDS = ("traceId", "spanId", "parentSpanId")
_PROTOBUF, _JSON = "application/x-protobuf", "application/json"


class StandInCollector:
    """Listens on a free port of loopback while it is entered; `endpoint` is what applications are told."""

    def __init__(
        self,
        brokers: str,
        *,
        topic: str = "otlp_spans",
        logs_topic: str = "otlp_logs",
        encoding: Encoding = "otlp_proto",
        partition_traces_by_id: bool = False,
    ) -> None:
        self._producer = Producer({"bootstrap.servers": brokers, "linger.ms": 5})
        self.topics = {"/v1/traces": topic, "/v1/logs": logs_topic}
        self._encoding = encoding
        self._by_id = partition_traces_by_id
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.requests = 0
        self.spans = 0

    @property
    def endpoint(self) -> str:
        """For OTEL_EXPORTER_OTLP_ENDPOINT."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """Let go of the port, where it was never started."""
        self._server.server_close()

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, name="collector", daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self.close()

    def take(self, path: str, body: bytes, kind: str) -> bytes:
        """One request: to Kafka, and the answer in the request's own encoding."""
        logs = path == "/v1/logs"
        request: Any = ExportLogsServiceRequest() if logs else ExportTraceServiceRequest()
        if kind == _JSON:
            Parse(_with_base64_ids(body), request)
        else:
            request.ParseFromString(body)
        self.requests += 1
        if not logs:
            self.spans += sum(len(s.spans) for r in request.resource_spans for s in r.scope_spans)
        self._write(self.topics[path], [(None, request)] if logs or not self._by_id else _by_trace(request))
        answer = ExportLogsServiceResponse() if logs else ExportTraceServiceResponse()
        return b"{}" if kind == _JSON else answer.SerializeToString()

    def _write(self, topic: str, messages: list[tuple[str | None, Any]]) -> None:
        refused: list[object] = []
        for key, request in messages:
            self._producer.produce(
                topic,
                encode(request, self._encoding),
                key=key,
                on_delivery=lambda error, _: refused.append(error) if error else None,
            )
        if self._producer.flush(10) or refused:
            raise RuntimeError(f"the broker did not take it: {refused[:1]}")

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        collector = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                kind = self.headers.get_content_type()
                if self.path not in collector.topics:
                    return self._answer(404, kind, b"")
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                try:
                    answer = collector.take(self.path, body, kind)
                except RuntimeError as error:
                    return self._answer(503, "text/plain", str(error).encode())
                return self._answer(200, kind, answer)

            def _answer(self, status: int, kind: str, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Requests are not news."""

        return Handler


@contextmanager
def stand_in_collector(brokers: str, **options: Any) -> Iterator[StandInCollector]:
    """A Collector while the body runs."""
    collector = StandInCollector(brokers, **options)
    collector.start()
    try:
        yield collector
    finally:
        collector.stop()


def encode(request: Any, encoding: Encoding) -> bytes:
    """A request as the Collector writes it: JSON with ids in hex and enumerations as numbers."""
    if encoding == "otlp_proto":
        return bytes(request.SerializeToString())
    return orjson.dumps(_with_hex_ids(MessageToDict(request, use_integers_for_enums=True)))


def _by_trace(request: Any) -> list[tuple[str | None, Any]]:
    """A request for each trace in it, in the order in which they first appear."""
    parts: dict[str, Any] = {}
    for group in request.resource_spans:
        for scoped in group.scope_spans:
            for span in scoped.spans:
                part = parts.setdefault(span.trace_id.hex(), ExportTraceServiceRequest())
                _append(part, group, scoped, span)
    return list(parts.items())


def _append(part: Any, group: Any, scoped: Any, span: Any) -> None:
    """Add a span under its resource and scope, which are there already or are copied."""
    if not part.resource_spans or part.resource_spans[-1].resource != group.resource:
        part.resource_spans.add(resource=group.resource, schema_url=group.schema_url)
    held = part.resource_spans[-1]
    if not held.scope_spans or held.scope_spans[-1].scope != scoped.scope:
        held.scope_spans.add(scope=scoped.scope, schema_url=scoped.schema_url)
    held.scope_spans[-1].spans.add().CopyFrom(span)


def _with_hex_ids(value: Any) -> Any:
    import base64

    if isinstance(value, list):
        return [_with_hex_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(held).hex() if key in _IDS and isinstance(held, str) else _with_hex_ids(held)
        for key, held in value.items()
    }


def _with_base64_ids(body: bytes) -> bytes:
    import base64

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {
            key: base64.b64encode(bytes.fromhex(held)).decode() if key in _IDS else walk(held)
            for key, held in value.items()
        }

    return orjson.dumps(walk(orjson.loads(body)))


__all__ = ["Encoding", "StandInCollector", "encode", "stand_in_collector"]
