"""What the doctor says of the messages on a topic."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import orjson

from stream.peek import describe
from stream.settings import TopicSource
from tests.support.traces import trace_json

TRACE_ID = "0" * 31 + "1"
SPAN = {"traceId": TRACE_ID, "spanId": "0" * 15 + "1", "name": "chat"}
OTLP_JSON = orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]})


def message(value: bytes, key: bytes | None = None) -> Any:
    return SimpleNamespace(value=lambda: value, key=lambda: key)


def look(values: list[Any], format: str = "otlp_json", partitions: int = 4, **more: Any) -> Any:
    return describe(TopicSource(name="otlp_spans", format=format, **more), values, partitions, "rag.spans")


def test_messages_that_are_what_the_setting_says_need_nothing() -> None:
    seen = look([message(OTLP_JSON)] * 3)
    assert (seen.todo, seen.mostly) == ("", False)
    assert "3 look like OTLP as JSON" in seen.detail


def test_a_wrong_format_is_named_with_the_right_one() -> None:
    seen = look([message(OTLP_JSON)] * 3, format="otlp_proto")
    assert seen.mostly
    assert "set the format of this topic to otlp_json" in seen.todo


def test_one_bad_message_among_good_ones_is_no_matter_of_the_setting() -> None:
    seen = look([message(trace_json("t")), message(trace_json("u")), message(b"?")], format="auto")
    assert not seen.mostly
    assert seen.todo


def test_it_says_whether_spans_change_partition() -> None:
    assert "by way of rag.spans" in look([message(OTLP_JSON)]).detail
    assert "whole traces" in look([message(OTLP_JSON, TRACE_ID.encode())]).detail
    assert "by way of" in look([message(OTLP_JSON, TRACE_ID.encode())], partitioned="no").detail
    assert "by way of" not in look([message(OTLP_JSON)], partitions=1).detail
