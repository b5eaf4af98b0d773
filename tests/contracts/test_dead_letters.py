"""What cannot be read is kept with its bytes, and can be sent back."""

from __future__ import annotations

import threading
import time

import orjson
from confluent_kafka import Producer

from stream import topics
from stream.dead.commands import Policy, list_dead, replay
from stream.settings import Settings
from tests.support.kafka import isolated_settings, publish, read_all, read_until, unique
from tests.support.worker import running_worker


def _bury(settings: Settings, *values: bytes, expect: int | None = None) -> None:
    """Have a worker find these unreadable."""
    publish(
        settings.kafka.brokers, settings.kafka.topic(topics.TRACES), list(values), keys=["k"] * len(values)
    )
    with running_worker(settings) as worker:
        worker.wait_for("ragpulse_dead_letters_total", expect or len(values))


def test_a_dead_letter_keeps_the_bytes_and_says_why_and_whence(broker: str) -> None:
    settings = isolated_settings(broker)
    _bury(settings, b"{not json", b"")
    not_json, empty = sorted(list_dead(settings), key=lambda letter: letter.offset)
    assert (not_json.reason, not_json.value, not_json.key, not_json.by) == (
        "not_json",
        b"{not json",
        b"k",
        "worker",
    )
    assert not_json.topic == settings.kafka.topic(topics.TRACES)
    assert (not_json.offset, empty.offset) == (0, 1)
    assert not_json.timestamp is not None
    assert not not_json.cut
    assert (empty.reason, empty.size) == ("empty", 0)


def test_letters_are_chosen_by_reason_and_limited_in_number(broker: str) -> None:
    settings = isolated_settings(broker)
    _bury(settings, b"[]", b"[]", b"{}")
    wanted = Policy(reasons=frozenset({"not_an_object"}))
    assert [letter.value for letter in list_dead(settings, wanted)] == [b"[]", b"[]"]
    assert len(list(list_dead(settings, limit=1))) == 1


def test_replaying_twice_sends_nothing_twice(broker: str) -> None:
    settings = isolated_settings(broker)
    source = settings.kafka.topic(topics.TRACES)
    _bury(settings, b"[]", b"{}")
    assert replay(settings, Policy(), dry_run=True).sent == {source: 2}
    assert len(read_all(broker, source)) == 2
    first = replay(settings, Policy(reasons=frozenset({"not_an_object"})))
    second = replay(settings, Policy())
    third = replay(settings, Policy())
    assert (first.sent, second.sent, third.sent) == ({source: 1}, {source: 1}, {})
    assert (second.already, third.already) == (1, 2)
    again = read_all(broker, source)[2:]
    assert sorted((m.key(), m.value()) for m in again) == [(b"k", b"[]"), (b"k", b"{}")]


def test_what_is_replayed_keeps_the_time_at_which_it_first_came(broker: str) -> None:
    """A trace that names no time of its own is filed under that: otherwise it would be two, hours apart."""
    settings = isolated_settings(broker)
    source = settings.kafka.topic(topics.TRACES)
    long_ago = round(time.time() * 1000) - 3 * 3_600_000
    producer = Producer({"bootstrap.servers": broker})
    producer.produce(source, b"[]", key=b"k", timestamp=long_ago)
    assert producer.flush(30) == 0
    with running_worker(settings) as worker:
        worker.wait_for("ragpulse_dead_letters_total", 1)
    replay(settings, Policy())
    assert [message.timestamp()[1] for message in read_all(broker, source)] == [long_ago, long_ago]


def test_an_interrupted_replay_is_complete_as_far_as_it_went(broker: str) -> None:
    settings = isolated_settings(broker)
    _bury(settings, b"[]", b"{}")
    stop = threading.Event()
    stop.set()
    assert replay(settings, Policy(), stop=stop).interrupted
    assert replay(settings, Policy()).already == 2


def test_a_replayed_trace_is_scored_once_its_cause_is_gone(broker: str) -> None:
    settings = isolated_settings(broker, worker={"max_trace_bytes": 1024})
    trace = orjson.dumps({"trace_id": unique(), "question": "q" * 2_000, "answer": None})
    _bury(settings, trace)
    assert [letter.reason for letter in list_dead(settings)] == ["too_large"]
    patient = settings.model_copy(
        update={"worker": settings.worker.model_copy(update={"max_trace_bytes": 10_000})}
    )
    replay(settings, Policy())
    with running_worker(patient):
        read_until(broker, settings.kafka.topic(topics.SCORED), 1)


def test_a_letter_larger_than_its_topic_keeps_its_beginning_and_says_so(broker: str) -> None:
    settings = isolated_settings(broker, kafka={"max_message_bytes": 100_000})
    publish(broker, settings.kafka.topic(topics.TRACES), [b"x" * 99_000])
    small = settings.kafka.model_copy(update={"max_message_bytes": 50_000})
    with running_worker(settings.model_copy(update={"kafka": small})) as worker:
        worker.wait_for("ragpulse_dead_letters_total", 1)
    (letter,) = list_dead(settings)
    assert letter.cut
    assert letter.size == 99_000
    assert letter.value == b"x" * len(letter.value)
    assert 1_000 < len(letter.value) < 50_000
    assert replay(settings, Policy()).cut == 1
