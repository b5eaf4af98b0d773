"""What is wrong with a certificate, in words."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from typing import Final

_LOOK_S: Final = 3.0
_LISTEN_S: Final = 1.0
_DEEPEST: Final = 64
_CUT_OFF: Final = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ConnectionResetError, BrokenPipeError)
_MISMATCH: Final = re.compile(r"hostname mismatch|ip address mismatch", re.IGNORECASE)
_STRANGER: Final = "self[- ]signed|unable to get (local )?issuer|unable to verify"
_REASONS: Final = (
    (re.compile("certificate has expired"), "has expired"),
    (re.compile("not yet valid"), "is not valid yet"),
    (re.compile(_STRANGER), "is signed by nobody we trust"),
    (re.compile("revoked"), "was revoked"),
)


def flaw(refusal: ssl.SSLCertVerificationError) -> str:
    """Why it is not accepted, to follow "the certificate"; OpenSSL's own words are added in brackets."""
    said = (refusal.verify_message or str(refusal)).strip().rstrip(".")
    if _MISMATCH.search(said):
        return f"is for another host ({said})"
    for pattern, words in _REASONS:
        if pattern.search(said):
            return f"{words} ({said})"
    return f"is not accepted ({said})"


def tls_error(error: BaseException) -> ssl.SSLError | None:
    """The one under the layers of an HTTP client that says what is wrong with TLS, if there is any."""
    found = (one for one in layers(error) if isinstance(one, ssl.SSLError) and not isinstance(one, _CUT_OFF))
    return next(found, None)


def was_cut_off(error: BaseException) -> bool:
    """Whether the other side just hung up: it may have said why, before our words and unheard."""
    return any(isinstance(one, _CUT_OFF) for one in layers(error))


def look(host: str, port: int, context: ssl.SSLContext) -> ssl.SSLError | None:
    """Shake hands and listen: why the other side, or we, would not; null where nobody complains."""
    try:
        with (
            socket.create_connection((host, port), _LOOK_S) as plain,
            context.wrap_socket(plain, server_hostname=host) as secured,
        ):
            secured.settimeout(_LISTEN_S)
            secured.recv(1)  # who minds our certificate says so after the handshake (TLS 1.3)
    except ssl.SSLError as error:
        return error
    except OSError:
        pass
    return None


def layers(error: BaseException) -> Iterator[BaseException]:
    """An error, and those that it was made of: causes, reasons, arguments."""
    waiting: list[object] = [error]
    for _ in range(_DEEPEST):
        if not waiting:
            return
        one = waiting.pop()
        if isinstance(one, BaseException):
            yield one
            waiting += [one.__cause__, one.__context__, getattr(one, "reason", None), *one.args]


__all__ = ["flaw", "look", "tls_error", "was_cut_off"]
