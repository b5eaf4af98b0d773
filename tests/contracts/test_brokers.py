"""Both brokers do what everything else relies on."""

from __future__ import annotations

import os
import signal

import pytest

from stream import topics
from stream.embedded.broker import EmbeddedBroker
from stream.errors import ServiceUnreachable
from stream.kafka.admin import ensure_topics, partition_counts
from stream.settings import KafkaSettings
from tests.support.kafka import isolated_settings, publish, read_all, unique


def test_topics_are_created_once_and_then_left_alone(broker: str) -> None:
    settings = KafkaSettings(brokers=broker, partitions=3)
    name = unique()
    assert ensure_topics(settings, [name]) == [name]
    assert ensure_topics(settings, [name]) == []
    assert partition_counts(settings)[name] == 3


def test_what_is_published_can_be_read(broker: str) -> None:
    settings = isolated_settings(broker)
    topic = settings.kafka.topic(topics.TRACES)
    publish(broker, topic, [b"one", b"two"])
    assert sorted(m.value() or b"" for m in read_all(broker, topic)) == [b"one", b"two"]


def test_a_message_of_fifteen_megabytes_passes(broker: str) -> None:
    topic = isolated_settings(broker).kafka.topic(topics.TRACES)
    publish(broker, topic, [b"x" * 15_000_000])
    assert [len(m.value() or b"") for m in read_all(broker, topic)] == [15_000_000]


@pytest.mark.broker
def test_the_embedded_broker_takes_a_free_port_and_leaves_it() -> None:
    with EmbeddedBroker() as one, EmbeddedBroker() as other:
        assert one.address != other.address
        assert [one.alive, other.alive] == [True, True]
    assert not one.alive
    with pytest.raises(ServiceUnreachable, match="RAGPULSE_KAFKA__BROKERS"):
        partition_counts(KafkaSettings(brokers=one.address), timeout_s=0.5)


@pytest.mark.broker
def test_the_embedded_broker_knows_when_it_has_died() -> None:
    with EmbeddedBroker() as broker:
        assert broker.pid
        os.kill(broker.pid, signal.SIGKILL)
        os.waitpid(broker.pid, 0)
        assert not broker.alive
