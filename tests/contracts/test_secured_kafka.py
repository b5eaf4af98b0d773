"""Kafka with passwords, TLS and certificates, for each client of ours; and what is refused, in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stream import topics
from stream.doctor import State, check_broker
from stream.errors import ServiceRefuses, SettingRefused
from stream.kafka.admin import partition_counts
from stream.settings import KafkaSettings, Settings
from tests.support import kafka
from tests.support.guarded_kafka import PASSWORD, GuardedKafka, behind, guarded_kafka
from tests.support.judging import agreeable, running_lane, stub_bench, verdicts_on
from tests.support.pki import Authority
from tests.support.traces import trace_json
from tests.support.worker import names, running_worker
from tests.unit.stream.cli.test_files_commands import run

pytestmark = pytest.mark.kafka

DOORS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "certificate"]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedKafka]:
    """One broker for the module: starting it takes seconds."""
    if reason := kafka.missing_reason():
        pytest.skip(reason)
    with guarded_kafka(tmp_path_factory.mktemp("guarded")) as broker:
        yield broker


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("strange"), "somebody else")


def door(guarded: GuardedKafka, name: str) -> dict[str, Any]:
    return guarded.certified() if name == "certificate" else guarded.login(name)


@pytest.mark.parametrize("name", DOORS)
def test_a_trace_passes_the_worker_and_the_judges_by_each_door(name: str, guarded: GuardedKafka) -> None:
    """The worker speaks librdkafka, the judge lane aiokafka: both read and write behind the door."""
    settings = kafka.isolated_settings(guarded.open, sampling={"base_rate": 1.0})
    secured = behind(settings, door(guarded, name))
    ids = names(4)
    source = settings.kafka.topic(topics.TRACES)
    kafka.publish(guarded.open, source, [trace_json(one) for one in ids], keys=ids)
    with running_worker(secured):
        kafka.read_until(guarded.open, settings.kafka.topic(topics.SCORED), len(ids))
        kafka.read_until(guarded.open, settings.kafka.topic(topics.JUDGE), len(ids))
    with running_lane(secured, stub_bench(agreeable())):
        assert {row["trace_id"] for row in verdicts_on(settings, len(ids))} == set(ids)
    assert sum(kafka.committed(settings, "worker").values()) == len(ids)
    assert sum(kafka.committed(settings, "judge").values()) == len(ids)


def refused_doors(guarded: GuardedKafka, stranger: Authority) -> dict[str, tuple[dict[str, Any], str, str]]:
    """What is set, what is said, and the setting that is named."""
    theirs = stranger.issue("client")
    shown = {"ssl_certificate_location": theirs.certificate, "ssl_key_location": theirs.key}
    none = {"ssl_certificate_location": None, "ssl_key_location": None, "ssl_key_password": None}
    tls = {"security_protocol": "SSL"}
    return {
        "wrong password": (
            guarded.login("PLAIN", sasl_password="n0t-it"), "does not let us in", "SASL_PASSWORD"),
        "wrong password, SCRAM": (
            guarded.login("SCRAM-SHA-512", sasl_password="n0t-it"), "does not let us in", "SASL_PASSWORD"),
        "unknown authority": (
            guarded.login("PLAIN", ssl_ca_location=stranger.ca), "signed by nobody", "SSL_CA_LOCATION"),
        "expired": (
            guarded.login("PLAIN", brokers=guarded.expired, **tls), "has expired", "SSL_CA_LOCATION"),
        "another host": (
            guarded.login("PLAIN", brokers=guarded.other_host, **tls), "for another host", "BROKERS"),
        "no certificate": (
            guarded.certified(**none), "does not accept our certificate", "SSL_CERTIFICATE_LOCATION"),
        "a stranger's certificate": (
            guarded.certified(**shown), "does not accept our certificate", "SSL_CERTIFICATE_LOCATION"),
    }  # fmt: skip


REFUSED = [
    "wrong password", "wrong password, SCRAM", "unknown authority", "expired", "another host",
    "no certificate", "a stranger's certificate",
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_who_is_not_let_in_is_told_why_and_which_setting_to_correct(
    case: str, guarded: GuardedKafka, stranger: Authority
) -> None:
    settings, said, setting = refused_doors(guarded, stranger)[case]
    with pytest.raises(ServiceRefuses) as refused:
        partition_counts(KafkaSettings.model_validate(settings), timeout_s=30.0)
    sentence = str(refused.value)
    assert said in sentence
    assert f"RAGPULSE_KAFKA__{setting}" in sentence
    assert settings["brokers"] in sentence
    assert PASSWORD not in sentence
    assert "n0t-it" not in sentence


def test_checking_can_be_switched_off_by_the_names_that_librdkafka_has_for_it(
    guarded: GuardedKafka, stranger: Authority
) -> None:
    unchecked = guarded.login(
        "PLAIN", ssl_ca_location=stranger.ca, options={"enable.ssl.certificate.verification": False}
    )
    assert partition_counts(KafkaSettings.model_validate(unchecked)) is not None


def test_the_doctor_says_it_too(guarded: GuardedKafka) -> None:
    wrong = guarded.login("SCRAM-SHA-256", sasl_password="n0t-it")
    (check,) = check_broker(Settings.model_validate({"kafka": wrong}))
    assert check.state is State.UNREACHABLE
    assert "does not let us in" in check.detail
    assert check.todo.startswith("correct RAGPULSE_KAFKA__SASL_USERNAME")
    assert "n0t-it" not in f"{check}"


@pytest.mark.parametrize("command", ["sink", "dead list"])
def test_a_command_ends_with_one_sentence_rather_than_wait(command: str, guarded: GuardedKafka) -> None:
    wrong = guarded.login("PLAIN", sasl_password="n0t-it")
    env = {f"RAGPULSE_KAFKA__{name.upper()}": value for name, value in wrong.items()}
    done = run(*command.split(), env=env)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 3, said
    assert "does not let us in" in said
    assert "RAGPULSE_KAFKA__SASL_PASSWORD" in said
    assert "n0t-it" not in said
    assert "Traceback" not in said


@pytest.mark.parametrize("setting", ["ssl_key_password", "ssl_ca_location", "ssl_key_location"])
def test_a_file_or_its_password_that_cannot_be_used_is_refused_without_saying_it(
    setting: str, guarded: GuardedKafka, tmp_path: Path
) -> None:
    (tmp_path / "n0t-it").write_text("no certificate")
    wrong = "n0t-it" if setting == "ssl_key_password" else str(tmp_path / "n0t-it")
    settings = KafkaSettings.model_validate(guarded.certified(**{setting: wrong}))
    with pytest.raises(SettingRefused) as refused:
        partition_counts(settings)
    if setting == "ssl_key_password":
        assert "n0t-it" not in str(refused.value)
    assert PASSWORD not in str(refused.value)
