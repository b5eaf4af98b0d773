"""Workers that share a topic, leave it, are killed: what each owns, and what has been committed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from structlog.testing import capture_logs

from stream import topics
from stream.kafka.ledger import Slot
from stream.kafka.source import Source
from stream.settings import Settings
from stream.telemetry import StreamMetrics
from tests.support.kafka import (
    SESSION_MS,
    committed,
    isolated_settings,
    read_until,
)
from tests.support.worker import WorkerProcess, ids, names, publish_traces, running_worker, scored, scrape

EAGER = {"partition.assignment.strategy": "range"}
NEWER = {"group.protocol": "consumer"}


@pytest.mark.parametrize("options", [{}, EAGER], ids=["cooperative", "eager"])
def test_two_workers_share_a_topic_and_one_may_leave(broker: str, options: dict[str, str]) -> None:
    settings = isolated_settings(broker, partitions=4, kafka={"options": options})
    before, during, after = names(200), names(200), names(200)
    publish_traces(settings, before)
    with running_worker(settings) as stays:
        stays.wait_for("ragpulse_messages_received_total", 1)
        with running_worker(settings) as leaves:
            leaves.wait_for("ragpulse_assigned_partitions", 2)
            publish_traces(settings, during)
            scored(settings, 400)
        stays.wait_for("ragpulse_assigned_partitions", 4)
        publish_traces(settings, after)
        messages = scored(settings, 600)
    assert ids(messages) == {*before, *during, *after}
    assert sum(committed(settings, "worker").values()) == 600


def test_a_worker_killed_amid_its_batches_loses_nothing(broker: str, tmp_path: Path) -> None:
    settings = isolated_settings(broker, partitions=4, worker={"batch_size": 20, "commit_interval_s": 0.5})
    traces = names(3_000)
    victim = WorkerProcess(settings, tmp_path, "victim", program=SLOW_WORKER)
    other = WorkerProcess(settings, tmp_path, "other", program=SLOW_WORKER)
    try:
        victim.wait_for_log("partitions assigned")
        other.wait_for_log("partitions assigned")
        publish_traces(settings, traces)
        read_until(broker, settings.kafka.topic(topics.SCORED), 200)
        victim.kill()
        assert ids(scored(settings, 3_000)) == set(traces)
        assert other.terminate() == 0
    finally:
        victim.kill()
        other.kill()
    assert sum(committed(settings, "worker").values()) == 3_000


SLOW_WORKER = """
import sys
import stream.worker.main
from stream.embedded.broker import EmbeddedBroker
from stream.embedded.child import find_free_port
from stream.settings import Settings
from tests.support.traces import StubScorer
stream.worker.main.load_scorer = lambda: StubScorer(seconds_a_batch=0.02)
sys.exit(stream.worker.main.run_worker(Settings()))
"""


def test_sigterm_ends_a_worker_with_everything_confirmed_and_committed(broker: str, tmp_path: Path) -> None:
    settings = isolated_settings(broker, worker={"commit_interval_s": 60.0}, telemetry={"port": 0})
    traces = names(300)
    publish_traces(settings, traces)
    worker = WorkerProcess(settings, tmp_path)
    try:
        url = orjson.loads(worker.wait_for_log('"endpoint"'))["url"]
        scored(settings, 300)
        said = scrape(url)
        assert said["ragpulse_messages_received_total"] == 300
        assert worker.terminate() == 0
    finally:
        worker.kill()
    assert sum(committed(settings, "worker").values()) == 300


def test_only_the_confirmed_prefix_is_committed(broker: str) -> None:
    settings = isolated_settings(broker, partitions=1)
    publish_traces(settings, names(10))
    source = _source(settings)
    source.subscribe()
    slots: list[Slot] = []
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
    publish_traces(settings, names(30))
    slots: list[Slot] = []
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
    publish_traces(settings, names(5))
    source = _source(settings)
    source.subscribe()
    taken = 0
    while taken < 5:
        taken += len(source.take(5, 0.1))
    source.close()
    assert committed(settings, "worker") == {}


@pytest.mark.kafka
def test_the_newer_group_protocol_works_as_well(apache_kafka: str) -> None:
    settings = isolated_settings(apache_kafka, partitions=4, kafka={"options": NEWER})
    traces = names(400)
    with running_worker(settings) as one, running_worker(settings) as other:
        one.wait_for("ragpulse_assigned_partitions", 2)
        other.wait_for("ragpulse_assigned_partitions", 2)
        publish_traces(settings, traces)
        assert ids(scored(settings, 400)) == set(traces)
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


def test_a_worker_with_nothing_to_read_says_so_once_and_goes_on_waiting(
    broker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stream.kafka.source.IDLE_S", 3 * SESSION_MS / 1000)
    settings = isolated_settings(broker, partitions=1)
    with running_worker(settings) as first:
        first.wait_for("ragpulse_assigned_partitions", 1)
        with capture_logs() as said, running_worker(settings) as second:
            wait_until(lambda: any("nothing to read" in line["event"] for line in said), 60)
            traces = names(20)
            publish_traces(settings, traces)
            assert ids(scored(settings, 20)) == set(traces)
            owned = [one.count("ragpulse_assigned_partitions") for one in (first, second)]
    assert sorted(owned) == [0, 1]
    (line,) = [line for line in said if "nothing to read" in line["event"]]
    assert line["topics"] == [settings.kafka.topic(topics.TRACES)]
    assert "add partitions" in line["event"]


def wait_until(holds: Callable[[], bool], timeout_s: float) -> None:
    until = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)
