"""Our Kafka settings as aiokafka takes them: the other clients of ours speak librdkafka."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import Final

from stream.errors import SettingRefused
from stream.kafka.certificates import context_of
from stream.kafka.config import client_config
from stream.settings import KafkaSettings

_PASSWORDS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


@dataclass(slots=True, frozen=True)
class Security:
    """What a connection needs."""

    protocol: str
    """PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL."""
    context: ssl.SSLContext | None
    mechanism: str | None
    username: str
    password: str


def security_of(settings: KafkaSettings) -> Security:
    """Protocol, certificates and password, from the settings and from librdkafka's names among the options.

    Raises SettingRefused for what aiokafka cannot do.
    """
    config = client_config(settings)
    protocol = str(config.get("security.protocol", "PLAINTEXT")).upper()
    if protocol not in ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"):
        raise SettingRefused(f"RAGPULSE_KAFKA__SECURITY_PROTOCOL cannot be used: there is no {protocol!r}.")
    mechanism = None
    if protocol.startswith("SASL"):
        mechanism = str(config.get("sasl.mechanism", config.get("sasl.mechanisms", "PLAIN"))).upper()
        if mechanism not in _PASSWORDS:
            raise SettingRefused(
                f"RAGPULSE_KAFKA__SASL_MECHANISM cannot be used by the judge lane: it knows "
                f"{', '.join(_PASSWORDS)}, and not {mechanism!r}."
            )
    return Security(
        protocol=protocol,
        context=context_of(config) if protocol.endswith("SSL") else None,
        mechanism=mechanism,
        username=str(config.get("sasl.username", "")),
        password=str(config.get("sasl.password", "")),
    )


def addresses(settings: KafkaSettings) -> list[str]:
    """`host:port` of each broker. librdkafka allows a protocol in front of it."""
    brokers = str(client_config(settings)["bootstrap.servers"])
    return [part.rpartition("://")[2].strip() for part in brokers.split(",") if part.strip()]


__all__ = ["Security", "addresses", "security_of"]
