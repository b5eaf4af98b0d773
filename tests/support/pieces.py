"""The labelled spans as a Collector might as well have sent them: cut, mixed and doubled anew."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.support.otel import NAMES, messages


@dataclass(slots=True)
class Piece:
    """One span with the resource and the scope that it stood under, as protobuf or as JSON."""

    trace_id: str
    is_root: bool
    resource: Any
    scope: Any
    span: Any


def pieces(encoding: str, names: Sequence[str] = NAMES) -> list[Piece]:
    """All spans of these files, in the order of the files."""
    take = _from_json if encoding == "json" else _from_proto
    return [piece for name in names for data in messages(name, encoding) for piece in take(data)]


def message(held: Iterable[Piece]) -> bytes:
    """One export request of these spans, each under its own resource and scope."""
    held = list(held)
    if isinstance(held[0].span, dict):
        groups = [
            {"resource": p.resource, "scopeSpans": [{"scope": p.scope, "spans": [p.span]}]} for p in held
        ]
        return orjson.dumps({"resourceSpans": groups})
    request = ExportTraceServiceRequest()
    for piece in held:
        group = request.resource_spans.add()
        group.resource.CopyFrom(piece.resource)
        scoped = group.scope_spans.add()
        scoped.scope.CopyFrom(piece.scope)
        scoped.spans.add().CopyFrom(piece.span)
    found: bytes = request.SerializeToString()
    return found


def mixed(held: Sequence[Piece], seed: int, *, largest: int = 6, doubles: float = 0.2) -> list[bytes]:
    """Messages of one to `largest` spans in any order, some of them twice: children before their roots."""
    chance = random.Random(seed)
    shuffled = [*held, *(piece for piece in held if chance.random() < doubles)]
    chance.shuffle(shuffled)
    found = []
    while shuffled:
        size = chance.randint(1, largest)
        found.append(message(shuffled[:size]))
        del shuffled[:size]
    return found


def by_trace(held: Iterable[Piece]) -> dict[str, list[Piece]]:
    """The same spans, trace by trace."""
    found: dict[str, list[Piece]] = {}
    for piece in held:
        found.setdefault(piece.trace_id, []).append(piece)
    return found


def _from_proto(data: bytes) -> Iterable[Piece]:
    for group in ExportTraceServiceRequest.FromString(data).resource_spans:
        for scoped in group.scope_spans:
            for span in scoped.spans:
                yield Piece(span.trace_id.hex(), not span.parent_span_id, group.resource, scoped.scope, span)


def _from_json(data: bytes) -> Iterable[Piece]:
    for group in orjson.loads(data)["resourceSpans"]:
        for scoped in group["scopeSpans"]:
            for span in scoped["spans"]:
                is_root = not span.get("parentSpanId")
                yield Piece(span["traceId"], is_root, group.get("resource"), scoped.get("scope"), span)
