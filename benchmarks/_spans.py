"""Messages of spans to measure with: real ones, repeated under new trace ids, merged into larger batches."""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest as Request

from benchmarks._common import ROOT

FOLDER: Final = ROOT.parent / "shared" / "data" / "traces" / "otel"
SPANS_A_MESSAGE: Final = 512
"""What OpenTelemetry's batch processors send at once, at most, unless told otherwise."""
_IDS: Final = {"traceId", "spanId", "parentSpanId"}


@dataclass(slots=True, frozen=True)
class SpanMessages:
    """The same export requests in both encodings; `origin` says what they are made of."""

    proto: list[bytes]
    json: list[bytes]
    spans: int
    traces: int
    origin: str


def make_messages(copies: int, folder: Path = FOLDER) -> SpanMessages:
    """Every trace so many times, each under an id of its own.

    Raises FileNotFoundError where the labelled spans are not beside the checkout.
    """
    files = sorted(path for path in folder.glob("*.otlp.binpb") if "truncated" not in path.name)
    if not files:
        raise FileNotFoundError(f"No spans to measure with in {folder}")
    requests = [
        renamed
        for copy in range(copies)
        for path in files
        for renamed in (_renamed(request, f"{copy} {path.name}") for request in _requests(path))
    ]
    merged = list(_merged(requests))
    spans = [span for request in merged for span in _spans_of(request)]
    traces = len({span.trace_id for span in spans})
    return SpanMessages(
        [request.SerializeToString() for request in merged],
        [_as_json(request) for request in merged],
        len(spans),
        traces,
        f"{traces:,} traces of {len(files)} files in {folder.name}/, {len(spans) / traces:.1f} spans a trace,"
        f" in {len(merged)} messages",
    )


def _requests(path: Path) -> Iterator[Request]:
    data, at = path.read_bytes(), 0
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        yield Request.FromString(data[at + 4 : at + 4 + size])
        at += 4 + size


def _renamed(request: Request, salt: str) -> Request:
    """The same request with other trace ids: equal ids stay equal."""
    for span in _spans_of(request):
        span.trace_id = hashlib.blake2b(salt.encode() + span.trace_id, digest_size=16).digest()
    return request


def _spans_of(request: Request) -> Iterator[Any]:
    for group in request.resource_spans:
        for scoped in group.scope_spans:
            yield from scoped.spans


def _merged(requests: list[Request]) -> Iterator[Request]:
    """Neighbours put together, up to the size of a batch."""
    whole, held = Request(), 0
    for request in requests:
        size = sum(1 for _ in _spans_of(request))
        if held and held + size > SPANS_A_MESSAGE:
            yield whole
            whole, held = Request(), 0
        whole.MergeFrom(request)
        held += size
    if held:
        yield whole


def _as_json(request: Request) -> bytes:
    """OTLP JSON: as protobuf's own JSON, but ids are hexadecimal and enumerations numbers."""
    return orjson.dumps(_with_hex_ids(MessageToDict(request, use_integers_for_enums=True)))


def _with_hex_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: base64.b64decode(held).hex() if key in _IDS else _with_hex_ids(held)
            for key, held in value.items()
        }
    return [_with_hex_ids(item) for item in value] if isinstance(value, list) else value


__all__ = ["FOLDER", "SPANS_A_MESSAGE", "SpanMessages", "make_messages"]
