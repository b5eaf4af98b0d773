"""Settings to librdkafka's configuration, and its complaints to our logs; the same for every client."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, Message

from stream import logs
from stream.errors import SettingRefused
from stream.settings import KafkaSettings

_SAY_AGAIN_S: Final = 10.0
_QUIET: Final = (KafkaError._TRANSPORT, KafkaError._RESOLVE, KafkaError._TIMED_OUT)


def client_config(settings: KafkaSettings) -> dict[str, Any]:
    """Address, security and the user's own options. What must hold whatever they say comes later."""
    secrets = {
        "sasl.password": settings.sasl_password,
        "ssl.key.password": settings.ssl_key_password,
    }
    plain = {
        "security.protocol": settings.security_protocol,
        "sasl.mechanism": settings.sasl_mechanism,
        "sasl.username": settings.sasl_username,
        "ssl.ca.location": settings.ssl_ca_location,
        "ssl.certificate.location": settings.ssl_certificate_location,
        "ssl.key.location": settings.ssl_key_location,
    }
    config: dict[str, Any] = {
        "bootstrap.servers": settings.brokers,
        "client.id": "ragpulse",
        "reconnect.backoff.max.ms": 2_000,
    }
    config.update((name, value) for name, value in plain.items() if value is not None)
    config.update((name, value.get_secret_value()) for name, value in secrets.items() if value is not None)
    config.update(settings.options)
    return config


def consumer_config(settings: KafkaSettings, group: str) -> dict[str, Any]:
    """Of a consumer whose offsets move by our hand alone."""
    config: dict[str, Any] = {
        "session.timeout.ms": settings.session_timeout_ms,
        "heartbeat.interval.ms": max(500, settings.session_timeout_ms // 5),
        "partition.assignment.strategy": "cooperative-sticky",
        "topic.metadata.refresh.interval.ms": 10_000,
        "fetch.message.max.bytes": settings.max_message_bytes,
        "fetch.error.backoff.ms": 100,
        "fetch.wait.max.ms": 100,  # a fetch that waits at the broker also delays resuming
    }
    config.update(client_config(settings))
    if config.get("group.protocol") == "consumer":
        # The broker decides these under the newer protocol, and librdkafka refuses them.
        for name in ("session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy"):
            config.pop(name, None)
    # Last, so that no option undoes it: offsets move when the work is done, and by our hand alone.
    config["group.id"] = group
    config["enable.auto.commit"] = False
    config["enable.auto.offset.store"] = False
    config["auto.offset.reset"] = "error"
    config["enable.partition.eof"] = False
    return config | _voice(settings)


def producer_config(settings: KafkaSettings) -> dict[str, Any]:
    """Of a producer whose confirmations can be relied on."""
    config: dict[str, Any] = {
        "linger.ms": 20,
        "compression.type": "lz4",
        "enable.idempotence": True,
        "queue.buffering.max.messages": 200_000,
        "message.timeout.ms": 0,  # a broker that is away is waited for: backpressure pauses the input
        "message.max.bytes": settings.max_message_bytes,
    }
    config.update(client_config(settings))
    # Last, so that no option undoes it: a confirmation means that every replica has it.
    config["acks"] = "all"
    return config | _voice(settings)


def is_cooperative(settings: KafkaSettings) -> bool:
    """Whether the group hands over partitions one by one, rather than all of them each time."""
    options = settings.options
    strategy = str(options.get("partition.assignment.strategy", "cooperative-sticky"))
    return options.get("group.protocol") == "consumer" or strategy == "cooperative-sticky"


@contextmanager
def settings_checked() -> Iterator[None]:
    """Around the making of a client: a setting that librdkafka refuses becomes SettingRefused."""
    try:
        yield
    except KafkaException as error:
        raise SettingRefused(
            f"The Kafka client refuses a setting: {error.args[0].str()}. "
            "Correct it under [kafka] in ragpulse.toml, or in RAGPULSE_KAFKA__*."
        ) from error


class Reporter:
    """Says once in a while what is wrong with the broker; librdkafka tries again by itself."""

    def __init__(self, brokers: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._brokers = brokers
        self._clock = clock
        self._said: dict[tuple[str, int], float] = {}

    def on_error(self, error: KafkaError) -> None:
        """The `error_cb` of a client."""
        if error.code() == KafkaError._ALL_BROKERS_DOWN:
            self.say("broker away, trying again", error, setting="RAGPULSE_KAFKA__BROKERS")
        elif error.code() not in _QUIET:
            self.say("kafka", error)

    def say(self, event: str, error: KafkaError, **facts: object) -> None:
        """Log a warning, unless the same was said a moment ago."""
        what = (event, error.code())
        if self._clock() - self._said.get(what, -math.inf) >= _SAY_AGAIN_S:
            self._said[what] = self._clock()
            logs.get().warning(event, error=error.str(), brokers=self._brokers, **facts)


def library_logger() -> logging.Logger:
    """Where librdkafka's own lines go: shown when debugging; otherwise the Reporter says it once."""
    logger = logging.getLogger("librdkafka")
    if logging.getLogger().level > logging.DEBUG:
        logger.setLevel(logging.CRITICAL)
    return logger


def _voice(settings: KafkaSettings) -> dict[str, Any]:
    return {"error_cb": Reporter(settings.brokers).on_error, "logger": library_logger()}


__all__ = [
    "Message",
    "Reporter",
    "client_config",
    "consumer_config",
    "is_cooperative",
    "library_logger",
    "producer_config",
    "settings_checked",
]
