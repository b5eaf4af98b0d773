"""What the worker promises, on the embedded broker and on Apache Kafka alike."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from schemas.formats import FORMATS, Decoded, own
from schemas.scored import Scores
from schemas.trace import Trace
from stream import topics
from stream.dead.commands import list_dead
from stream.embedded.broker import EmbeddedBroker
from stream.embedded.child import find_free_port
from stream.settings import Settings
from tests.support.kafka import (
    SESSION_MS,
    committed,
    isolated_settings,
    publish,
    read_all,
    read_until,
)
from tests.support.traces import StubScorer, trace_json
from tests.support.worker import (
    RunningWorker,
    WorkerProcess,
    ids,
    names,
    publish_traces,
    running_worker,
    scored,
)


def test_every_trace_becomes_one_row(broker: str) -> None:
    settings = isolated_settings(broker)
    traces = names(600)
    publish_traces(settings, traces, app="helpdesk")
    with running_worker(settings) as worker:
        messages = scored(settings, 600)
        worker.wait_for("ragpulse_delivered_total", 600)
    assert sorted((m.key() or b"").decode() for m in messages) == sorted(traces)
    row = orjson.loads(messages[0].value() or b"")
    assert (row["app"], row["source_topic"]) == ("helpdesk", settings.kafka.topic(topics.TRACES))
    assert dict(messages[0].headers() or []) == {"table": b"traces"}
    assert sum(committed(settings, "worker").values()) == 600


def test_late_feedback_becomes_a_row_of_its_own_table(broker: str) -> None:
    settings = isolated_settings(broker)
    late = b'{"trace_id": "t-1", "feedback": {"rating": -1, "comment": "\xe4\xb8\x8d\xe5\xaf\xb9"}}'
    publish(broker, settings.kafka.topic(topics.TRACES), [late])
    with running_worker(settings):
        (message,) = scored(settings, 1)
    assert dict(message.headers() or []) == {"table": b"feedback"}
    row = orjson.loads(message.value() or b"")
    assert (row["trace_id"], row["rating"], row["comment"]) == ("t-1", -1, "不对")


def test_sampled_traces_reach_the_judges_with_their_probability(broker: str) -> None:
    settings = isolated_settings(broker, sampling={"base_rate": 1.0})
    publish_traces(settings, ["t-1"])
    with running_worker(settings, StubScorer()):
        (message,) = read_until(broker, settings.kafka.topic(topics.JUDGE), 1)
    sample = orjson.loads(message.value() or b"")
    assert sample["trace"]["trace_id"] == "t-1"
    assert sample["scores"]["scorer_version"] == "stub-1"
    assert sample["sample"] == {"probability": 1.0, "reasons": ["control"]}


def test_a_second_start_goes_on_where_the_first_one_stopped(broker: str) -> None:
    settings = isolated_settings(broker)
    first, second = names(50), names(50)
    publish_traces(settings, first)
    with running_worker(settings):
        scored(settings, 50)
    publish_traces(settings, second)
    with running_worker(settings) as worker:
        scored(settings, 100)
        assert worker.count("ragpulse_messages_received_total") == 50


def test_a_trace_on_which_the_scorer_fails_is_buried_alone(broker: str) -> None:
    settings = isolated_settings(broker)
    publish_traces(settings, ["good-1", "bad", "good-2"])
    with running_worker(settings, StubScorer(fails_on="bad")) as worker:
        assert ids(scored(settings, 2)) == {"good-1", "good-2"}
        worker.wait_for("ragpulse_dead_letters_total", 1, reason="scorer_error")
    (letter,) = read_all(broker, settings.kafka.topic(topics.DEAD))
    assert orjson.loads(letter.value() or b"")["trace_id"] == "bad"
    assert sum(committed(settings, "worker").values()) == 3


def test_what_neither_decoder_nor_row_can_take_is_buried_and_stops_nobody(
    broker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Babbling(StubScorer):
        def score(self, batch: Sequence[Trace]) -> list[Scores]:
            scored = super().score(batch)
            for trace, scores in zip(batch, scored, strict=True):
                scores.signals = {"says": object()} if trace.trace_id == "babble" else {}  # type: ignore[dict-item]
            return scored

    def explosive(data: bytes) -> list[Decoded]:
        return own.decode(data) if b"explode" not in data else [][0]

    monkeypatch.setitem(FORMATS, "auto", explosive)
    settings = isolated_settings(broker)
    publish_traces(settings, ["good", "explode", "babble"])
    with running_worker(settings, Babbling()) as worker:
        worker.wait_for("ragpulse_dead_letters_total", 2)
        assert ids(scored(settings, 1)) == {"good"}
    reasons = {letter.reason for letter in list_dead(settings)}
    assert reasons == {"decoder_error", "row_error"}
    assert sum(committed(settings, "worker").values()) == 3


def test_a_scorer_that_fails_on_everything_stops_the_worker_before_it_commits(broker: str) -> None:
    settings = isolated_settings(broker, partitions=1)
    publish_traces(settings, [f"bad-{name}" for name in names(300)])
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
    traces = names(600)
    publish_traces(settings, traces)
    with running_worker(settings) as worker:
        assert ids(scored(settings, 600)) == set(traces)
        assert worker.count("ragpulse_pauses_total") > 0
        worker.wait_for("ragpulse_delivered_total", 600)
    assert sum(committed(settings, "worker").values()) == 600


def test_a_setting_that_the_client_refuses_is_named_and_ends_the_worker(broker: str, tmp_path: Path) -> None:
    settings = isolated_settings(broker)
    wrong = settings.kafka.model_copy(update={"options": {"security.protocol": "telepathy"}})
    worker = WorkerProcess(settings.model_copy(update={"kafka": wrong}), tmp_path)
    assert worker.process.wait(30) == 2
    said = worker.log.read_text()
    assert "telepathy" in said
    assert "RAGPULSE_KAFKA__" in said
    assert "Traceback" not in said


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
