"""`ragpulse doctor` looks at what lies on each topic."""

from __future__ import annotations

import pytest

from stream.doctor import Check, State, examine
from stream.embedded.broker import EmbeddedBroker
from stream.kafka.admin import ensure_topics
from stream.kafka.reader import read_last
from stream.settings import Settings
from tests.support.kafka import publish, unique
from tests.support.spans import otlp, rag_trace
from tests.support.traces import trace_json

pytestmark = pytest.mark.broker


def settings_of(broker: EmbeddedBroker, *formats: str) -> Settings:
    sources = [{"name": unique("topic"), "format": form} for form in formats]
    kafka = {"brokers": broker.address, "topic_prefix": unique() + ".", "partitions": 3, "sources": sources}
    settings = Settings.model_validate({"kafka": kafka, "clickhouse": {"dsn": "http://127.0.0.1:9/none"}})
    ensure_topics(settings.kafka, [source["name"] for source in sources])
    return settings


def encodings(settings: Settings) -> list[Check]:
    return [check for check in examine(settings) if check.name == "encoding"]


def test_it_says_which_encoding_the_bytes_look_like_and_which_setting_to_change(
    embedded_broker: EmbeddedBroker,
) -> None:
    settings = settings_of(embedded_broker, "otlp_json", "auto", "ragpulse", "otlp_proto")
    wrong, right, own, _ = (source.name for source in settings.kafka.sources)
    spans = [otlp(rag_trace(f"{number:032x}")) for number in range(1, 20)]
    publish(embedded_broker.address, wrong, spans)
    publish(embedded_broker.address, right, spans, keys=[f"{number:032x}" for number in range(1, 20)])
    publish(embedded_broker.address, own, [trace_json("t-1")])
    first, second, third, fourth = encodings(settings)
    assert first.state is State.PROBLEM
    assert "look like OTLP as protobuf" in first.detail
    assert "set the format of this topic to otlp_proto" in first.todo
    assert (second.state, second.todo) == (State.OK, "")
    assert "whole traces" in second.detail
    assert third.state is State.OK
    assert "own JSON" in third.detail
    assert (fourth.state, fourth.todo) == (State.OK, "")
    assert "no messages yet" in fourth.detail


def test_looking_reads_the_last_messages_alone_and_moves_no_offsets(embedded_broker: EmbeddedBroker) -> None:
    settings = settings_of(embedded_broker, "auto")
    name = settings.kafka.sources[0].name
    publish(embedded_broker.address, name, [trace_json(f"t-{number}") for number in range(300)])
    assert 1 <= len(read_last(settings.kafka, name, 8)) <= 8
    assert read_last(settings.kafka, unique("nowhere"), 8) == []
