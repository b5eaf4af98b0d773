"""Which spans change partition, and what they remember of where they came from."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from schemas.row import Provenance
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.worker.intake import read_origin
from stream.worker.regrouping import Regrouper, cut_spans, is_key_of, write_headers

TRACE = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize("key", [TRACE, TRACE.encode(), TRACE.upper().encode(), bytes.fromhex(TRACE)])
def test_a_trace_id_is_recognised_as_key_however_it_is_written(key: bytes | str) -> None:
    assert is_key_of(key, TRACE)


@pytest.mark.parametrize("key", [None, b"", b"acme", TRACE[:-1].encode(), bytes(16)])
def test_other_keys_say_nothing_of_traces(key: bytes | None) -> None:
    assert not is_key_of(key, TRACE)
    assert not is_key_of(key, "")


def regrouper(partitioned: str = "auto", partitions: int = 4) -> Regrouper:
    source = {"name": "otlp_spans", "format": "otlp_proto", "partitioned": partitioned}
    settings = Settings.model_validate({"kafka": {"sources": [source]}})
    output: Any = None
    return Regrouper(settings, output, WorkerMetrics(), lambda topic: partitions)


def message(key: bytes | None) -> Any:
    return SimpleNamespace(topic=lambda: "otlp_spans", key=lambda: key)


@pytest.mark.parametrize(
    ("partitioned", "partitions", "stays"),
    [("auto", 1, True), ("auto", 4, False), ("yes", 4, True), ("no", 1, False)],
)
def test_a_topic_of_one_partition_and_one_that_is_said_to_be_keyed_stay(
    partitioned: str, partitions: int, stays: bool
) -> None:
    assert regrouper(partitioned, partitions).may_stay("otlp_spans") is stays


def test_a_message_stays_where_its_key_is_the_id_of_its_only_trace() -> None:
    keyed, other = message(TRACE.encode()), message(b"acme")
    assert regrouper().stays(keyed, {TRACE: b""})
    assert not regrouper().stays(other, {TRACE: b""})
    assert not regrouper().stays(keyed, {TRACE: b"", "f" * 32: b""})
    assert not regrouper("no").stays(keyed, {TRACE: b""})
    assert regrouper().stays(other, {})


def test_what_is_sent_on_remembers_where_it_came_from() -> None:
    origin = Provenance("otlp_spans", 3, 17, datetime(2026, 11, 30, 12, tzinfo=UTC), "otlp_json")
    headers = dict(write_headers("otlp_json", origin))
    assert read_origin(headers) == origin  # type: ignore[arg-type]
    assert headers["format"] == b"otlp_json"
    assert read_origin({}) is None
    assert read_origin({"from": b"otlp_spans x 17 0 f"}) is None


def test_spans_that_do_not_fit_leave_a_word_behind() -> None:
    value, headers = cut_spans(b"x" * 100, [("from", b"a 0 1 2 f")], 50)
    assert value == b""
    assert headers == [("from", b"a 0 1 2 f"), ("cut", b"1")]
