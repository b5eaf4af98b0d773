"""Brokers and the engine that tests share. Each test takes topics, groups and a database of its own."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from stream.embedded.broker import EmbeddedBroker
from tests.support import kafka
from tests.support.engine import dsn, embedded_engine, killable_engine

__all__ = ["dsn", "embedded_engine", "killable_engine"]


@pytest.fixture(scope="session")
def embedded_broker() -> Iterator[EmbeddedBroker]:
    """The embedded broker, one for all tests."""
    with EmbeddedBroker() as broker:
        yield broker


@pytest.fixture(scope="session")
def apache_kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of one Apache Kafka for all tests, or a skip that says why there is none."""
    external = kafka.external_address()
    if external:
        yield external
        return
    reason = kafka.missing_reason()
    if reason:
        pytest.skip(reason)
    node = kafka.ApacheKafka(
        tmp_path_factory.mktemp("kafka"),
        log_retention_check_interval_ms="500",
        log_initial_task_delay_ms="500",
        message_max_bytes="20000000",
    ).start()
    yield node.address
    node.kill()


@pytest.fixture
def killable_kafka(tmp_path: Path) -> Iterator[kafka.ApacheKafka]:
    """An Apache Kafka of the test's own, started, that it may kill and start again."""
    reason = kafka.missing_reason()
    if reason:
        pytest.skip(reason)
    node = kafka.ApacheKafka(tmp_path).start()
    yield node
    node.kill()


@pytest.fixture(
    params=[
        pytest.param("embedded", marks=pytest.mark.broker),
        pytest.param("apache", marks=pytest.mark.kafka),
    ]
)
def broker(request: pytest.FixtureRequest) -> str:
    """Address of a broker; the test runs once on the embedded one and once on Apache Kafka."""
    if request.param == "embedded":
        embedded: EmbeddedBroker = request.getfixturevalue("embedded_broker")
        return embedded.address
    address: str = request.getfixturevalue("apache_kafka")
    return address


@pytest.fixture(autouse=True)
def _logs_as_they_were() -> Iterator[None]:
    """A test that runs a process of ours in-process leaves the logs as it found them."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers = handlers
    root.setLevel(level)
    structlog.reset_defaults()
