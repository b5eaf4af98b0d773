"""Settings to librdkafka's configuration, the same for every client of ours."""

from __future__ import annotations

from typing import Any

from stream.settings import KafkaSettings


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
    config: dict[str, Any] = {"bootstrap.servers": settings.brokers, "client.id": "ragpulse"}
    config.update((name, value) for name, value in plain.items() if value is not None)
    config.update((name, value.get_secret_value()) for name, value in secrets.items() if value is not None)
    config.update(settings.options)
    return config


__all__ = ["client_config"]
