"""What we ask a broker outside the stream: is it there, which topics has it, create those of ours."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from stream.errors import RagpulseError, ServiceRefuses, ServiceUnreachable
from stream.kafka.config import client_config, settings_checked
from stream.kafka.refusals import Complaints
from stream.settings import KafkaSettings

_FIRST_LOOK_S: Final = 1.0
"""What is refused is refused at once; whoever is away may take longer."""

_silent = logging.getLogger("ragpulse.kafka.silent")
_silent.addHandler(logging.NullHandler())
_silent.propagate = False


def answers(address: str, timeout_s: float) -> bool:
    """Whether a broker gives its metadata at an address, without security, within `timeout_s`."""
    try:
        partition_counts(KafkaSettings(brokers=address), timeout_s)
    except RagpulseError:
        return False
    return True


def unreachable(settings: KafkaSettings) -> ServiceUnreachable:
    """The sentence for a broker that does not answer."""
    return ServiceUnreachable(
        f"No Kafka broker answers at {settings.brokers} (RAGPULSE_KAFKA__BROKERS): "
        "start it, or correct the address and the security settings."
    )


def partition_counts(settings: KafkaSettings, timeout_s: float = 10.0) -> dict[str, int]:
    """Each topic of the cluster and its number of partitions.

    Raises ServiceUnreachable, and ServiceRefuses where waiting will not help: passwords, certificates.
    """
    complaints = Complaints(settings)
    client = _client(settings, complaints)
    first_s = min(_FIRST_LOOK_S, timeout_s)
    for wait_s in filter(None, (first_s, timeout_s - first_s)):
        try:
            topics = client.list_topics(timeout=wait_s).topics
            return {name: len(topic.partitions) for name, topic in topics.items()}
        except KafkaException:
            client.poll(0)  # lets us hear what it complained of
        if sentence := complaints.sentence:
            raise ServiceRefuses(sentence)
    raise unreachable(settings)


def ensure_topics(settings: KafkaSettings, names: Iterable[str], timeout_s: float = 30.0) -> list[str]:
    """Create those topics that are missing; returns them. Raises RagpulseError and its kin.

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


def _client(settings: KafkaSettings, complaints: Complaints | None = None) -> AdminClient:
    config = client_config(settings)
    if complaints:
        config["error_cb"] = complaints.hear
    with settings_checked():
        return AdminClient(config, logger=_silent)


__all__ = ["answers", "ensure_topics", "partition_counts", "unreachable"]
