"""Verdicts on their way back: from the topic to receivers that are slow, busy, choosy or gone."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream import topics
from stream.embedded.broker import EmbeddedBroker
from stream.settings import Settings
from tests.support.export import QUICK, rows, running_export
from tests.support.kafka import environment, isolated_settings
from tests.support.rows import feedback_line, trace_line
from tests.support.sink import QUICK as QUICK_SINK
from tests.support.sink import publish_rows, running_sink, wait_for_rows
from tests.support.stand_in_receiver import Answer, Received, stand_in_receiver

pytestmark = pytest.mark.broker
PROGRAM = [sys.executable, "-m", "stream.cli", "export"]
URLS = {"otlp": "otlp_url", "langfuse": "langfuse_url", "phoenix": "phoenix_url"}


def settings_for(broker: str, name: str, url: str, **export: Any) -> Settings:
    return isolated_settings(broker, export=QUICK | {URLS[name]: url} | export)


@contextmanager
def export_process(settings: Settings, name: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`ragpulse export NAME` as a process of its own."""
    with (folder / "export.log").open("ab") as log:
        process = subprocess.Popen(
            [*PROGRAM, name], cwd=folder, env=environment(settings), stdout=log, stderr=log
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(true: Callable[[], bool], timeout_s: float = 30.0) -> None:
    end = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def trace_ids(received: list[Received], name: str) -> list[str]:
    """The traces that requests spoke of, each once a request."""
    found: list[str] = []
    for request in received:
        if name == "otlp":
            logs = ExportLogsServiceRequest.FromString(request.body).resource_logs[0].scope_logs[0]
            found += dict.fromkeys(record.trace_id.hex() for record in logs.log_records)
        elif name == "langfuse":
            found += dict.fromkeys(score["traceId"] for score in orjson.loads(request.body))
        else:
            data = orjson.loads(request.body)["data"]
            found += dict.fromkeys(f"{int(item['span_id'], 16):032x}" for item in data)
    return found


@pytest.mark.parametrize("name", list(URLS))
def test_every_verdict_arrives_once_though_the_receiver_is_busy_broken_and_silent(
    embedded_broker: EmbeddedBroker, name: str
) -> None:
    troubles = [Answer(429, headers={"Retry-After": "1"}), Answer(500), Answer(after_s=20)]
    with stand_in_receiver(*troubles) as receiver:
        settings = settings_for(embedded_broker.address, name, receiver.url)
        publish_rows(settings, rows(30), table="traces")
        publish_rows(settings, [feedback_line("t-1", 1)], table="feedback")
        with running_export(settings, name) as lane:
            until(lambda: lane.exported("sent") == 30)
        busy, broken, silent, good = receiver.received[:4]
        assert [r.status for r in (busy, broken, good)] == [429, 500, 200]
        assert broken.at - busy.at >= 1.0, "Retry-After was not honoured"
        assert silent.body == good.body
        assert sorted(trace_ids(receiver.taken[1:], name)) == [f"{n:032x}" for n in range(1, 31)]
        assert lane.count("ragpulse_export_requests_total", status="none") == 1
        assert (lane.exported("dropped"), lane.exported("refused")) == (0, 0)


def test_what_was_sent_is_not_sent_again_by_the_next_process(broker: str) -> None:
    with stand_in_receiver() as receiver:
        settings = settings_for(broker, "otlp", receiver.url)
        publish_rows(settings, rows(5), table="traces")
        with running_export(settings, "otlp") as first:
            until(lambda: first.exported("sent") == 5)
        publish_rows(settings, rows(7)[5:], table="traces")
        with running_export(settings, "otlp") as second:
            until(lambda: second.exported("sent") == 2)
        assert sorted(trace_ids(receiver.taken, "otlp")) == [f"{n:032x}" for n in range(1, 8)]


def test_a_process_that_is_killed_amid_a_request_loses_nothing(
    embedded_broker: EmbeddedBroker, tmp_path: Path
) -> None:
    with stand_in_receiver(Answer(), Answer(after_s=60)) as receiver:
        settings = settings_for(embedded_broker.address, "otlp", receiver.url, batch_size=10, timeout_s=20.0)
        publish_rows(settings, rows(40), table="traces")
        with export_process(settings, "otlp", tmp_path) as first:
            until(lambda: len(receiver.received) == 2)
            first.kill()
        with export_process(settings, "otlp", tmp_path) as second:
            until(lambda: len(set(trace_ids(receiver.taken, "otlp"))) == 40)
            second.terminate()
            assert second.wait(20) == 0


def test_an_export_without_an_address_says_which_setting_is_missing(tmp_path: Path) -> None:
    said = subprocess.run(
        [*PROGRAM, "langfuse"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert said.returncode == 2
    assert "RAGPULSE_EXPORT__LANGFUSE_URL" in said.stdout + said.stderr


@pytest.mark.engine
def test_a_receiver_that_never_answers_holds_up_nobody_and_is_given_up_in_the_end(
    embedded_broker: EmbeddedBroker, dsn: str
) -> None:
    with stand_in_receiver(usual=Answer(after_s=60)) as receiver:
        settings = isolated_settings(
            embedded_broker.address,
            export=QUICK | {"phoenix_url": receiver.url, "tries": 3},
            sink=QUICK_SINK,
            clickhouse={"dsn": dsn},
        )
        migrate(connect(dsn))
        publish_rows(settings, rows(20), table="traces")
        with running_export(settings, "phoenix") as lane, running_sink(settings):
            wait_for_rows(settings, 20)
            until(lambda: lane.exported("dropped") == 20)
            assert lane.exported("sent") == 0
            assert lane.count("ragpulse_export_up") == 0
            until(lambda: lane.count("ragpulse_in_flight_messages") == 0)


def test_one_finding_that_is_refused_takes_no_other_with_it(embedded_broker: EmbeddedBroker) -> None:
    with stand_in_receiver(usual=Answer(200)) as receiver:
        poison = f"{7:032x}".encode()
        receiver.answer = lambda body: Answer(422) if poison in body else Answer()  # type: ignore[method-assign]
        settings = settings_for(embedded_broker.address, "langfuse", receiver.url)
        publish_rows(settings, rows(16), table="traces")
        with running_export(settings, "langfuse") as lane:
            until(lambda: lane.exported("sent") == 15)
            until(lambda: lane.exported("refused") == 1)
        arrived = trace_ids(receiver.taken, "langfuse")
        assert sorted(arrived) == [f"{n:032x}" for n in range(1, 17) if n != 7]


def test_healthy_traces_and_ids_without_a_place_are_counted_and_left_out(
    embedded_broker: EmbeddedBroker,
) -> None:
    with stand_in_receiver() as receiver:
        settings = settings_for(embedded_broker.address, "otlp", receiver.url, only_failures=True)
        lines = [*rows(2), *rows(3, failure="healthy"), trace_line("own-1"), b"{broken", b"[1]"]
        publish_rows(settings, lines, table="traces")
        with running_export(settings, "otlp") as lane:
            until(lambda: lane.exported("sent") == 2)
            until(lambda: lane.exported("healthy") == 3 and lane.exported("no_place") == 1)


def test_verdicts_of_judges_go_back_as_well(embedded_broker: EmbeddedBroker) -> None:
    verdict = {"trace_id": f"{1:032x}", "judge": "panel", "failure": "hallucination", "faithfulness": 0.25}
    with stand_in_receiver() as receiver:
        settings = settings_for(embedded_broker.address, "phoenix", receiver.url)
        publish_rows(settings, [orjson.dumps(verdict)], topic=topics.VERDICTS)
        with running_export(settings, "phoenix") as lane:
            until(lambda: lane.exported("sent") == 1)
        (request,) = receiver.taken
        assert request.path.startswith("/v1/trace_annotations")
        assert {item["annotator_kind"] for item in orjson.loads(request.body)["data"]} == {"LLM"}
