"""What the console is told at its start, as plain values."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Final

from console.security.roles import Role

MINUTE_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Token:
    """Who may come in: the name that labels carry, the role, and the SHA-256 of the token in hex."""

    name: str
    role: Role
    sha256: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ConsoleConfig:
    """Everything that can be chosen about a console. Times are in seconds, sizes in bytes."""

    tokens: tuple[Token, ...]
    hosts: frozenset[str] = frozenset({"127.0.0.1", "localhost", "[::1]"})
    """Names that a request may ask for (Host header, without the port)."""
    secure: bool = False
    """Browsers come over TLS: cookies are sent over it alone."""
    language: str = "en"
    """For browsers that ask for neither Chinese nor English."""
    session_s: float = 12 * 3_600.0
    """A session ends after this long, however busy."""
    idle_s: float = 2 * 3_600.0
    """A session ends after this long without a request."""
    claim_at_once: int = 3
    """Cases that are claimed together."""
    heartbeat_s: float = 30.0
    """Between two signs of life of an open case."""
    max_body_bytes: int = 262_144
    login_tries: int = 10
    """Failed logins a minute and address, before the next is refused unread."""
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    """Signs cookies and forms; made anew at each start, which ends all sessions."""


__all__ = ["MINUTE_S", "ConsoleConfig", "Token"]
