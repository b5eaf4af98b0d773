"""The console of a demo: where it listens, and who may come in."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def plan_console() -> Iterator[DemoConsole]:
    """On its usual port, or on a free one where that is taken, or claimed by another demo.

    A demo tells its address long before it listens there. Until it is left, the port is ours.
    """
    usual: int = ConsoleSettings.model_fields["port"].default
    with _claimed(usual) as claimed:
        ours = claimed and _is_free(usual)
        yield DemoConsole(usual if ours else find_free_port(), {name: make_token() for name in PEOPLE})


@contextmanager
def _claimed(port: int) -> Iterator[bool]:
    """Whether no other demo means to listen there: one that does holds the UDP port of that number.

    The console itself needs the TCP port. A claim ends with the process that has it, however that ends.
    """
    with socket.socket(type=socket.SOCK_DGRAM) as claim:
        yield _takes(claim, port)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return _takes(probe, port)


def _takes(taker: socket.socket, port: int) -> bool:
    try:
        taker.bind((LOOPBACK, port))
    except OSError:
        return False
    return True


__all__ = ["PEOPLE", "DemoConsole", "plan_console"]
