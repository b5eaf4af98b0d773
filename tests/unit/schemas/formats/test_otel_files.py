"""Real spans of many libraries, against what is known to have happened: labelled data beside the checkout."""

from __future__ import annotations

import random
import struct
from collections import defaultdict
from pathlib import Path
from typing import Any

import orjson
import pytest

from schemas.formats.assembly import assemble
from schemas.formats.otlp import read_json, read_proto
from schemas.formats.span import Span
from schemas.trace import Trace

FOLDER = Path(__file__).resolve().parents[5] / "shared" / "data" / "traces" / "otel"
NAMES = sorted(path.name.removesuffix(".expected.jsonl") for path in FOLDER.glob("*.expected.jsonl"))
CASES = [
    pytest.param(name, line, id=f"{name}-{orjson.loads(line)['scenario']}")
    for name in NAMES
    for line in (FOLDER / f"{name}.expected.jsonl").read_bytes().splitlines()
] or [pytest.param("", b"", marks=pytest.mark.skip(reason=f"{FOLDER} is not here"))]
each_case = pytest.mark.parametrize(("name", "line"), CASES)
pytestmark = pytest.mark.shared


def frames(data: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        found.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return found


def read(name: str, encoding: str) -> dict[str, list[Span]]:
    if encoding == "json":
        messages = [read_json(line) for line in (FOLDER / f"{name}.otlp.jsonl").read_bytes().splitlines()]
    else:
        messages = [read_proto(frame) for frame in frames((FOLDER / f"{name}.otlp.binpb").read_bytes())]
    traces = defaultdict(list)
    for message in messages:
        assert isinstance(message, list)
        for span in message:
            traces[span.trace_id].append(span)
    return traces


def converted(name: str, expected: dict[str, Any], encoding: str = "proto") -> Trace:
    trace = assemble(read(name, encoding)[expected["trace_id"]])
    assert isinstance(trace, Trace)
    return trace


@each_case
def test_what_was_recorded_is_read_and_what_was_not_is_null(name: str, line: bytes) -> None:
    expected = orjson.loads(line)
    present = expected["present"]
    trace = converted(name, expected)
    for field in ("question", "rewritten_query", "answer"):
        wanted = expected[field] if present.get(field) else None
        assert getattr(trace, field) == wanted, field
    wanted_history = expected["history"] if present.get("history") else []
    assert [turn.model_dump() for turn in trace.history] == wanted_history
    assert (trace.generation.model if trace.generation else None) == expected["model"]
    failed = "retrieval" if trace.retrieval and trace.retrieval.error else None
    failed = failed or ("generation" if trace.generation and trace.generation.error else None)
    assert failed == expected["error_stage"]


@each_case
def test_the_chunks_come_in_order_or_lie_in_the_prompt(name: str, line: bytes) -> None:
    expected = orjson.loads(line)
    present, cut = expected["present"], expected.get("cut") or ()
    retrieval = converted(name, expected).retrieval
    chunks = retrieval.chunks if retrieval else None
    texts = [chunk["text"] for chunk in expected["chunks"]]
    if "chunks" in cut:
        assert all(chunk.text is None or chunk.text in texts for chunk in chunks or ())
    elif not present.get("chunks"):
        assert not any(chunk.text for chunk in chunks or ())
        assert retrieval is None or retrieval.prompt_context is None
    elif present["chunks_apart"] or not texts:
        assert [chunk.text for chunk in chunks or ()] == texts
    else:
        assert retrieval is not None
        assert all(text in (retrieval.prompt_context or "") for text in texts)
        assert not any(chunk.text for chunk in chunks or ())


@each_case
def test_cut_values_are_marked_and_kept_apart(name: str, line: bytes) -> None:
    expected = orjson.loads(line)
    trace = converted(name, expected)
    marks = (trace.extra or {}).get("ragpulse_cut", {})
    assert ("answer" in marks) == ("answer" in (expected.get("cut") or ()))
    assert ("chunk_texts" in marks) == ("chunks" in (expected.get("cut") or ()))
    if "answer" in marks:
        assert expected["answer"].startswith(trace.extra["ragpulse_beginnings"]["answer"])  # type: ignore[index]


@each_case
def test_protobuf_and_json_say_the_same_in_any_order_and_with_doubles(name: str, line: bytes) -> None:
    expected = orjson.loads(line)
    spans = read(name, "json")[expected["trace_id"]]
    mixed = [*spans, *spans[::3]]
    random.Random(name).shuffle(mixed)
    assert assemble(mixed) == converted(name, expected)


@each_case
def test_the_segments_are_read(name: str, line: bytes) -> None:
    expected = orjson.loads(line)
    present = expected["present"]
    trace = converted(name, expected)
    extra = trace.extra or {}
    assert trace.app == "nimbora-helpdesk"
    assert trace.environment == "prod"
    if present.get("session"):
        assert trace.conversation_id == expected["session"]
    if present.get("user"):
        assert extra.get("user_id") == expected["user"]
    if present.get("release"):
        assert trace.release is not None
        assert trace.release.app == expected["release"]
    if present.get("tags"):
        assert extra.get("tags") == expected["tags"]
    if present.get("usage") and expected["usage"]:
        assert trace.generation is not None
        assert trace.generation.input_tokens == expected["usage"]["input_tokens"]
        assert trace.generation.output_tokens == expected["usage"]["output_tokens"]


def cut(value: Any, limit: int, in_bytes: bool) -> Any:
    if isinstance(value, list):
        return [cut(item, limit, in_bytes) for item in value]
    if not isinstance(value, str):
        return value
    return value.encode()[:limit].decode(errors="ignore") if in_bytes else value[:limit]


@each_case
@pytest.mark.parametrize("in_bytes", [False, True], ids=["characters", "bytes"])
@pytest.mark.parametrize("limit", [96, 200, 1000])
def test_whatever_the_limit_no_beginning_is_taken_for_the_whole(
    name: str, line: bytes, limit: int, in_bytes: bool
) -> None:
    expected = orjson.loads(line)
    if "cut" in expected:
        return  # cut already, at another length
    spans = read(name, "proto")[expected["trace_id"]]
    for span in spans:
        span.attributes = {key: cut(value, limit, in_bytes) for key, value in span.attributes.items()}
    trace = assemble(spans)
    assert isinstance(trace, Trace)
    for field in ("question", "rewritten_query", "answer"):
        assert getattr(trace, field) in (None, expected[field])
    known = [chunk["text"] for chunk in [*expected["chunks"], *(expected.get("first_stage_chunks") or ())]]
    chunks = trace.retrieval.chunks if trace.retrieval else None
    assert all(chunk.text is None or chunk.text in known for chunk in chunks or ())
    context = trace.retrieval.prompt_context if trace.retrieval else None
    assert context is None or all(chunk["text"] in context for chunk in expected["chunks"])
