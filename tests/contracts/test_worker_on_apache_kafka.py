"""What only a real cluster can do to a worker: grow, forget, go away and come back."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import orjson
import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType
from confluent_kafka.cimpl import NewPartitions

from stream import topics
from stream.kafka.admin import ensure_topics
from stream.kafka.source import Source
from stream.settings import Settings
from stream.telemetry import StreamMetrics
from tests.support.kafka import ApacheKafka, committed, isolated_settings, publish, read_until, unique
from tests.support.traces import StubScorer, trace_json
from tests.support.worker import WorkerProcess, ids, names, publish_traces, running_worker, scored

pytestmark = pytest.mark.kafka


def _admin(settings: Settings, ask: Callable[[AdminClient], dict[Any, Future[Any]]]) -> None:
    """Ask the cluster for something and wait until it is done."""
    client = AdminClient({"bootstrap.servers": settings.kafka.brokers})
    for future in ask(client).values():
        future.result()


def test_partitions_that_are_added_while_a_worker_runs_are_read_from_their_beginning(
    apache_kafka: str,
) -> None:
    quick = {"topic.metadata.refresh.interval.ms": 500}
    settings = isolated_settings(apache_kafka, partitions=1, kafka={"options": quick})
    topic = settings.kafka.topic(topics.TRACES)
    before, after = names(20), names(200)
    publish_traces(settings, before)
    with running_worker(settings, StubScorer()) as worker:
        worker.wait_for("ragpulse_assigned_partitions", 1)
        _admin(settings, lambda admin: admin.create_partitions([NewPartitions(topic, 4)]))
        publish_traces(settings, after)
        worker.wait_for("ragpulse_assigned_partitions", 4)
        assert ids(scored(settings, 220)) == {*before, *after}
    assert len(committed(settings, "worker")) == 4


def test_what_retention_deleted_while_the_worker_was_stopped_is_counted_as_lost(apache_kafka: str) -> None:
    settings = isolated_settings(apache_kafka, partitions=1)
    topic = settings.kafka.topic(topics.TRACES)
    first, forgotten, last = names(10), names(25), names(5)
    publish_traces(settings, first)
    with running_worker(settings, StubScorer()):
        scored(settings, 10)
    publish_traces(settings, forgotten)
    _set(settings, topic, "retention.ms", "100")
    _wait_for_low_watermark(settings, topic, 35)
    _set(settings, topic, "retention.ms", "-1")
    publish_traces(settings, last)
    with running_worker(settings, StubScorer()) as worker:
        assert ids(scored(settings, 15)) == {*first, *last}
        assert worker.count("ragpulse_lost_by_retention_total", topic=topic, partition="0") == 25
    assert committed(settings, "worker") == {(topic, 0): 40}


def test_retention_that_overtakes_a_running_worker_is_counted_as_well(apache_kafka: str) -> None:
    settings = isolated_settings(apache_kafka, partitions=1)
    topic = settings.kafka.topic(topics.TRACES)
    publish_traces(settings, names(10))
    source, metrics = _source(settings)
    source.subscribe()
    assert _take(source, 1) == [0]
    source.pause()
    _admin(settings, lambda admin: admin.delete_records([TopicPartition(topic, 0, 8)]))
    source.resume()
    assert _take(source, 2) == [8, 9]
    assert metrics.lost_by_retention.labels(topic, "0")._value.get() == 7
    source.close()


@pytest.mark.parametrize("strategy", ["cooperative-sticky", "range"])
def test_a_topic_that_was_created_anew_is_read_from_its_beginning(apache_kafka: str, strategy: str) -> None:
    options = {"partition.assignment.strategy": strategy}
    settings = isolated_settings(apache_kafka, partitions=1, kafka={"options": options})
    topic = settings.kafka.topic(topics.TRACES)
    old, new = names(30), names(4)
    publish_traces(settings, old)
    with running_worker(settings, StubScorer()):
        scored(settings, 30)
    group_offsets = committed(settings, "worker")
    _admin(settings, lambda admin: admin.delete_topics([topic]))
    _create_again(settings, topic)
    _recommit(settings, group_offsets)
    publish_traces(settings, new)
    with running_worker(settings, StubScorer()) as worker:
        assert ids(scored(settings, 34)) == {*old, *new}
        assert worker.count("ragpulse_log_rewound_total") == 1


def test_a_broker_killed_and_restarted_midstream_costs_nothing(killable_kafka: ApacheKafka) -> None:
    settings = isolated_settings(killable_kafka.address, worker={"batch_size": 20})
    traces = names(1_500)
    publish_traces(settings, traces)
    with running_worker(settings, StubScorer(seconds_a_batch=0.02)) as worker:
        worker.wait_for("ragpulse_delivered_total", 300)
        killable_kafka.restart()
        assert ids(scored(settings, 1_500, timeout_s=60)) == set(traces)
        _wait_until_committed(settings, 1_500)


def test_sigterm_ends_a_worker_even_while_the_broker_is_away(
    killable_kafka: ApacheKafka, tmp_path: Path
) -> None:
    settings = isolated_settings(killable_kafka.address, worker={"stop_budget_s": 2.0})
    publish_traces(settings, names(50))
    worker = WorkerProcess(settings, tmp_path)
    try:
        scored(settings, 50)
        killable_kafka.kill()
        assert worker.terminate(timeout_s=30) == 0
    finally:
        worker.kill()


def test_a_row_that_its_topic_refuses_is_cut_and_not_lost(apache_kafka: str) -> None:
    settings = isolated_settings(apache_kafka, partitions=1)
    scored = settings.kafka.topic(topics.SCORED)
    _set(settings, scored, "max.message.bytes", "50000")
    text = "".join(random.Random(7).choices("的一是不了在有人我他这中大来上国", k=120_000))
    big = trace_json("big", retrieval={"chunks": [{"id": "k1", "text": text}]}, app="helpdesk")
    publish(
        apache_kafka, settings.kafka.topic(topics.TRACES), [big, trace_json("small")], keys=["big", "small"]
    )
    with running_worker(settings, StubScorer()):
        messages = read_until(apache_kafka, scored, 2)
    rows = {row["trace_id"]: row for row in (orjson.loads(m.value() or b"") for m in messages)}
    assert rows["big"]["chunks"] is None
    assert (rows["big"]["app"], rows["big"]["chunk_count"], rows["big"]["scorer_version"]) == (
        "helpdesk",
        1,
        "stub-1",
    )
    assert orjson.loads(rows["big"]["signals"])["row_cut"] == "chunks"
    assert sum(committed(settings, "worker").values()) == 2


def _source(settings: Settings) -> tuple[Source, StreamMetrics]:
    metrics = StreamMetrics()
    names = [source.name for source in settings.kafka.sources]
    source = Source(settings.kafka, "worker", names, metrics, drain=lambda *_: None, revoke_budget_s=1.0)
    return source, metrics


def _take(source: Source, count: int) -> list[int]:
    """Exactly `count` messages, opened in the ledger; returns their offsets."""
    offsets: list[int] = []
    until = time.monotonic() + 20
    while len(offsets) < count:
        assert time.monotonic() < until, f"{len(offsets)} of {count} messages"
        for message in source.take(count - len(offsets), 0.1):
            source.ledger.open(
                (str(message.topic()), int(message.partition() or 0)), int(message.offset() or 0)
            )
            offsets.append(int(message.offset() or 0))
    return offsets


def _set(settings: Settings, topic: str, name: str, value: str) -> None:
    entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    _admin(settings, lambda admin: admin.incremental_alter_configs([resource]))


def _wait_for_low_watermark(settings: Settings, topic: str, low: int) -> None:
    consumer = Consumer({"bootstrap.servers": settings.kafka.brokers, "group.id": unique("look")})
    until = time.monotonic() + 60
    while (got := consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=5)[0]) < low:
        assert time.monotonic() < until, f"low watermark {got}, wanted {low}"
        time.sleep(0.2)
    consumer.close()


def _wait_until_committed(settings: Settings, count: int) -> None:
    """A broker that comes back has forgotten the member: what it had not committed is done once more."""
    until = time.monotonic() + 60
    while (got := sum(committed(settings, "worker").values())) < count:
        assert time.monotonic() < until, f"{got} of {count} committed"
        time.sleep(0.2)


def _create_again(settings: Settings, topic: str) -> None:
    """Deleting takes the broker a moment, in which the name is still taken."""
    until = time.monotonic() + 20
    while not ensure_topics(settings.kafka, [topic]):
        assert time.monotonic() < until
        time.sleep(0.1)


def _recommit(settings: Settings, offsets: dict[tuple[str, int], int]) -> None:
    """Kafka forgets the offsets of a deleted topic; a restored cluster may not."""
    group = f"{settings.kafka.group_prefix}-worker"
    consumer = Consumer({"bootstrap.servers": settings.kafka.brokers, "group.id": group})
    positions = [TopicPartition(*at, offset) for at, offset in offsets.items()]
    consumer.commit(offsets=positions, asynchronous=False)
    consumer.close()
