"""What is worked out once for a set of names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from schemas.formats import shape
from schemas.formats.assembly.passages import Alike, letters
from schemas.formats.conventions import plain
from schemas.formats.conventions.plain import told_by_name
from schemas.formats.otlp import as_proto, read_proto
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
def test_names_are_remembered_within_bounds() -> None:
    for number in range(2 * shape._MOST_NAMES + 3):
        assert learn_name(f"name.{number}") == f"name.{number}"
        assert len(KNOWN_NAMES) <= shape._MOST_NAMES
    assert learn_name("n" * 10_000) == "n" * 10_000
    assert "n" * 10_000 not in KNOWN_NAMES


def test_spans_share_what_their_service_says_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(as_proto, "_resources", {})

    def read(service: str) -> object:
        request = ExportTraceServiceRequest()
        group = request.resource_spans.add()
        group.resource.attributes.add(key="service.name").value.string_value = service
        group.scope_spans.add().spans.add(trace_id=bytes(16), span_id=bytes(8))
        spans = read_proto(request.SerializeToString())
        assert isinstance(spans, list)
        assert spans[0].resource == {"service.name": service}
        return spans[0].resource

    assert read("shop") is read("shop")
    assert read("a" * 10_000) is not read("a" * 10_000), "what is large is not remembered"
    for number in range(2 * as_proto._MOST_RESOURCES):
        read(f"shop-{number}")
    assert len(as_proto._resources) <= as_proto._MOST_RESOURCES


def test_what_the_name_of_a_step_tells_is_remembered_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "_known", {})
    for _ in range(2):
        assert told_by_name("rerank_docs") == (True, False)
        assert told_by_name("知识库检索") == (False, True)
        assert told_by_name("GET /") == (False, False)
    assert told_by_name("retrieve" + "x" * 10_000) == (False, True)
    for number in range(2 * plain._REMEMBERED):
        told_by_name(f"step {number}")
    assert len(plain._known) <= plain._REMEMBERED
    assert max(map(len, plain._known)) < 1_000


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Wie spät ist es?", "Wie spät ist es"),
        ("  - " * 20 + "退款需要几天?", "退款需要几天"),
        ("退款 needs how_many days", "退款needs how many days!"),
        ("退款需要几天", "退款需要几个工作日"),
        ("How long does it take?", "How long does it take to be paid back, and by whom, and where to?"),
        ("???", ""),
        ("", "Yes."),
    ],
)
def test_texts_have_the_same_letters_whatever_stands_between_them(text: str, other: str) -> None:
    same = letters(text) == letters(other)
    assert (text in Alike([other])) == (other in Alike([text])) == same
    assert (text in Alike(["Something else entirely", other])) == same
    assert text not in Alike([])
