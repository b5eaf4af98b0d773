"""Apache Kafka behind doors: TLS with passwords, TLS with certificates, and doors with bad certificates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from confluent_kafka.admin import (
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from stream.embedded import child
from stream.settings import Settings
from tests.support import kafka
from tests.support.pki import Authority, Pair

USER: Final = "ann"
PASSWORD: Final = "s3cr3t-of-ann"
_PLAIN: Final = "org.apache.kafka.common.security.plain.PlainLoginModule required"
_SCRAM: Final = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
_MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


@dataclass(slots=True, frozen=True)
class GuardedKafka:
    """One broker and its doors (`host:port` each), and who signed what."""

    open: str
    """For the test itself: no security."""
    password: str
    """SASL over TLS."""
    mutual: str
    """TLS, and a certificate of the client's is asked for."""
    expired: str
    """TLS with a certificate that ran out."""
    other_host: str
    """TLS with a certificate for another host."""
    authority: Authority
    client: Pair
    """What a client may show at the door `mutual`; its key has the password PASSWORD."""

    def login(self, mechanism: str, **changed: Any) -> dict[str, Any]:
        """The settings of a client that knows the password."""
        return {
            "brokers": self.password,
            "security_protocol": "SASL_SSL",
            "sasl_mechanism": mechanism,
            "sasl_username": USER,
            "sasl_password": PASSWORD,
            "ssl_ca_location": self.authority.ca,
        } | changed

    def certified(self, **changed: Any) -> dict[str, Any]:
        """The settings of a client that shows its certificate."""
        return {
            "brokers": self.mutual,
            "security_protocol": "SSL",
            "ssl_ca_location": self.authority.ca,
            "ssl_certificate_location": self.client.certificate,
            "ssl_key_location": self.client.key,
            "ssl_key_password": PASSWORD,
        } | changed


def behind(settings: Settings, door: dict[str, Any]) -> Settings:
    """The same topics and groups, by another door."""
    secured = settings.kafka.model_validate(settings.kafka.model_dump() | door)
    return settings.model_copy(update={"kafka": secured})


@contextmanager
def guarded_kafka(folder: Path) -> Iterator[GuardedKafka]:
    """Start it; the caller has made sure that Apache Kafka is there."""
    authority = Authority(folder / "pki")
    good = authority.issue("broker", "localhost", child.LOOPBACK)
    port = kafka.ApacheKafka(folder).port
    doors = _doors(taken={port, port + 1})
    shown = {
        "password": good,
        "mutual": good,
        "expired": authority.issue("expired", child.LOOPBACK, days=(-9, -2)),
        "other": authority.issue("other", "elsewhere.example"),
    }
    plain = f"PLAINTEXT://{child.LOOPBACK}:{port}"
    properties = {
        "listeners": ",".join([plain, f"CONTROLLER://{child.LOOPBACK}:{port + 1}", *doors.values()]),
        "advertised_listeners": ",".join([plain, *doors.values()]),
        "listener_security_protocol_map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PASSWORD:SASL_SSL,"
        "MUTUAL:SSL,EXPIRED:SSL,OTHER:SSL",
        "inter_broker_listener_name": "PLAINTEXT",
        "sasl_enabled_mechanisms": ",".join(_MECHANISMS),
        "listener_name_password_plain_sasl_jaas_config": f'{_PLAIN} user_{USER}="{PASSWORD}";',
        "listener_name_password_scram-sha-256_sasl_jaas_config": _SCRAM,
        "listener_name_password_scram-sha-512_sasl_jaas_config": _SCRAM,
        "listener_name_mutual_ssl_client_auth": "required",
        "ssl_truststore_type": "PEM",
        "ssl_truststore_location": authority.ca,
        "ssl_keystore_type": "PEM",
    }
    properties |= {f"listener_name_{name}_ssl_keystore_location": pair.both for name, pair in shown.items()}
    node = kafka.ApacheKafka(folder, **properties)
    node.port = port
    node.start()
    at = {name: listener.partition("://")[2] for name, listener in doors.items()}
    try:
        _let_in(node.address)
        yield GuardedKafka(
            open=node.address,
            password=at["PASSWORD"],
            mutual=at["MUTUAL"],
            expired=at["EXPIRED"],
            other_host=at["OTHER"],
            authority=authority,
            client=authority.issue("client", password=PASSWORD),
        )
    finally:
        node.kill()


def _doors(taken: set[int]) -> dict[str, str]:
    """A listener for each door, on ports that nobody has."""
    doors = {}
    for name in ("PASSWORD", "MUTUAL", "EXPIRED", "OTHER"):
        while (port := child.find_free_port()) in taken:
            pass
        taken.add(port)
        doors[name] = f"{name}://{child.LOOPBACK}:{port}"
    return doors


def _let_in(address: str) -> None:
    client = AdminClient({"bootstrap.servers": address})
    known = [
        UserScramCredentialUpsertion(USER, ScramCredentialInfo(mechanism, 4096), PASSWORD.encode())
        for mechanism in (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)
    ]
    for one in known:  # two changes of one user do not go into one request
        for answer in client.alter_user_scram_credentials([one]).values():
            answer.result(timeout=20)
