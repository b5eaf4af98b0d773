"""Brokers that answer and do not let us in: librdkafka's complaints as one sentence for people."""

from __future__ import annotations

import re
import ssl
from typing import Final

from confluent_kafka import KafkaError

from sinks.flaws import flaw, look
from stream.errors import SettingRefused
from stream.kafka.certificates import context_of
from stream.kafka.config import client_config
from stream.settings import KafkaSettings

_PLACE: Final = re.compile(r"://(\[[^\[\]]+\]|[^/:\s]+):(\d+)")
_AROUND: Final = re.compile(r"^\w+://\S+: | \(after \d+ms in state [^()]*\)|error:[0-9A-F]+:SSL routines::")
_OF_OURS: Final = re.compile(
    "alert (bad certificate|unsupported certificate|certificate |unknown ca|access denied|handshake failure"
    "|decrypt error|no certificate)"
)
"""What a broker says of the certificate that we show, or do not show."""
_PASSWORD: Final = (
    "RAGPULSE_KAFKA__SASL_USERNAME, RAGPULSE_KAFKA__SASL_PASSWORD or RAGPULSE_KAFKA__SASL_MECHANISM"
)


class Complaints:
    """Hears what a client says of its brokers, and remembers what waiting will not help."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._heard: KafkaError | None = None

    def hear(self, error: KafkaError) -> None:
        """The `error_cb` of a client."""
        if _is_refusal(error):
            self._heard = error

    @property
    def sentence(self) -> str | None:
        """What is refused, and what to correct; null while nothing was."""
        error = self._heard
        if error is None:
            return None
        at = self._settings.brokers
        if error.code() == KafkaError._AUTHENTICATION:
            return f"The broker at {at} does not let us in: {_plain(error)}. Correct {_PASSWORD}."
        if "verify failed" in error.str():
            return (
                f"The certificate that the broker at {at} shows {self._flaw(error)}. Correct "
                "RAGPULSE_KAFKA__BROKERS or RAGPULSE_KAFKA__SSL_CA_LOCATION (whom we trust)."
            )
        return (
            f"The broker at {at} does not accept our certificate, or wants one: {_plain(error)}. Correct "
            "RAGPULSE_KAFKA__SSL_CERTIFICATE_LOCATION and RAGPULSE_KAFKA__SSL_KEY_LOCATION."
        )

    def _flaw(self, error: KafkaError) -> str:
        """librdkafka does not tell one flaw from another, so the certificate is looked at once more."""
        place = _PLACE.search(error.str())
        seen = _look(self._settings, place[1].strip("[]"), int(place[2])) if place else None
        return seen or f"is not accepted ({_plain(error)})"


def _is_refusal(error: KafkaError) -> bool:
    text = error.str()
    return (
        error.code() == KafkaError._AUTHENTICATION
        or (error.code() == KafkaError._SSL and "verify failed" in text)
        or _OF_OURS.search(text) is not None
    )


def _look(settings: KafkaSettings, host: str, port: int) -> str | None:
    try:
        refusal = look(host, port, context_of(client_config(settings)))
    except SettingRefused:
        return None
    return flaw(refusal) if isinstance(refusal, ssl.SSLCertVerificationError) else None


def _plain(error: KafkaError) -> str:
    """Without address, state and numbers, which say nothing to people."""
    return " ".join(_AROUND.sub("", error.str()).split()).rstrip(".")


__all__ = ["Complaints"]
