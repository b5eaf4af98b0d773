"""The console of a demo: where it listens, and who may come in."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import Final

import orjson

from console.security.tokens import hash_token, make_token
from stream.embedded.child import LOOPBACK, find_free_port
from stream.settings import ConsoleSettings

PEOPLE: Final = {"admin": "admin", "anna": "annotator"}
"""Who can log in, by name, and their roles: two, so that agreement can be seen to change."""


@dataclass(frozen=True, slots=True)
class DemoConsole:
    """A console that will listen on `port`. Its tokens are new, and live as long as the demo."""

    port: int
    tokens: dict[str, str]
    """By name."""

    @property
    def links(self) -> dict[str, str]:
        """Addresses that log in, by name. The token stands behind a #, which browsers send to nobody."""
        address = f"http://{LOOPBACK}:{self.port}/login#token="
        return {name: address + token for name, token in self.tokens.items()}

    @property
    def variables(self) -> dict[str, str]:
        """The settings of the process; they hold no token, only what is known of it."""
        known = [
            {"name": name, "role": PEOPLE[name], "sha256": hash_token(token)}
            for name, token in self.tokens.items()
        ]
        return {
            "RAGPULSE_CONSOLE__HOST": LOOPBACK,
            "RAGPULSE_CONSOLE__PORT": str(self.port),
            "RAGPULSE_CONSOLE__TOKENS": orjson.dumps(known).decode(),
        }


def plan_console() -> DemoConsole:
    """On its usual port, or on a free one where that is taken."""
    return DemoConsole(_choose_port(), {name: make_token() for name in PEOPLE})


def _choose_port() -> int:
    usual: int = ConsoleSettings.model_fields["port"].default
    with socket.socket() as probe:
        try:
            probe.bind((LOOPBACK, usual))
        except OSError:
            return find_free_port()
    return usual


__all__ = ["PEOPLE", "DemoConsole", "plan_console"]
