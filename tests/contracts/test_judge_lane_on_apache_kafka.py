"""What only a real cluster can ask of the judge lane: a password, and to wait while the broker is away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stream.embedded import child
from stream.settings import Settings
from tests.support import kafka
from tests.support.judging import agreeable, publish_sampled, running_lane, stub_bench, verdicts_on
from tests.support.worker import names

pytestmark = pytest.mark.kafka

LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A broker with an open door for the test and one with a password for the lane: both addresses."""
    if reason := kafka.missing_reason():
        pytest.skip(reason)
    node = kafka.ApacheKafka(tmp_path)
    port = node.port
    door = f"{child.LOOPBACK}:{child.find_free_port()}"
    plain = f"PLAINTEXT://{child.LOOPBACK}:{port}"
    guarded_node = kafka.ApacheKafka(
        tmp_path,
        listeners=f"{plain},CONTROLLER://{child.LOOPBACK}:{port + 1},CLIENTS://{door}",
        advertised_listeners=f"{plain},CLIENTS://{door}",
        listener_security_protocol_map="PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,CLIENTS:SASL_PLAINTEXT",
        inter_broker_listener_name="PLAINTEXT",
        sasl_enabled_mechanisms="PLAIN",
        listener_name_clients_plain_sasl_jaas_config=f'{LOGIN} user_ann="secret";',
    )
    guarded_node.port = port
    guarded_node.start()
    yield guarded_node.address, door
    guarded_node.kill()


def behind(settings: Settings, door: str) -> Settings:
    login = {"brokers": door, "security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN"}
    login |= {"sasl_username": "ann", "sasl_password": "secret"}
    secured = settings.kafka.model_validate(settings.kafka.model_dump() | login)
    return settings.model_copy(update={"kafka": secured})


def test_the_lane_shows_the_password_that_the_cluster_asks_for(guarded: tuple[str, str]) -> None:
    address, door = guarded
    settings = kafka.isolated_settings(address)
    ids = names(5)
    publish_sampled(settings, ids)
    with running_lane(behind(settings, door), stub_bench(agreeable())):
        assert {row["trace_id"] for row in verdicts_on(settings, 5)} == set(ids)
    assert sum(kafka.committed(settings, "judge").values()) == 5


def test_a_broker_that_goes_away_and_comes_back_costs_no_trace(killable_kafka: kafka.ApacheKafka) -> None:
    settings = kafka.isolated_settings(killable_kafka.address)
    first, second = names(10), names(10)
    publish_sampled(settings, first)
    with running_lane(settings, stub_bench(agreeable())):
        verdicts_on(settings, 10)
        killable_kafka.restart()
        publish_sampled(settings, second)
        assert {row["trace_id"] for row in verdicts_on(settings, 20)} == {*first, *second}
