"""What the worker promises, on the embedded broker and on Apache Kafka alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from confluent_kafka import Message

from stream import topics
from stream.embedded.broker import EmbeddedBroker
from stream.embedded.child import find_free_port
from stream.settings import Settings
from stream.source import Source
from stream.telemetry import StreamMetrics
from tests.support.kafka import (
    SESSION_MS,
    committed,
    isolated_settings,
    publish,
    read_all,
    read_until,
    unique,
)
from tests.support.traces import StubScorer, trace_json
from tests.support.worker import RunningWorker, WorkerProcess, running_worker, scrape

EAGER = {"partition.assignment.strategy": "range"}
NEWER = {"group.protocol": "consumer"}


def _publish(settings: Settings, trace_ids: list[str], **fields: Any) -> None:
    topic = settings.kafka.topic(topics.TRACES)
    publish(settings.kafka.brokers, topic, [trace_json(i, **fields) for i in trace_ids], keys=trace_ids)


def _scored(settings: Settings, count: int) -> list[Message]:
    return read_until(settings.kafka.brokers, settings.kafka.topic(topics.SCORED), count)


def _ids(messages: list[Message]) -> set[str]:
    return {(message.key() or b"").decode() for message in messages}


def _names(count: int) -> list[str]:
    prefix = unique()
    return [f"{prefix}-{number}" for number in range(count)]


def test_every_trace_becomes_one_row(broker: str) -> None:
    settings = isolated_settings(broker)
    names = _names(600)
    _publish(settings, names, app="helpdesk")
    with running_worker(settings) as worker:
        messages = _scored(settings, 600)
        worker.wait_for("ragpulse_delivered_total", 600)
    assert sorted((m.key() or b"").decode() for m in messages) == sorted(names)
    row = orjson.loads(messages[0].value() or b"")
    assert (row["app"], row["source_topic"]) == ("helpdesk", settings.kafka.topic(topics.TRACES))
    assert dict(messages[0].headers() or []) == {"table": b"traces"}
    assert sum(committed(settings, "worker").values()) == 600


def test_late_feedback_becomes_a_row_of_its_own_table(broker: str) -> None:
    settings = isolated_settings(broker)
    late = b'{"trace_id": "t-1", "feedback": {"rating": -1, "comment": "\xe4\xb8\x8d\xe5\xaf\xb9"}}'
    publish(broker, settings.kafka.topic(topics.TRACES), [late])
    with running_worker(settings):
        (message,) = _scored(settings, 1)
    assert dict(message.headers() or []) == {"table": b"feedback"}
    row = orjson.loads(message.value() or b"")
    assert (row["trace_id"], row["rating"], row["comment"]) == ("t-1", -1, "不对")


def test_sampled_traces_reach_the_judges_with_their_probability(broker: str) -> None:
    settings = isolated_settings(broker, sampling={"base_rate": 1.0})
    _publish(settings, ["t-1"])
    with running_worker(settings, StubScorer()):
        (message,) = read_until(broker, settings.kafka.topic(topics.JUDGE), 1)
    sample = orjson.loads(message.value() or b"")
    assert sample["trace"]["trace_id"] == "t-1"
    assert sample["scores"]["scorer_version"] == "stub-1"
    assert sample["sample"] == {"probability": 1.0, "reasons": ["control"]}


def test_a_second_start_goes_on_where_the_first_one_stopped(broker: str) -> None:
    settings = isolated_settings(broker)
    first, second = _names(50), _names(50)
    _publish(settings, first)
    with running_worker(settings):
        _scored(settings, 50)
    _publish(settings, second)
    with running_worker(settings) as worker:
        _scored(settings, 100)
        assert worker.count("ragpulse_messages_received_total") == 50


def test_a_trace_on_which_the_scorer_fails_is_buried_alone(broker: str) -> None:
    settings = isolated_settings(broker)
    _publish(settings, ["good-1", "bad", "good-2"])
    with running_worker(settings, StubScorer(fails_on="bad")) as worker:
        assert _ids(_scored(settings, 2)) == {"good-1", "good-2"}
        worker.wait_for("ragpulse_dead_letters_total", 1, reason="scorer_error")
    (letter,) = read_all(broker, settings.kafka.topic(topics.DEAD))
    assert orjson.loads(letter.value() or b"")["trace_id"] == "bad"
    assert sum(committed(settings, "worker").values()) == 3


def test_a_scorer_that_fails_on_everything_stops_the_worker_before_it_commits(broker: str) -> None:
    settings = isolated_settings(broker, partitions=1)
    _publish(settings, [f"bad-{name}" for name in _names(300)])
    worker = RunningWorker(settings, StubScorer(fails_on="bad"))
    worker.start()
    with pytest.raises(RuntimeError, match="the scorer failed on"):
        worker.join()
    assert sum(committed(settings, "worker").values()) < 300


def test_too_much_in_flight_pauses_the_input_and_then_goes_on(broker: str) -> None:
    slow_to_confirm = {"linger.ms": 300}
    settings = isolated_settings(
        broker, worker={"max_in_flight": 100, "batch_size": 200}, kafka={"options": slow_to_confirm}
    )
    names = _names(600)
    _publish(settings, names)
    with running_worker(settings) as worker:
        assert _ids(_scored(settings, 600)) == set(names)
        assert worker.count("ragpulse_pauses_total") > 0
        worker.wait_for("ragpulse_delivered_total", 600)
    assert sum(committed(settings, "worker").values()) == 600


@pytest.mark.parametrize("options", [{}, EAGER], ids=["cooperative", "eager"])
def test_two_workers_share_a_topic_and_one_may_leave(broker: str, options: dict[str, str]) -> None:
    settings = isolated_settings(broker, partitions=4, kafka={"options": options})
    before, during, after = _names(200), _names(200), _names(200)
    _publish(settings, before)
    with running_worker(settings) as stays:
        stays.wait_for("ragpulse_messages_received_total", 1)
        with running_worker(settings) as leaves:
            leaves.wait_for("ragpulse_assigned_partitions", 2)
            _publish(settings, during)
            _scored(settings, 400)
        stays.wait_for("ragpulse_assigned_partitions", 4)
        _publish(settings, after)
        messages = _scored(settings, 600)
    assert _ids(messages) == {*before, *during, *after}
    assert sum(committed(settings, "worker").values()) == 600


def test_a_worker_killed_amid_its_batches_loses_nothing(broker: str, tmp_path: Path) -> None:
    settings = isolated_settings(broker, partitions=4, worker={"batch_size": 20, "commit_interval_s": 0.5})
    names = _names(3_000)
    victim = WorkerProcess(settings, tmp_path, "victim", program=SLOW_WORKER)
    other = WorkerProcess(settings, tmp_path, "other", program=SLOW_WORKER)
    try:
        victim.wait_for_log("partitions assigned")
        other.wait_for_log("partitions assigned")
        _publish(settings, names)
        read_until(broker, settings.kafka.topic(topics.SCORED), 200)
        victim.kill()
        assert _ids(_scored(settings, 3_000)) == set(names)
        assert other.terminate() == 0
    finally:
        victim.kill()
        other.kill()
    assert sum(committed(settings, "worker").values()) == 3_000


SLOW_WORKER = """
import sys
import stream.worker
from stream.embedded.broker import EmbeddedBroker
from stream.embedded.child import find_free_port
from stream.settings import Settings
from tests.support.traces import StubScorer
stream.worker.load_scorer = lambda: StubScorer(seconds_a_batch=0.02)
sys.exit(stream.worker.run_worker(Settings()))
"""


def test_sigterm_ends_a_worker_with_everything_confirmed_and_committed(broker: str, tmp_path: Path) -> None:
    settings = isolated_settings(broker, worker={"commit_interval_s": 60.0}, telemetry={"port": 0})
    names = _names(300)
    _publish(settings, names)
    worker = WorkerProcess(settings, tmp_path)
    try:
        url = orjson.loads(worker.wait_for_log('"endpoint"'))["url"]
        _scored(settings, 300)
        said = scrape(url)
        assert said["ragpulse_messages_received_total"] == 300
        assert worker.terminate() == 0
    finally:
        worker.kill()
    assert sum(committed(settings, "worker").values()) == 300


def test_a_setting_that_the_client_refuses_is_named_and_ends_the_worker(broker: str, tmp_path: Path) -> None:
    settings = isolated_settings(broker)
    wrong = settings.kafka.model_copy(update={"options": {"security.protocol": "telepathy"}})
    worker = WorkerProcess(settings.model_copy(update={"kafka": wrong}), tmp_path)
    assert worker.process.wait(30) == 2
    said = worker.log.read_text()
    assert "telepathy" in said
    assert "RAGPULSE_KAFKA__" in said
    assert "Traceback" not in said


def test_only_the_confirmed_prefix_is_committed(broker: str) -> None:
    settings = isolated_settings(broker, partitions=1)
    _publish(settings, _names(10))
    source = _source(settings)
    source.subscribe()
    slots = []
    while len(slots) < 10:
        for m in source.take(10, 0.1):
            slots.append(source.ledger.open((str(m.topic()), int(m.partition() or 0)), int(m.offset() or 0)))
    for slot in (slots[0], slots[1], slots[2], slots[5], slots[9]):
        source.ledger.settle(slot)
    source.commit_within(10)
    assert list(committed(settings, "worker").values()) == [3]
    source.close()
    assert list(committed(settings, "worker").values()) == [3]


def test_lag_is_what_is_not_done_yet(broker: str) -> None:
    settings = isolated_settings(broker, partitions=1)
    source = _source(settings)
    source.subscribe()
    _publish(settings, _names(30))
    slots = []
    while len(slots) < 30:
        for m in source.take(30, 0.1):
            slots.append(source.ledger.open((str(m.topic()), int(m.partition() or 0)), int(m.offset() or 0)))
    for slot in slots[:12]:
        source.ledger.settle(slot)
    source.commit_within(10)
    assert list(source.lag().values()) == [18]
    source.close()


def test_options_cannot_switch_commits_to_automatic(broker: str) -> None:
    options = {"enable.auto.commit": True, "enable.auto.offset.store": True, "auto.offset.reset": "latest"}
    settings = isolated_settings(broker, partitions=1, kafka={"options": options})
    _publish(settings, _names(5))
    source = _source(settings)
    source.subscribe()
    taken = 0
    while taken < 5:
        taken += len(source.take(5, 0.1))
    source.close()
    assert committed(settings, "worker") == {}


@pytest.mark.broker
def test_a_worker_started_before_its_broker_waits_for_it(tmp_path: Path) -> None:
    port = find_free_port()
    address = f"127.0.0.1:{port}"
    kafka = {"brokers": address, "session_timeout_ms": SESSION_MS}
    worker = WorkerProcess(Settings.model_validate({"kafka": kafka}), tmp_path)
    try:
        said = worker.wait_for_log("No Kafka broker answers")
        assert address in said
        assert "RAGPULSE_KAFKA__BROKERS" in said
        with EmbeddedBroker(port):
            worker.wait_for_log("partitions assigned")
            publish(address, topics.TRACES, [trace_json("t-1")])
            read_until(address, topics.SCORED, 1)
    finally:
        worker.kill()


@pytest.mark.kafka
def test_the_newer_group_protocol_works_as_well(apache_kafka: str) -> None:
    settings = isolated_settings(apache_kafka, partitions=4, kafka={"options": NEWER})
    names = _names(400)
    with running_worker(settings) as one, running_worker(settings) as other:
        one.wait_for("ragpulse_assigned_partitions", 2)
        other.wait_for("ragpulse_assigned_partitions", 2)
        _publish(settings, names)
        assert _ids(_scored(settings, 400)) == set(names)
        assert one.count("ragpulse_messages_received_total") > 0
    assert sum(committed(settings, "worker").values()) == 400


def _source(settings: Settings) -> Source:
    names = [source.name for source in settings.kafka.sources]
    return Source(
        settings.kafka,
        "worker",
        names,
        StreamMetrics(),
        drain=lambda partitions, budget_s: None,
        revoke_budget_s=1.0,
    )
