"""Where a ClickHouse is: the DSN, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from sinks.errors import SinkAddressWrong

DEFAULT_DATABASE: Final = "ragpulse"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_SHAPE: Final = (
    "A ClickHouse DSN looks like http://user:password@host:8123/ragpulse or chdb:///folder?database=ragpulse."
)


_ENCODE: Final = "Write the characters / # ? @ : of a password percent-encoded (/ is %2F)."


@dataclass(slots=True, frozen=True)
class Target:
    """A DSN, taken apart."""

    scheme: str
    host: str
    port: int
    user: str
    password: str
    database: str
    path: str = ""

    @property
    def address(self) -> str:
        """The DSN for people: without user and password."""
        if self.scheme == "chdb":
            return f"chdb://{self.path}"
        return f"{self.scheme}://{self.host}:{self.port}/{self.database}"


def parse_dsn(dsn: str) -> Target:
    """Take a DSN apart. Raises SinkAddressWrong, saying what a DSN looks like."""
    try:
        url = urlsplit(dsn)
        port = url.port
    except ValueError:
        # `from None`, and no word of the error: it quotes what it could not read, perhaps a password
        raise SinkAddressWrong(f"{_SHAPE} {_ENCODE}") from None
    options = dict(parse_qsl(url.query))
    if url.scheme == "chdb" and url.netloc:
        raise SinkAddressWrong(
            "A folder in a chdb DSN begins at the root and so has three slashes: chdb:///folder."
        )
    if url.scheme == "chdb" and url.path not in ("", "/"):
        database = options.get("database", DEFAULT_DATABASE)
        return Target("chdb", "", 0, "", "", plain_name(database), unquote(url.path))
    if url.scheme not in ("http", "https") or not url.hostname:
        raise SinkAddressWrong(_SHAPE)
    return Target(
        url.scheme,
        url.hostname,
        port or (8443 if url.scheme == "https" else 8123),
        unquote(url.username or "default"),
        unquote(url.password or ""),
        _database(unquote(url.path.strip("/")) or DEFAULT_DATABASE),
    )


def _database(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise SinkAddressWrong(f"The database in the DSN is no plain name (letters, digits, _). {_ENCODE}")
    return name


def plain_name(name: str) -> str:
    """The name, if it can stand in a statement as it is. Raises SinkAddressWrong."""
    if not _NAME.fullmatch(name):
        raise SinkAddressWrong(f"{name!r} is no plain name of a database or table (letters, digits, _).")
    return name


__all__ = ["DEFAULT_DATABASE", "Target", "parse_dsn", "plain_name"]
