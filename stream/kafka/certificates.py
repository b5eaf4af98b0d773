"""The certificates of the Kafka settings, for connections that librdkafka does not make."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Any, Final

from stream.errors import SettingRefused

_ELSEWHERE: Final = (
    "ssl.ca.pem",
    "ssl.certificate.pem",
    "ssl.certificate.store.location",
    "ssl.crl.location",
    "ssl.engine.location",
    "ssl.key.pem",
    "ssl.keystore.location",
    "ssl.cipher.suites",
    "ssl.curves.list",
    "ssl.sigalgs.list",
)
"""Options that would change whom we trust or what we show, and that only librdkafka can read."""
_NO: Final = ("false", "f", "0")


def context_of(config: Mapping[str, Any]) -> ssl.SSLContext:
    """A context for librdkafka's settings. Raises SettingRefused for what cannot be used."""
    if ignored := [name for name in _ELSEWHERE if name in config]:
        raise SettingRefused(
            f"RAGPULSE_KAFKA__OPTIONS cannot be used by the judge lane: it knows nothing of "
            f"{', '.join(ignored)}. Name files in RAGPULSE_KAFKA__SSL_CA_LOCATION, "
            "RAGPULSE_KAFKA__SSL_CERTIFICATE_LOCATION and RAGPULSE_KAFKA__SSL_KEY_LOCATION instead."
        )
    try:
        context = ssl.create_default_context(cafile=config.get("ssl.ca.location"))
        if certificate := config.get("ssl.certificate.location"):
            # Asked for where the key is locked; without it OpenSSL would ask at the terminal.
            password = str(config.get("ssl.key.password") or "")
            context.load_cert_chain(certificate, config.get("ssl.key.location"), lambda: password)
    except (OSError, ValueError) as error:
        raise SettingRefused(
            f"The certificates cannot be read (RAGPULSE_KAFKA__SSL_CA_LOCATION, "
            f"RAGPULSE_KAFKA__SSL_CERTIFICATE_LOCATION, RAGPULSE_KAFKA__SSL_KEY_LOCATION): {error}."
        ) from error
    if str(config.get("ssl.endpoint.identification.algorithm", "https")).lower() in ("none", ""):
        context.check_hostname = False
    if str(config.get("enable.ssl.certificate.verification", "true")).lower() in _NO:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


__all__ = ["context_of"]
