"""Settings to who may come in, and by which names."""

from __future__ import annotations

import hashlib

import pytest
from pydantic import ValidationError

from console.security.roles import Role
from console.security.tokens import find_token
from stream.console.entry import FIRST_ADMIN, entry_of, hosts_of, is_local
from stream.console.main import address_of, greeting
from stream.errors import SettingRefused
from stream.settings import Settings
from stream.settings.console import ConsoleSettings

SECRET = "a-token-that-is-long-enough"


def settings(**facts: object) -> ConsoleSettings:
    return ConsoleSettings.model_validate(facts)


def test_tokens_are_kept_as_hashes_whichever_way_they_are_set() -> None:
    hashed = hashlib.sha256(b"another-token-long-enough").hexdigest()
    entry = entry_of(
        settings(
            tokens=[
                {"name": "li", "role": "annotator", "token": SECRET},
                {"name": "eve", "role": "viewer", "sha256": hashed.upper()},
            ]
        )
    )
    assert entry.made is None
    found = find_token(SECRET, entry.config.tokens)
    assert found is not None
    assert (found.name, found.role) == ("li", Role.ANNOTATOR)
    other = find_token("another-token-long-enough", entry.config.tokens)
    assert other is not None
    assert other.name == "eve"
    assert SECRET not in repr(entry.config)


def test_without_tokens_one_is_made_for_an_admin_on_this_machine_alone() -> None:
    entry = entry_of(settings())
    assert entry.made is not None
    made = find_token(entry.made, entry.config.tokens)
    assert made is not None
    assert (made.name, made.role) == (FIRST_ADMIN, Role.ADMIN)
    assert entry_of(settings()).made != entry.made
    for host in ("0.0.0.0", "::", "10.0.0.3", "console.example.com"):
        with pytest.raises(SettingRefused, match="--new-token"):
            entry_of(settings(host=host))


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"tokens": [{"name": "li", "role": "root", "token": SECRET}]}, "admin"),
        ({"tokens": [{"name": "li", "role": "admin"}]}, "either sha256 or token"),
        ({"tokens": [{"name": "li", "role": "admin", "token": SECRET, "sha256": "0" * 64}]}, "either"),
        ({"tokens": [{"name": "li", "role": "admin", "token": "short"}]}, "at least 20"),
        ({"tokens": [{"name": "<b>", "role": "admin", "token": SECRET}]}, "pattern"),
        (
            {"tokens": [{"name": "li", "role": "admin", "token": t} for t in (SECRET, SECRET + "2")]},
            "same name",
        ),
        ({"public_url": "https://user:pass@example.com"}, "pattern"),
        ({"public_url": "ftp://example.com"}, "pattern"),
        ({"port": 70_000}, "65535"),
    ],
)
def test_settings_that_nobody_could_mean_are_refused_without_their_secrets(
    facts: dict[str, object], why: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        settings(**facts)
    told = str(refused.value.errors(include_input=False, include_url=False, include_context=False))
    assert why in told
    assert SECRET not in told


def test_two_people_with_one_token_are_refused() -> None:
    twice = [{"name": name, "role": "viewer", "token": SECRET} for name in ("a", "b")]
    with pytest.raises(SettingRefused, match="same token"):
        entry_of(settings(tokens=twice))


def test_the_console_answers_to_the_names_that_it_is_reached_by() -> None:
    assert hosts_of(settings()) == {"127.0.0.1", "localhost", "[::1]"}
    behind = settings(host="0.0.0.0", public_url="https://Pulse.Example.com:8443/")
    assert hosts_of(behind) == {"pulse.example.com"}
    assert hosts_of(settings(host="10.0.0.3")) == {"10.0.0.3"}
    assert hosts_of(settings(host="fd00::1")) == {"[fd00::1]"}
    with pytest.raises(SettingRefused, match="PUBLIC_URL"):
        hosts_of(settings(host="0.0.0.0"))


def test_cookies_travel_over_tls_alone_where_browsers_come_by_https() -> None:
    tokens = [{"name": "li", "role": "admin", "token": SECRET}]
    assert entry_of(settings(public_url="https://a.example", tokens=tokens)).config.secure
    assert not entry_of(settings(public_url="http://localhost:8400", tokens=tokens)).config.secure


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("", False),
    ],
)
def test_loopback_is_this_machine_alone(host: str, local: bool) -> None:
    assert is_local(host) is local


def test_the_person_who_starts_it_is_told_the_token_once_and_behind_a_fragment() -> None:
    entry = entry_of(settings())
    assert f"http://127.0.0.1:8400/login#token={entry.made}" in greeting("http://127.0.0.1:8400", entry)
    fixed = entry_of(settings(tokens=[{"name": "li", "role": "admin", "token": SECRET}]))
    assert greeting("https://a.example", fixed) == "The console is at https://a.example"
    assert address_of(Settings(console=settings(host="::1")), 8_400) == "http://[::1]:8400"
    behind = settings(public_url="https://a.example/")
    assert address_of(Settings(console=behind), 8_400) == "https://a.example"
