"""Certificates for tests: authorities of the test's own, and what they sign."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_DAY = timedelta(days=1)


@dataclass(slots=True, frozen=True)
class Pair:
    """A certificate and its key: files in PEM."""

    certificate: str
    key: str

    @property
    def both(self) -> str:
        """One file with the two of them, as Kafka wants it."""
        path = Path(self.certificate).with_suffix(".both.pem")
        path.write_text(Path(self.key).read_text() + Path(self.certificate).read_text())
        return str(path)


class Authority:
    """Signs certificates; its own lies in `ca`. Everything is written to `folder`."""

    def __init__(self, folder: Path, name: str = "test authority") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named(name)
        now = datetime.now(UTC)
        signed = (
            _about(self._name, self._name, self._key.public_key(), now - _DAY, now + _DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_may_sign(), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        self.ca = self._write("ca.pem", signed.public_bytes(serialization.Encoding.PEM))

    def issue(
        self,
        name: str,
        *hosts: str,
        days: tuple[float, float] = (-1.0, 1.0),
        password: str | None = None,
    ) -> Pair:
        """A certificate for these hosts (names or addresses), valid from and until so many days from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.now(UTC)
        start, end = (now + timedelta(days=day) for day in days)
        about = (
            _about(_named(name), self._name, key.public_key(), start, end)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]),
                critical=False,
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False
            )
        )
        if hosts:
            about = about.add_extension(
                x509.SubjectAlternativeName([_host(one) for one in hosts]), critical=False
            )
        signed = about.sign(self._key, hashes.SHA256())
        locked: serialization.KeySerializationEncryption = (
            serialization.BestAvailableEncryption(password.encode())
            if password
            else serialization.NoEncryption()
        )
        return Pair(
            self._write(f"{name}.pem", signed.public_bytes(serialization.Encoding.PEM)),
            self._write(
                f"{name}.key",
                key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked),
            ),
        )

    def _write(self, name: str, content: bytes) -> str:
        path = self._folder / name
        path.write_bytes(content)
        return str(path)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _host(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _about(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, start: datetime, end: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
    )


def _may_sign() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
    )  # fmt: skip
