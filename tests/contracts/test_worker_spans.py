"""Spans on a topic become scored traces, however a Collector cut, mixed and spread them."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from confluent_kafka import Message, Producer
from structlog.testing import capture_logs

from schemas.restore import trace_from_row
from stream import topics
from stream.dead.commands import list_dead
from stream.embedded.broker import EmbeddedBroker
from stream.kafka.admin import ensure_topics
from stream.settings import Settings
from tests.support.kafka import headers_of, isolated_settings, publish, read_all, read_until, unique
from tests.support.otel import FOLDER, all_expected, check_chunks, check_cuts, check_texts
from tests.support.pieces import by_trace, message, mixed, pieces
from tests.support.spans import otlp, rag_trace
from tests.support.traces import StubScorer, trace_json
from tests.support.worker import RunningWorker, WorkerProcess, names, running_worker

labelled = [
    pytest.mark.shared,
    pytest.mark.skipif(not FOLDER.exists(), reason=f"{FOLDER} is not here"),
]


@pytest.fixture
def embedded(embedded_broker: EmbeddedBroker) -> str:
    """One broker is enough for what does not depend on it."""
    return embedded_broker.address


def span_settings(
    broker: str, form: str = "otlp_proto", partitions: int = 4, assembly: dict[str, Any] | None = None,
    **more: Any,
) -> Settings:  # fmt: skip
    """A worker that reads one topic of spans, with short waits. `partitioned` is that of the source."""
    source = {"name": unique("otlp_spans"), "format": form, "partitioned": more.pop("partitioned", "auto")}
    settings = isolated_settings(
        broker,
        partitions=partitions,
        kafka={"sources": [source], **more.pop("kafka", {})},
        assembly={"grace_s": 0.7, "quiet_s": 2.0, **(assembly or {})},
        **more,
    )
    ensure_topics(settings.kafka, [settings.kafka.topic(topics.SPANS)])
    return settings


def put(settings: Settings, values: list[bytes], keys: list[str] | None = None) -> None:
    publish(settings.kafka.brokers, settings.kafka.sources[0].name, values, keys=keys)


def rows(settings: Settings, count: int, timeout_s: float = 60.0) -> dict[str, dict[str, Any]]:
    """The rows of `count` traces, the last one of each."""
    topic = settings.kafka.topic(topics.SCORED)
    return last_of_each(read_until(settings.kafka.brokers, topic, count, timeout_s=timeout_s))


def all_rows(settings: Settings) -> dict[str, dict[str, Any]]:
    return last_of_each(read_all(settings.kafka.brokers, settings.kafka.topic(topics.SCORED)))


def last_of_each(messages: list[Message]) -> dict[str, dict[str, Any]]:
    found = [orjson.loads(m.value() or b"") for m in messages]
    found.sort(key=lambda row: str(row["scored_at"]))  # as the table keeps them
    return {row["trace_id"]: row for row in found}


def check_labelled(found: dict[str, dict[str, Any]]) -> None:
    """Every labelled trace, against what is known of it."""
    expected = all_expected()
    assert found.keys() == expected.keys()
    for trace_id, row in found.items():
        trace = trace_from_row(row)
        check_texts(trace, expected[trace_id])
        check_chunks(trace, expected[trace_id])
        check_cuts(trace, expected[trace_id])


def wait_for_zero(worker: RunningWorker, name: str, timeout_s: float = 20.0) -> None:
    until = time.monotonic() + timeout_s
    while worker.count(name):
        assert time.monotonic() < until, f"{name} is {worker.count(name)}"
        time.sleep(0.05)


class TestLabelled:
    pytestmark = labelled

    def test_spans_mixed_doubled_cut_anew_and_spread_over_partitions(self, broker: str) -> None:
        self.check_trip(span_settings(broker), mixed(pieces("proto"), seed=7))

    @pytest.mark.broker
    def test_the_same_as_json(self, embedded: str) -> None:
        self.check_trip(span_settings(embedded, "otlp_json"), mixed(pieces("json"), seed=8))

    @pytest.mark.broker
    def test_the_same_as_json_and_protobuf_by_turns(self, embedded: str) -> None:
        values = [*mixed(pieces("json")[::2], seed=9), *mixed(pieces("proto")[1::2], seed=9)]
        random.Random(9).shuffle(values)
        self.check_trip(span_settings(embedded, "auto"), values)

    def check_trip(self, settings: Settings, values: list[bytes]) -> None:
        with running_worker(settings) as worker:
            worker.wait_for("ragpulse_assigned_partitions", 8)
            put(settings, values)
            check_labelled(rows(settings, len(all_expected())))
            assert worker.count("ragpulse_dead_letters_total") == 0

    def test_a_worker_killed_again_and_again_amid_them_changes_nothing(
        self, broker: str, tmp_path: Path
    ) -> None:
        settings = span_settings(broker, worker={"commit_interval_s": 0.2})
        with publishing(settings, seconds=6.0) as published:
            for number in range(2):
                worker = WorkerProcess(settings, tmp_path, f"victim-{number}")
                worker.wait_for_log("partitions assigned")
                time.sleep(0.8)  # amid spans that wait, rows on their way, offsets not yet committed
                worker.kill()
            last = WorkerProcess(settings, tmp_path, "last")
            try:
                published.join()
                rows(settings, len(all_expected()))
                assert last.terminate() == 0
            finally:
                last.kill()
        check_labelled(all_rows(settings))

    @pytest.mark.broker
    def test_two_workers_share_them_and_one_leaves(self, embedded: str) -> None:
        settings = span_settings(embedded)
        with publishing(settings, seconds=5.0) as published, running_worker(settings) as stays:
            with running_worker(settings) as leaves:
                leaves.wait_for("ragpulse_spans_received_total", 20)
            published.join()
            rows(settings, len(all_expected()))
            stays.wait_for("ragpulse_assigned_partitions", 8)
        check_labelled(all_rows(settings))


@contextmanager
def publishing(settings: Settings, seconds: float) -> Iterator[threading.Thread]:
    """All labelled traces in the course of so many seconds; the spans of each within four tenths of one."""
    chance = random.Random(11)
    plan = []
    for held in by_trace(pieces("proto")).values():
        begins = chance.uniform(0, seconds)
        plan += [(begins + chance.uniform(0, 0.4), number, one) for number, one in enumerate(held)]
    plan.sort(key=lambda item: item[:2])
    producer = Producer({"bootstrap.servers": settings.kafka.brokers, "linger.ms": 0})

    def run() -> None:
        start, left = time.monotonic(), plan
        while left:
            part, left = left[: (size := chance.randint(1, 4))], left[size:]
            time.sleep(max(0.0, start + part[-1][0] - time.monotonic()))
            producer.produce(settings.kafka.sources[0].name, message([one for _, _, one in part]))
            producer.poll(0)
        assert producer.flush(30) == 0

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield thread
    thread.join()


@pytest.mark.broker
def test_more_messages_wait_than_may_be_in_flight_and_nothing_stands_still(embedded: str) -> None:
    many = {"max_in_flight": 20, "batch_size": 10}
    settings = span_settings(embedded, worker=many, assembly={"quiet_s": 60.0})
    traces = [rag_trace(f"{number:032x}") for number in range(1, 101)]
    children = [otlp(spans[1:]) for spans in traces]
    roots = [otlp(spans[:1]) for spans in traces]
    with running_worker(settings, StubScorer()) as worker:
        put(settings, children)
        worker.wait_for("ragpulse_spans_waiting", 200)
        assert worker.count("ragpulse_messages_waiting") == 100
        put(settings, roots)
        assert len(rows(settings, 100)) == 100
        wait_for_zero(worker, "ragpulse_in_flight_messages")
        assert worker.count("ragpulse_traces_incomplete_total") == 0


def test_offsets_do_not_pass_spans_that_wait_and_stopping_scores_nothing_by_halves(broker: str) -> None:
    settings = span_settings(broker, partitions=1, assembly={"quiet_s": 60.0})
    whole, half = rag_trace(f"{1:032x}"), rag_trace(f"{2:032x}")
    with running_worker(settings, StubScorer()) as worker:
        put(settings, [otlp(whole[:1]), otlp([*whole[1:], *half[1:]]), otlp(rag_trace(f"{3:032x}"))])
        assert rows(settings, 2).keys() == {f"{1:032x}", f"{3:032x}"}
        worker.wait_for("ragpulse_delivered_total", 2)
    assert all_rows(settings).keys() == {f"{1:032x}", f"{3:032x}"}
    with running_worker(settings, StubScorer()) as worker:
        worker.wait_for("ragpulse_spans_waiting", 2)
        assert worker.count("ragpulse_messages_received_total") == 2
        assert worker.count("ragpulse_messages_read_again_total") == 1
        put(settings, [otlp(half[:1])])
        found = rows(settings, 3)
        wait_for_zero(worker, "ragpulse_in_flight_messages")
    assert len(found) == 3
    for row in found.values():
        assert (row["question"], row["retrieval_state"]) == ("Which pump is the quiet one?", "recorded")
        assert "ragpulse_incomplete" not in row["extra"]


@pytest.mark.broker
def test_a_trace_whose_root_never_comes_is_scored_as_what_it_is_and_marked(embedded: str) -> None:
    settings = span_settings(embedded, partitions=1, assembly={"quiet_s": 1.0})
    with running_worker(settings) as worker:
        put(settings, [otlp(rag_trace("ab" * 16)[1:])])
        (row,) = rows(settings, 1).values()
        worker.wait_for("ragpulse_traces_incomplete_total", 1, reason="no_root")
        assert worker.count("ragpulse_traces_assembled_total", closed="quiet") == 1
    assert orjson.loads(row["extra"])["ragpulse_incomplete"] == "no_root"
    assert row["answer"] == "The K2 is the quiet one."


@pytest.mark.broker
def test_spans_that_come_late_have_their_trace_scored_again_with_all_of_them(embedded: str) -> None:
    settings = span_settings(embedded, partitions=1, assembly={"quiet_s": 20.0})
    trace = rag_trace("ab" * 16)
    with running_worker(settings, StubScorer()) as worker:
        put(settings, [otlp(trace[:2])])
        (first,) = rows(settings, 1).values()
        put(settings, [otlp(trace[2:])])
        worker.wait_for("ragpulse_traces_scored_again_total", 1)
        wait_for_zero(worker, "ragpulse_in_flight_messages")
        (last,) = all_rows(settings).values()
        assert worker.count("ragpulse_spans_late_total") == 0
    assert (first["model"], last["model"]) == ("", "small-1")
    assert (first["question"], first["chunks"]) == (last["question"], last["chunks"])
    assert (first["timestamp"], first["source_offset"]) == (last["timestamp"], last["source_offset"])


@pytest.mark.broker
def test_other_traces_are_counted_and_what_comes_too_late_replaces_nothing(embedded: str) -> None:
    settings = span_settings(embedded, partitions=1, assembly={"quiet_s": 0.8})
    web = [{"trace": "cd" * 16, "id": 1, "name": "GET /health", "attributes": {"http.method": "GET"}}]
    trace = rag_trace("ab" * 16)
    with running_worker(settings, StubScorer()) as worker:
        put(settings, [otlp(trace), otlp(web)])
        rows(settings, 1)
        worker.wait_for("ragpulse_traces_not_rag_total", 1, reason="no_retrieval_no_generation")
        wait_for_zero(worker, "ragpulse_span_bytes_held")
        put(settings, [otlp(trace[2:])])
        worker.wait_for("ragpulse_spans_late_total", 1)
        put(settings, [otlp([{**trace[0], "id": 9, "feedback": "thumbs_down"}])])
        worker.wait_for("ragpulse_feedback_received_total", 1)
        wait_for_zero(worker, "ragpulse_in_flight_messages")
        assert worker.count("ragpulse_dead_letters_total") == 0
    scored = read_all(embedded, settings.kafka.topic(topics.SCORED))
    tables = [headers_of(one)["table"] for one in scored]
    assert sorted(tables) == [b"feedback", b"traces"]


@pytest.mark.broker
def test_spans_keyed_by_trace_id_stay_where_they_are(embedded: str) -> None:
    settings = span_settings(embedded)
    ids = [f"{number:032x}" for number in range(1, 41)]
    parts = [(trace_id, otlp(spans)) for trace_id in ids for spans in halves(rag_trace(trace_id))]
    with running_worker(settings, StubScorer()) as worker:
        put(settings, [value for _, value in parts], [trace_id for trace_id, _ in parts])
        assert rows(settings, 40).keys() == set(ids)
        assert worker.count("ragpulse_spans_regrouped_total") == 0
        assert worker.count("ragpulse_traces_incomplete_total") == 0


def halves(spans: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    return spans[1:], spans[:1]


@pytest.mark.broker
def test_a_topic_of_our_own_json_may_hold_spans_and_they_find_together(embedded: str) -> None:
    settings = isolated_settings(embedded, partitions=4, assembly={"grace_s": 0.7, "quiet_s": 30.0})
    own, ids = names(20), [f"{number:032x}" for number in range(1, 21)]
    values = [otlp(half) for trace_id in ids for half in halves(rag_trace(trace_id))]
    with running_worker(settings, StubScorer()) as worker:
        put(settings, [value for pair in zip(map(trace_json, own), values, strict=False) for value in pair])
        put(settings, values[20:])
        assert rows(settings, 40).keys() == {*own, *ids}
        assert worker.count("ragpulse_traces_incomplete_total") == 0
        assert worker.count("ragpulse_traces_decoded_total", format="otlp_proto") == 20


@pytest.mark.broker
def test_a_backlog_elsewhere_does_not_keep_a_trace_waiting(embedded: str) -> None:
    own = unique("own")
    sources = [{"name": own, "format": "ragpulse"}, {"name": unique("spans"), "format": "otlp_proto"}]
    settings = isolated_settings(
        embedded,
        partitions=1,
        kafka={"sources": sources},
        worker={"batch_size": 5},
        assembly={"grace_s": 2.0},
    )
    backlog = [trace_json(name) for name in names(1_500)]
    with running_worker(settings, StubScorer(seconds_a_batch=0.03)) as worker:
        publish(embedded, settings.kafka.sources[1].name, [otlp(rag_trace("ab" * 16))])
        worker.wait_for("ragpulse_spans_received_total", 3)
        publish(embedded, own, backlog)
        worker.wait_for("ragpulse_messages_received_total", 100, topic=own)
        worker.wait_for("ragpulse_traces_assembled_total", 1)
        assert worker.count("ragpulse_messages_received_total", topic=own) < 1_500


@pytest.mark.broker
def test_a_trace_on_which_the_scorer_fails_is_buried_with_all_its_messages(embedded: str) -> None:
    settings = span_settings(embedded, partitions=1)
    bad, good = "bad0" * 8, "ab" * 16
    with running_worker(settings, StubScorer(fails_on="bad0")) as worker:
        put(settings, [otlp(half) for half in halves(rag_trace(bad))] + [otlp(rag_trace(good))])
        rows(settings, 1)
        worker.wait_for("ragpulse_dead_letters_total", 2, reason="scorer_error")
        wait_for_zero(worker, "ragpulse_in_flight_messages")


@pytest.mark.broker
def test_a_wrong_encoding_is_one_sentence_and_dead_letters(embedded: str) -> None:
    settings = span_settings(embedded, "otlp_proto", partitions=1)
    name = settings.kafka.sources[0].name
    with capture_logs() as said, running_worker(settings, StubScorer()) as worker:
        put(settings, [orjson.dumps({"resourceSpans": []})] * 3 + [b"hello"] + [otlp(rag_trace("ab" * 16))])
        rows(settings, 1)
        worker.wait_for("ragpulse_dead_letters_total", 4, reason="not_otlp")
    (line,) = [line["event"] for line in said if "does not hold what" in line["event"]]
    assert name in line
    assert "OTLP as JSON" in line
    assert "set its format to otlp_json" in line
    assert {letter.reason for letter in list_dead(settings)} == {"not_otlp"}


@pytest.mark.broker
def test_exports_that_hold_many_traces_are_read_from_topics_too(embedded: str) -> None:
    settings = span_settings(embedded, "auto")
    value = orjson.dumps(
        [
            {
                "id": f"o{number}",
                "traceId": f"t{number}",
                "parentObservationId": None,
                "type": "GENERATION",
                "name": "answer",
                "startTime": "2026-11-30T12:00:00Z",
                "endTime": "2026-11-30T12:00:01Z",
                "input": [{"role": "user", "content": "Which pump is the quiet one?"}],
                "output": {"role": "assistant", "content": "The K2."},
            }
            for number in range(3)
        ]
    )
    with running_worker(settings) as worker:
        put(settings, [value])
        found = rows(settings, 3)
        assert worker.count("ragpulse_spans_regrouped_total") == 3
    assert {row["answer"] for row in found.values()} == {"The K2."}
    assert {row["source_topic"] for row in found.values()} == {settings.kafka.sources[0].name}
