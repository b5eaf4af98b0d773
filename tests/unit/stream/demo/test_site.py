"""The console of a demo: a port that is free, tokens that no process and no log is told."""

from __future__ import annotations

import contextlib
import socket

import orjson

from console.security.roles import Role
from console.security.tokens import find_token
from stream.console.entry import entry_of
from stream.demo.site import PEOPLE, plan_console
from stream.settings import ConsoleSettings


def test_the_process_is_told_hashes_and_people_are_told_addresses_that_log_in() -> None:
    site = plan_console()
    told = "".join(site.variables.values())
    assert not [token for token in site.tokens.values() if token in told]
    assert {name: link.partition("#token=")[2] for name, link in site.links.items()} == site.tokens


def test_each_token_lets_in_whom_it_was_made_for() -> None:
    site = plan_console()
    tokens = orjson.loads(site.variables["RAGPULSE_CONSOLE__TOKENS"])
    known = entry_of(ConsoleSettings(tokens=tokens)).config.tokens
    found = {name: find_token(token, known) for name, token in site.tokens.items()}
    assert {name: one and (one.name, one.role) for name, one in found.items()} == {
        name: (name, Role.named(role)) for name, role in PEOPLE.items()
    }


def test_a_taken_port_is_left_to_whoever_has_it() -> None:
    with socket.socket() as other:
        with contextlib.suppress(OSError):  # somebody else has it already: the same to us
            other.bind(("127.0.0.1", ConsoleSettings.model_fields["port"].default))
        assert plan_console().port != ConsoleSettings.model_fields["port"].default
