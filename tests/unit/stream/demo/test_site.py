"""The console of a demo: a port that is free, tokens that no process and no log is told."""

from __future__ import annotations

import contextlib
import socket

import orjson
import pytest

from console.security.roles import Role
from console.security.tokens import find_token
from stream.console.entry import entry_of
from stream.demo.site import PEOPLE, plan_console
from stream.settings import ConsoleSettings

USUAL: int = ConsoleSettings.model_fields["port"].default


def test_the_process_is_told_hashes_and_people_are_told_addresses_that_log_in() -> None:
    with plan_console() as site:
        pass
    told = "".join(site.variables.values())
    assert not [token for token in site.tokens.values() if token in told]
    assert {name: link.partition("#token=")[2] for name, link in site.links.items()} == site.tokens


def test_each_token_lets_in_whom_it_was_made_for() -> None:
    with plan_console() as site:
        pass
    tokens = orjson.loads(site.variables["RAGPULSE_CONSOLE__TOKENS"])
    known = entry_of(ConsoleSettings(tokens=tokens)).config.tokens
    found = {name: find_token(token, known) for name, token in site.tokens.items()}
    assert {name: one and (one.name, one.role) for name, one in found.items()} == {
        name: (name, Role.named(role)) for name, role in PEOPLE.items()
    }


def test_a_taken_port_is_left_to_whoever_has_it() -> None:
    with socket.socket() as other:
        with contextlib.suppress(OSError):  # somebody else has it already: the same to us
            other.bind(("127.0.0.1", USUAL))
        with plan_console() as site:
            assert site.port != USUAL


def test_of_two_demos_that_start_at_once_each_has_a_port_of_its_own() -> None:
    """Neither listens yet when the other one chooses."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", USUAL))
        except OSError:
            pytest.skip(f"somebody has {USUAL}")
    with plan_console() as first, plan_console() as second:
        assert first.port == USUAL != second.port
    with plan_console() as third:
        assert third.port == USUAL
