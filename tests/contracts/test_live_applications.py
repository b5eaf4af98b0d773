"""Applications that are already instrumented: LangChain and LlamaIndex, to verdicts in ClickHouse.

Their spans leave by OTLP over HTTP, go through a stand-in Collector to a topic as its Kafka exporter
writes them, and from there on everything is ragpulse's own: worker, sink, tables.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream.embedded.broker import EmbeddedBroker
from tests.support.kafka import isolated_settings, unique
from tests.support.live.helpdesk import CASES, FAILS, MODEL, PASSAGES, Case
from tests.support.sink import QUICK, running_sink, wait_for_rows
from tests.support.stand_in_collector import Encoding, stand_in_collector
from tests.support.worker import running_worker

CHECKOUT = Path(__file__).parents[2]
TEXTS = {passage.id: passage.text for passage in PASSAGES}
NEEDS = {
    "langchain": ("langchain_core", "openinference.instrumentation.langchain"),
    "llamaindex": ("llama_index.core", "openinference.instrumentation.llama_index"),
}
NO_MODEL_CALLED = "Empty Response"
"""What LlamaIndex answers, without asking its model, where nothing was found."""


@pytest.mark.broker
@pytest.mark.engine
@pytest.mark.parametrize(
    ("app", "encoding", "by_id"),
    [("langchain", "otlp_proto", False), ("llamaindex", "otlp_json", True)],
)
def test_an_instrumented_application_gets_verdicts_without_a_change(
    embedded_broker: EmbeddedBroker, dsn: str, app: str, encoding: Encoding, by_id: bool
) -> None:
    skip_unless_installed(app)
    migrate(connect(dsn))
    topic = unique("otlp_spans")
    settings = isolated_settings(
        embedded_broker.address,
        partitions=4,
        assembly={"grace_s": 1.0},
        kafka={"sources": [{"name": topic, "format": encoding}]},
        sink=QUICK,
        clickhouse={"dsn": dsn, "timeout_s": 10.0},
    )
    options: dict[str, Any] = {"topic": topic, "encoding": encoding, "partition_traces_by_id": by_id}
    with (
        stand_in_collector(embedded_broker.address, **options) as collector,
        running_worker(settings),
        running_sink(settings),
    ):
        run_application(app, collector.endpoint)
        wait_for_rows(settings, len(CASES))
        assert collector.requests > 1, "the spans came in one piece: nothing had to be put together"
    rows = {row["question"]: row for row in connect(dsn).query("SELECT * FROM traces FINAL")}
    assert rows.keys() == {case.question for case in CASES}
    for case in CASES:
        check(case, rows[case.question], app)


def check(case: Case, row: dict[str, Any], app: str) -> None:
    """The row of one case, by content."""
    assert row["failure"] == case.failure, case.name
    assert (row["app"], row["tenant"], row["conversation_id"]) == (app, "acme", case.name)
    assert len(row["trace_id"]) == 32
    chunks = orjson.loads(row["chunks"])
    assert [(chunk["id"], chunk["text"]) for chunk in chunks] == [(k, TEXTS[k]) for k in case.passages]
    assert all(0 < chunk["score"] <= 1 for chunk in chunks)
    if case.answer is None:
        assert row["answer"] is None
        assert FAILS in row["generation_error"]
        assert row["first_failed_stage"] == "generation"
    elif app == "llamaindex" and not case.passages:
        assert row["answer"] == NO_MODEL_CALLED
    else:
        assert (row["answer"], row["model"], row["generation_error"]) == (case.answer, MODEL, None)
    if case.failure == "hallucination":
        assert case.answer is not None
        assert row["faithfulness"] < 0.5 <= row["hallucination"]
        assert orjson.loads(row["evidence"])[0]["text"] in case.answer
    if case.failure == "healthy":
        assert row["faithfulness"] == 1.0
    if case.failure == "empty_recall":
        assert (row["retrieval_state"], row["faithfulness"]) == ("empty", None)
    if case.answer is not None and row["answer"] == case.answer:
        assert row["refusal"] == case.name.startswith(("refused", "nothing_found"))


def run_application(app: str, endpoint: str) -> None:
    """The application as a process of its own, until it has asked everything and sent its last span."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.support.live.{app}_app"],
        cwd=CHECKOUT,
        env={**os.environ, "APP": app, "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]


def skip_unless_installed(app: str) -> None:
    """These libraries are the extra `live`."""
    for module in (*NEEDS[app], "opentelemetry.exporter.otlp.proto.http"):
        try:
            found = importlib.util.find_spec(module)
        except ModuleNotFoundError:
            found = None
        if found is None:
            pytest.skip(f"needs {module}: pip install -e '.[live]'")
