"""What is worked out once for a set of names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from schemas.formats import shape
from schemas.formats.otlp import read_proto
from schemas.formats.shape import KNOWN_NAMES, Table, learn_name, shape_of


@pytest.fixture
def nothing_known() -> Iterator[None]:
    before = dict(KNOWN_NAMES)
    KNOWN_NAMES.clear()
    yield
    KNOWN_NAMES.clear()
    KNOWN_NAMES.update(before)


def test_what_stands_beside_beginnings_that_no_name_has_is_left_out() -> None:
    table: Table[str] = ((("gen_ai.usage.",), "usage"), (("db.", "llm.usage."), "other"))
    assert shape_of({"gen_ai.usage.input_tokens": 1}).choose(table) == ("usage",)
    assert shape_of({"llm.usage.total": 1, "gen_ai.usage.x": 1}).choose(table) == ("usage", "other")
    assert shape_of({"usage.gen_ai.": 1}).choose(table) == ()


def test_two_tables_are_kept_apart() -> None:
    held = shape_of({"db.system": "x"})
    first: Table[int] = ((("db.",), 1),)
    second: Table[int] = ((("db.",), 2),)
    assert (held.choose(first), held.choose(second), held.choose(first)) == ((1,), (2,), (1,))


@pytest.mark.usefixtures("nothing_known")
def test_spans_share_the_names_of_their_attributes() -> None:
    request = ExportTraceServiceRequest()
    scoped = request.resource_spans.add().scope_spans.add()
    for number in range(2):
        span = scoped.spans.add(trace_id=bytes(16), span_id=bytes([number] * 8))
        span.attributes.add(key="gen_ai.request.model").value.string_value = f"m-{number}"
    spans = read_proto(request.SerializeToString())
    assert isinstance(spans, list)
    first, second = (next(iter(span.attributes)) for span in spans)
    assert first is second


@pytest.mark.usefixtures("nothing_known")
def test_names_are_remembered_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shape, "_MOST_NAMES", 3)
    for number in range(10):
        assert learn_name(f"name.{number}") == f"name.{number}"
        assert len(KNOWN_NAMES) <= 3
    assert learn_name("n" * 10_000) == "n" * 10_000
    assert "n" * 10_000 not in KNOWN_NAMES
