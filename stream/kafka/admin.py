"""What we ask a broker outside the stream: is it there, which topics has it, create those of ours."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from stream.errors import RagpulseError, ServiceUnreachable
from stream.kafka.config import client_config, settings_checked
from stream.settings import KafkaSettings

_silent = logging.getLogger("ragpulse.kafka.silent")
_silent.addHandler(logging.NullHandler())
_silent.propagate = False


def answers(address: str, timeout_s: float) -> bool:
    """Whether a broker gives its metadata at an address, without security, within `timeout_s`."""
    return _partitions(KafkaSettings(brokers=address), timeout_s) is not None


def unreachable(settings: KafkaSettings) -> ServiceUnreachable:
    """The sentence for a broker that does not answer."""
    return ServiceUnreachable(
        f"No Kafka broker answers at {settings.brokers} (RAGPULSE_KAFKA__BROKERS): "
        "start it, or correct the address and the security settings."
    )


def partition_counts(settings: KafkaSettings, timeout_s: float = 10.0) -> dict[str, int]:
    """Each topic of the cluster and its number of partitions. Raises ServiceUnreachable."""
    counts = _partitions(settings, timeout_s)
    if counts is None:
        raise unreachable(settings)
    return counts


def ensure_topics(settings: KafkaSettings, names: Iterable[str], timeout_s: float = 30.0) -> list[str]:
    """Create those topics that are missing; returns them. Raises ServiceUnreachable, RagpulseError.

    A topic that exists is left as it is, whatever its partitions. Another process may create the same
    topic at the same moment; that is fine.
    """
    missing = sorted(set(names) - partition_counts(settings, timeout_s).keys())
    if not missing:
        return []
    wanted = [
        NewTopic(
            name,
            num_partitions=settings.partitions,
            replication_factor=settings.replication,
            config={"max.message.bytes": str(settings.max_message_bytes)},
        )
        for name in missing
    ]
    client = _client(settings)  # the futures end with it
    futures = client.create_topics(wanted, operation_timeout=timeout_s, request_timeout=timeout_s)
    for name, future in futures.items():
        try:
            future.result()
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise RagpulseError(
                    f"Topic {name} could not be created at {settings.brokers} (RAGPULSE_KAFKA__BROKERS): "
                    f"{error.args[0].str()}. Create it yourself, or allow it."
                ) from error
    return missing


def _partitions(settings: KafkaSettings, timeout_s: float) -> dict[str, int] | None:
    client = _client(settings)
    try:
        topics = client.list_topics(timeout=timeout_s).topics
    except KafkaException:
        return None
    return {name: len(topic.partitions) for name, topic in topics.items()}


def _client(settings: KafkaSettings) -> AdminClient:
    with settings_checked():
        return AdminClient(client_config(settings), logger=_silent)


__all__ = ["answers", "ensure_topics", "partition_counts", "unreachable"]
