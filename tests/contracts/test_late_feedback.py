"""What users say after the fact, in the words of other tools, beside its trace in ClickHouse."""

from __future__ import annotations

import time
import urllib.request
from typing import Any

import orjson
import pytest

from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.embedded.broker import EmbeddedBroker
from tests.support.kafka import isolated_settings, publish, unique
from tests.support.sink import QUICK, running_sink, wait_for_rows
from tests.support.stand_in_collector import stand_in_collector
from tests.support.worker import running_worker
from tests.unit.schemas.formats.test_feedback_and_gold import DOWN, METRIC, UP, logs
from tests.unit.stream.test_span_files import request

pytestmark = [pytest.mark.broker, pytest.mark.engine]
TRACES = ("no_word", "by_log_event", "by_langfuse_score", "the_last_word_counts")
FORGOTTEN_AFTER_S = 2.0
"""Until then a worker remembers the spans of a trace, and scores it again with what comes late."""
IDS = {name: f"{number:032x}" for number, name in enumerate(TRACES, start=1)}


def send(endpoint: str, path: str, message: Any) -> None:
    """As an application's SDK does: protobuf over HTTP."""
    asked = urllib.request.Request(
        endpoint + path,
        message.SerializeToString(),
        {"Content-Type": "application/x-protobuf"},
        method="POST",
    )
    with urllib.request.urlopen(asked, timeout=20) as answer:
        assert answer.status == 200


def score(name: str, value: int) -> bytes:
    """An ingestion batch as Langfuse's SDK sends it."""
    body = {"id": f"s-{name}", "traceId": IDS[name], "name": "user-feedback", "value": value, "comment": "嗯"}
    event = {"id": "e", "type": "score-create", "timestamp": "2026-11-30T12:00:00Z", "body": body}
    return orjson.dumps({"batch": [event]})


def test_feedback_that_comes_later_stands_beside_its_trace(embedded_broker: EmbeddedBroker, dsn: str) -> None:
    store = connect(dsn)
    migrate(store)
    spans, events, scores = (unique(name) for name in ("otlp_spans", "otlp_logs", "langfuse"))
    settings = isolated_settings(
        embedded_broker.address,
        kafka={
            "sources": [
                {"name": spans, "format": "otlp_proto"},
                {"name": events, "format": "otlp_logs_proto"},
                {"name": scores, "format": "langfuse"},
            ]
        },
        assembly={"grace_s": 0.3, "quiet_s": 0.6},
        sink=QUICK,
        clickhouse={"dsn": dsn, "timeout_s": 10.0},
    )
    address = embedded_broker.address
    with (
        stand_in_collector(address, topic=spans, logs_topic=events) as collector,
        running_worker(settings) as worker,
        running_sink(settings),
    ):
        for number in range(1, len(TRACES) + 1):
            send(collector.endpoint, "/v1/traces", request(number, parent=True))
        wait_for_rows(settings, len(TRACES))
        time.sleep(FORGOTTEN_AFTER_S)
        for name in ("by_log_event", "the_last_word_counts"):
            send(collector.endpoint, "/v1/logs", logs(DOWN, METRIC, {"name": "other"}, trace_id=IDS[name]))
        send(collector.endpoint, "/v1/logs", logs({"name": "nothing of ours"}))
        publish(address, scores, [score("by_langfuse_score", 1)])
        for name, rating in (("by_log_event", -1), ("the_last_word_counts", -1), ("by_langfuse_score", 1)):
            wait_until_rated(store, IDS[name], rating)
        send(collector.endpoint, "/v1/logs", logs(UP, METRIC, trace_id=IDS["the_last_word_counts"]))
        wait_until_rated(store, IDS["the_last_word_counts"], 1)
        assert worker.count("ragpulse_dead_letters_total") == 0
    found = {
        row["trace_id"]: (row["feedback_rating"], row["feedback_comment"])
        for row in store.query("SELECT * FROM traces_with_feedback")
    }
    assert found == {
        IDS["no_word"]: (None, None),
        IDS["by_log_event"]: (-1, "错了"),
        IDS["by_langfuse_score"]: (1, "嗯"),
        IDS["the_last_word_counts"]: (1, None),
    }
    columns = "DISTINCT trace_id, name, source, score"
    assert store.query(f"SELECT {columns} FROM trace_evaluations ORDER BY trace_id") == [
        {"trace_id": IDS[name], "name": "faithfulness", "source": "otel", "score": 0.4}
        for name in ("by_log_event", "the_last_word_counts")
    ]


def wait_until_rated(store: ClickHouse, trace_id: str, rating: int) -> None:
    until = time.monotonic() + 60
    question = "SELECT feedback_rating AS rating FROM traces_with_feedback WHERE trace_id = {id:String}"
    while [row["rating"] for row in store.query(question, {"id": trace_id})] != [rating]:
        assert time.monotonic() < until
        time.sleep(0.1)
