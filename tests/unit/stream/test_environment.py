"""Which variables of the environment are ours to read, and which are refused."""

from __future__ import annotations

import pytest

from stream.environment import refuse_unknown
from stream.errors import SettingRefused


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RAGPULSE_KAFKA__BROKERS", "kafka:9092"),
        ("ragpulse_kafka__brokers", "kafka:9092"),
        ("RAGPULSE_WORKER", '{"batch_size": 9}'),
        ("ragpulse_kafka__options__linger", "5"),
        ("RAGPULSE_CONFIG", "mine.toml"),
        ("RAGPULSE_TEST_KAFKA", "kafka:9092"),
        ("RAGPULSE_SERVICE_HOST", "10.0.0.7"),
        ("RAGPULSE_WORKER_SERVICE_PORT_HTTP", "80"),
        ("RAGPULSE_WORKER_PORT", "tcp://10.0.0.7:80"),
        ("RAGPULSE_WORKER_PORT_80_TCP_ADDR", "10.0.0.7"),
        ("KAFKA_BROKERS", "another:9092"),
    ],
)
def test_what_is_read_or_put_there_by_kubernetes_is_fine(name: str, value: str) -> None:
    refuse_unknown({name: value})


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("RAGPULSE_KAFKA_BROKERS", "RAGPULSE_KAFKA__BROKERS"),
        ("RAGPULSE_CLICKHOUSE_DSN", "RAGPULSE_CLICKHOUSE__DSN"),
        ("RAGPULSE_TELEMETRY_PORT", "RAGPULSE_TELEMETRY__PORT"),
        ("ragpulse_worker__batchsize", "RAGPULSE_WORKER__BATCH_SIZE"),
        ("ragpulse_kafka_brokers", "RAGPULSE_KAFKA__BROKERS"),
        ("RAGPULSE_XYZZY_PLUGH", "docs/SETTINGS.md"),
        ("RAGPULSE_", ""),
    ],
)
def test_what_nobody_reads_is_refused_with_the_name_that_was_meant(name: str, meant: str) -> None:
    with pytest.raises(SettingRefused, match=f"^{name} is no setting.*{meant}"):
        refuse_unknown({name: "9092"})
