"""The settings as the console is told them: who may come in, and by which names it is called."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from console.config import ConsoleConfig, Token
from console.security.intake import host_name
from console.security.roles import Role
from console.security.tokens import hash_token, make_token
from stream.errors import SettingRefused
from stream.settings.console import ConsoleSettings

LOCAL_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
FIRST_ADMIN: Final = "admin"


@dataclass(frozen=True, slots=True)
class Entry:
    """The console's configuration, and the token that was made because none is set."""

    config: ConsoleConfig
    made: str | None


def entry_of(settings: ConsoleSettings) -> Entry:
    """Map the settings. Raises SettingRefused where nobody could come in, or everybody."""
    made = None
    if settings.tokens:
        tokens = tuple(_token(one.name, one.role, one.sha256, one.token) for one in settings.tokens)
        if len({token.sha256 for token in tokens}) < len(tokens):
            raise SettingRefused("RAGPULSE_CONSOLE__TOKENS: two people have the same token.")
    elif is_local(settings.host):
        made = make_token()
        tokens = (Token(FIRST_ADMIN, Role.ADMIN, hash_token(made)),)
    else:
        raise SettingRefused(
            f"The console would listen at {settings.host} (RAGPULSE_CONSOLE__HOST), where others can reach "
            "it, and no token is set. Set RAGPULSE_CONSOLE__TOKENS; `ragpulse console --new-token NAME` "
            "makes one."
        )
    config = ConsoleConfig(
        tokens=tokens,
        hosts=hosts_of(settings),
        secure=(settings.public_url or "").startswith("https:"),
        language=settings.language,
        session_s=settings.session_h * 3_600.0,
        idle_s=settings.idle_h * 3_600.0,
        claim_at_once=settings.claim_at_once,
        heartbeat_s=settings.heartbeat_s,
        login_tries=settings.login_tries,
    )
    return Entry(config, made)


def hosts_of(settings: ConsoleSettings) -> frozenset[str]:
    """The names that requests may ask for. Raises SettingRefused where none is known."""
    names = set(LOCAL_NAMES) if is_local(settings.host) else set()
    if settings.public_url:
        name = host_name(urlsplit(settings.public_url).netloc)
        names |= LOCAL_NAMES if name in LOCAL_NAMES else {name}
    if not _is_everywhere(settings.host):
        names.add(f"[{settings.host}]" if ":" in settings.host else settings.host.lower())
    if not names:
        raise SettingRefused(
            f"The console listens at {settings.host} (RAGPULSE_CONSOLE__HOST) under no name that it knows. "
            "Set RAGPULSE_CONSOLE__PUBLIC_URL to the address that people type into their browsers."
        )
    return frozenset(names)


def is_local(host: str) -> bool:
    """Whether only this machine can reach it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _is_everywhere(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return not host


def _token(name: str, role: str, sha256: str | None, token: object) -> Token:
    given = token.get_secret_value() if hasattr(token, "get_secret_value") else ""
    return Token(name, Role.named(role), (sha256 or hash_token(given)).lower())


__all__ = ["FIRST_ADMIN", "Entry", "entry_of", "hosts_of", "is_local"]
