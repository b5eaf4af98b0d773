"""Real spans of many libraries, against what is known to have happened: labelled data beside the checkout."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest

from schemas.formats.assembly import assemble
from schemas.trace import Trace
from tests.support.otel import FOLDER, NAMES, check_chunks, check_cuts, check_texts, converted, read

CASES = [
    pytest.param(name, line, id=f"{name}-{orjson.loads(line)['scenario']}")
    for name in NAMES
    for line in (FOLDER / f"{name}.expected.jsonl").read_bytes().splitlines()
] or [pytest.param("", b"", marks=pytest.mark.skip(reason=f"{FOLDER} is not here"))]
each_case = pytest.mark.parametrize(("name", "line"), CASES)
pytestmark = pytest.mark.shared


@each_case
def test_what_was_recorded_is_read_and_what_was_not_is_null(name: str, line: bytes) -> None:
    expected = orjson.loads(line)
    check_texts(converted(name, expected), expected)


@each_case
def test_the_chunks_come_in_order_or_lie_in_the_prompt(name: str, line: bytes) -> None:
    expected = orjson.loads(line)
    check_chunks(converted(name, expected), expected)


@each_case
def test_cut_values_are_marked_and_kept_apart(name: str, line: bytes) -> None:
    expected = orjson.loads(line)
    check_cuts(converted(name, expected), expected)


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
