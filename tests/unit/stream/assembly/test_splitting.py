"""A message of many traces becomes one message a trace, span for span what it was."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from schemas.formats.otlp import read_json, read_proto
from schemas.formats.span import Event, Span
from stream.assembly.splitting import NotSpans, pack, split_json, split_proto, unpack
from tests.support.otel import FOLDER, NAMES, messages


def by_trace(spans: object) -> dict[str, list[Span]]:
    found = defaultdict(list)
    assert isinstance(spans, list)
    for span in spans:
        found[span.trace_id].append(span)
    return dict(found)


def request(*groups: list[list[int]]) -> bytes:
    """One resource a group, one scope a list, one span a number: of the trace with that number."""
    made = ExportTraceServiceRequest()
    for at, group in enumerate(groups):
        resource = made.resource_spans.add()
        resource.schema_url = f"https://example.org/{at}"
        resource.resource.attributes.add(key="service.name").value.string_value = f"service {at}"
        for scope in group:
            scoped = resource.scope_spans.add()
            scoped.scope.name = f"scope {len(scope)}"
            for number, trace in enumerate(scope):
                span = scoped.spans.add(trace_id=trace.to_bytes(16, "big"), name=f"span {number}")
                span.span_id = number.to_bytes(8, "big")
                span.attributes.add(key="text").value.string_value = "文" * number
    found: bytes = made.SerializeToString()
    return found


@given(st.lists(st.lists(st.lists(st.integers(1, 4), max_size=5), max_size=3), max_size=3))
def test_every_span_lands_in_its_trace_under_its_resource_and_scope(groups: list[list[list[int]]]) -> None:
    data = request(*groups)
    parts = split_proto(data)
    assert {trace: by_trace(read_proto(part))[trace] for trace, part in parts.items()} == by_trace(
        read_proto(data) if data else []
    )


@pytest.mark.shared
@pytest.mark.skipif(not FOLDER.exists(), reason=f"{FOLDER} is not here")
@pytest.mark.parametrize("name", NAMES)
def test_real_messages_are_cut_without_loss(name: str) -> None:
    for data in messages(name, "proto"):
        whole = by_trace(read_proto(data))
        assert {t: read_proto(part) for t, part in split_proto(data).items()} == whole
        assert {
            t: unpack(part) for t, part in pack([span for spans in whole.values() for span in spans]).items()
        } == whole
    for data in messages(name, "json"):
        parts = split_json(orjson.loads(data))
        assert {t: read_json(part) for t, part in parts.items()} == by_trace(read_json(data))


def test_a_message_of_one_trace_is_left_as_it_is() -> None:
    data = request([[1, 1]], [[1]])
    assert split_proto(data) == {f"{1:032x}": data}


def test_a_trace_id_is_found_wherever_in_the_span_it_stands() -> None:
    span = b"\x2a\x04late" + b"\x0a\x10" + bytes(15) + b"\x07"
    scope = b"\x12" + bytes([len(span)]) + span
    resource = b"\x12" + bytes([len(scope)]) + scope
    assert list(split_proto(b"\x0a" + bytes([len(resource)]) + resource)) == [f"{7:032x}"]


@given(st.binary(max_size=60))
def test_any_bytes_are_cut_or_refused(data: bytes) -> None:
    with suppress(NotSpans):
        for part in split_proto(data).values():
            assert split_proto(part)


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_a_message_that_breaks_off_is_refused(cut: int) -> None:
    with pytest.raises(NotSpans):
        split_proto(request([[1, 2]])[:-cut])


@pytest.mark.parametrize("value", [{}, {"resourceSpans": 1}, {"resourceSpans": [{"scopeSpans": None}]}])
def test_json_without_lists_of_spans_is_refused(value: dict[str, object]) -> None:
    with pytest.raises(NotSpans):
        split_json(value)


def test_spans_that_were_read_survive_being_packed_with_what_no_json_holds() -> None:
    span = Span("t", "s", attributes={"big": 2**70, "half": "\ud83d"}, events=(Event("e", 1, {"a": [1]}),))
    (back,) = unpack(pack([span])["t"])
    assert back.events == span.events
    assert back.attributes == {"big": str(2**70), "half": "\ufffd"}


@pytest.mark.parametrize("data", [b"", b"[1]", b'[{"trace":"t"}]', b"{"])
def test_what_was_not_packed_is_not_unpacked(data: bytes) -> None:
    with pytest.raises(NotSpans):
        unpack(data)
