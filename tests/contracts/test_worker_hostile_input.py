"""A real worker, a real broker, and the worst that a producer can send: all of it is accounted for."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from stream import topics
from stream.dead.commands import list_dead
from stream.embedded.broker import EmbeddedBroker
from tests.support import hostile
from tests.support.kafka import committed, isolated_settings, publish
from tests.support.worker import RunningWorker, running_worker

pytestmark = pytest.mark.broker


def _accounted(worker: RunningWorker) -> float:
    names = (
        "ragpulse_traces_scored_total",
        "ragpulse_feedback_received_total",
        "ragpulse_dead_letters_total",
    )
    return sum(worker.count(name) for name in names)


def test_every_hostile_message_is_scored_stored_as_feedback_or_buried(
    embedded_broker: EmbeddedBroker,
) -> None:
    settings = isolated_settings(embedded_broker.address, sampling={"base_rate": 0.5})
    topic = settings.kafka.topic(topics.TRACES)
    published = 0

    with running_worker(settings) as worker:

        @hypothesis_settings(
            max_examples=5, deadline=None, database=None, suppress_health_check=list(HealthCheck)
        )
        @given(st.lists(hostile.messages, min_size=30, max_size=60))
        def survive(messages: list[bytes]) -> None:
            nonlocal published
            publish(embedded_broker.address, topic, messages)
            published += len(messages)
            worker.wait_for("ragpulse_messages_received_total", published)

        survive()
    assert _accounted(worker) == published
    assert sum(committed(settings, "worker").values()) == published


def test_a_real_worker_takes_messages_made_to_exhaust_it(embedded_broker: EmbeddedBroker) -> None:
    settings = isolated_settings(embedded_broker.address)
    fitting = [data for data in hostile.bombs().values() if len(data) < settings.kafka.max_message_bytes]
    publish(embedded_broker.address, settings.kafka.topic(topics.TRACES), fitting)
    with running_worker(settings) as worker:
        worker.wait_for("ragpulse_messages_received_total", len(fitting), timeout_s=60)
    assert _accounted(worker) == len(fitting)
    assert sum(committed(settings, "worker").values()) == len(fitting)
    assert {letter.reason for letter in list_dead(settings)} == {"not_json", "too_deep", "too_large"}
