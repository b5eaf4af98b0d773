"""What the doctor says of the console: could anybody come in, and could everybody read along?"""

from __future__ import annotations

import pytest

from stream import doctor
from stream.doctor import State
from stream.settings import ConsoleSettings, Settings

TOKENS = [{"name": "li", "role": "admin", "token": "a-token-that-is-long-enough"}]


@pytest.mark.parametrize(
    ("facts", "state", "said"),
    [
        ({}, State.OK, "a token is made at its start"),
        ({"tokens": TOKENS}, State.OK, "1 token(s)"),
        ({"host": "0.0.0.0"}, State.PROBLEM, "--new-token"),
        ({"host": "0.0.0.0", "tokens": TOKENS}, State.PROBLEM, "PUBLIC_URL"),
        ({"host": "10.0.0.3", "tokens": TOKENS}, State.NOTE, "without TLS"),
        ({"host": "0.0.0.0", "tokens": TOKENS, "public_url": "https://a.example"}, State.OK, "0.0.0.0:8400"),
    ],
)
def test_the_settings_of_the_console_are_looked_at(facts: dict[str, object], state: State, said: str) -> None:
    check = doctor._check_console(Settings(console=ConsoleSettings.model_validate(facts)))
    assert (check.name, check.state) == ("console", state)
    assert said in check.detail
    assert "long-enough" not in check.detail
    assert check.todo or state is State.OK
