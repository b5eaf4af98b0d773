"""Certificates between us and a ClickHouse behind https, and what is wrong with them."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sinks.errors import SinkUntrusted
from sinks.flaws import flaw, tls_error


@dataclass(slots=True, frozen=True)
class Tls:
    """Files in PEM. All of them may be left out: the authorities that this machine trusts count then."""

    ca: str | None = None
    """Of the authorities that may have signed the server's certificate, in place of the machine's."""
    certificate: str | None = None
    """Ours, where the server asks for one; with the authorities in between, if there are any."""
    key: str | None = None
    """Of that certificate, unless it is in the same file."""
    key_password: str | None = None
    verify: bool = True
    """False trusts whoever answers: whoever is in between can read and change everything."""

    def __repr__(self) -> str:
        return f"Tls(ca={self.ca!r}, certificate={self.certificate!r}, verify={self.verify})"

    def context(self) -> ssl.SSLContext:
        """For connections. Raises SinkUntrusted where a file cannot be used, without its password."""
        try:
            context = ssl.create_default_context(cafile=self.ca)
            if self.certificate:
                context.load_cert_chain(self.certificate, self.key, self._ask_for_password())
        except (OSError, ValueError) as error:
            raise SinkUntrusted(
                f"A certificate for ClickHouse cannot be read: {_why_unreadable(error)} "
                f"(authority: {self.ca or 'those of this machine'}, ours: {self.certificate or 'none'}, "
                f"its key: {self.key or self.certificate or 'none'})."
            ) from None
        if not self.verify:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context

    def _ask_for_password(self) -> Callable[[], str]:
        """OpenSSL asks where the key is encrypted; without this it would ask at the terminal, and wait."""
        return lambda: self.key_password or ""


_ASKED_FOR_OURS: Final = re.compile(
    r"(CERTIFICATE_REQUIRED|certificate required|BAD_CERTIFICATE|UNKNOWN_CA|UNKNOWN_CERTIFICATE"
    r"|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED|CERTIFICATE_REVOKED|HANDSHAKE_FAILURE|alert handshake failure)"
)
_NO_TLS: Final = re.compile(r"WRONG_VERSION_NUMBER|RECORD_LAYER_FAILURE|HTTP_REQUEST")


def explain(error: BaseException, address: str) -> SinkUntrusted | None:
    """The sentence for a connection that failed over certificates; null where that was not it."""
    refusal = tls_error(error)
    if refusal is None:
        return None
    if isinstance(refusal, ssl.SSLCertVerificationError):
        return SinkUntrusted(f"The certificate that ClickHouse shows at {address} {flaw(refusal)}.")
    text = str(refusal)
    if _NO_TLS.search(text):
        return SinkUntrusted(f"Whatever answers at {address} speaks no TLS: is it http, or another port?")
    if _ASKED_FOR_OURS.search(text):
        return SinkUntrusted(
            f"ClickHouse at {address} wants a certificate of ours, and does not accept what it was shown."
        )
    return None


def _why_unreadable(error: OSError | ValueError) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split()).rstrip(".")


__all__ = ["Tls", "explain"]
