"""Spans on a topic become scored traces, however a Collector cut, mixed and spread them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from confluent_kafka import Message

from schemas.restore import trace_from_row
from stream import topics
from stream.kafka.admin import ensure_topics
from stream.settings import Settings
from tests.support.kafka import isolated_settings, publish, read_all, read_until, unique
from tests.support.otel import FOLDER, all_expected, check_chunks, check_cuts, check_texts
from tests.support.pieces import by_trace, message, mixed, pieces
from tests.support.worker import WorkerProcess, running_worker

shared = [
    pytest.mark.shared,
    pytest.mark.skipif(not FOLDER.exists(), reason=f"{FOLDER} is not here"),
]


def span_settings(broker: str, form: str, partitions: int = 4, **more: Any) -> Settings:
    """A worker that reads one topic of spans, with short waits."""
    kafka = {"sources": [{"name": unique("otlp_spans"), "format": form, **more.pop("source", {})}]}
    assembly = {"grace_s": 1.0, "quiet_s": 3.0, **more.pop("assembly", {})}
    settings = isolated_settings(
        broker, partitions=partitions, kafka=kafka, assembly=assembly, telemetry={"port": 0}, **more
    )
    ensure_topics(settings.kafka, [settings.kafka.topic(topics.SPANS)])
    return settings


def source(settings: Settings) -> str:
    return settings.kafka.sources[0].name


def rows(settings: Settings, count: int, timeout_s: float = 60.0) -> dict[str, dict[str, Any]]:
    """The rows of `count` traces, the last one of each."""
    topic = settings.kafka.topic(topics.SCORED)
    return last_rows(read_until(settings.kafka.brokers, topic, count, timeout_s=timeout_s))


def last_rows(messages: list[Message]) -> dict[str, dict[str, Any]]:
    found = [orjson.loads(m.value() or b"") for m in messages]
    found.sort(key=lambda row: str(row["scored_at"]))
    return {row["trace_id"]: row for row in found}


def check_all(found: dict[str, dict[str, Any]]) -> None:
    """Every labelled trace, against what is known of it."""
    expected = all_expected()
    assert found.keys() == expected.keys()
    for trace_id, row in found.items():
        trace = trace_from_row(row)
        check_texts(trace, expected[trace_id])
        check_chunks(trace, expected[trace_id])
        check_cuts(trace, expected[trace_id])


@pytest.mark.parametrize("form", ["otlp_proto", "otlp_json"])
class TestLabelled:
    pytestmark = shared

    def test_shuffled_doubled_and_spread_over_partitions(self, broker: str, form: str) -> None:
        settings = span_settings(broker, form)
        encoding = form.removeprefix("otlp_")
        with running_worker(settings) as worker:
            worker.wait_for("ragpulse_assigned_partitions", 8)
            publish(broker, source(settings), mixed(pieces(encoding), seed=7))
            check_all(rows(settings, len(all_expected())))
            assert worker.count("ragpulse_dead_letters_total") == 0
