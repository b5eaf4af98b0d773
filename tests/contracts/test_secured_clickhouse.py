"""ClickHouse over https: with an authority of one's own, with certificates for both, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from sinks.clickhouse.tls import Tls
from sinks.errors import SinkUntrusted
from stream.doctor import State, check_store
from stream.embedded.engine import EmbeddedEngine
from stream.settings import Settings
from stream.settings.clickhouse import ClickHouseSettings
from tests.support.pki import Authority, Pair
from tests.support.tls_front import TlsFront
from tests.unit.stream.cli.test_files_commands import run

pytestmark = pytest.mark.engine

LOCKED = "s3cr3t-of-the-key"
Opens = Callable[..., TlsFront]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("pki"))


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("strange"), "somebody else")


@pytest.fixture(scope="module")
def server(authority: Authority) -> Pair:
    return authority.issue("server", "localhost", "127.0.0.1")


@pytest.fixture
def front(embedded_engine: EmbeddedEngine) -> Iterator[Opens]:
    """Puts TLS before the engine."""
    opened: list[TlsFront] = []

    def opens(shown: Pair, client_ca: str | None = None, target: str | None = None) -> TlsFront:
        opened.append(TlsFront(target or embedded_engine.address, shown, client_ca).__enter__())
        return opened[-1]

    yield opens
    for one in opened:
        one.__exit__(None, None, None)


def dsn_at(front: TlsFront, dsn: str = "/ragpulse", user: str = "", host: str = "127.0.0.1") -> str:
    return f"https://{user}{host}:{front.port}/{dsn.rpartition('/')[2]}"


def refusal(dsn: str, tls: Tls) -> str:
    with pytest.raises(SinkUntrusted) as refused:
        connect(dsn, 5.0, tls).query("SELECT 1")
    return str(refused.value)


def test_a_server_whose_authority_we_name_is_migrated_and_read(
    front: Opens, authority: Authority, server: Pair, dsn: str
) -> None:
    client = connect(dsn_at(front(server), dsn), 20.0, Tls(ca=authority.ca))
    assert migrate(client)
    assert client.query("SELECT count() AS n FROM traces") == [{"n": 0}]
    client.close()
    assert client.query("SELECT 1 AS one") == [{"one": 1}]
    client.close()


def test_a_certificate_of_ours_is_shown_where_the_server_asks_for_one(
    front: Opens, authority: Authority, server: Pair
) -> None:
    ours = authority.issue("ragpulse", password=LOCKED)
    asking = front(server, authority.ca)
    tls = Tls(authority.ca, ours.certificate, ours.key, LOCKED)
    assert connect(dsn_at(asking), 5.0, tls).query("SELECT 1 AS one") == [{"one": 1}]
    assert b"X-ClickHouse-SSL-Certificate-Auth: on" in asking.heads[0]
    assert connect(dsn_at(asking, user="ann:pw@"), 5.0, tls).query("SELECT 1 AS one") == [{"one": 1}]
    assert b"Authorization: Basic" in asking.heads[-1], "who has a password goes by the password"


def test_a_server_that_asks_for_a_certificate_does_not_take_none_nor_a_strangers(
    front: Opens, authority: Authority, stranger: Authority, server: Pair
) -> None:
    asking = front(server, authority.ca)
    theirs = stranger.issue("ragpulse")
    for tls in (Tls(authority.ca), Tls(authority.ca, theirs.certificate, theirs.key)):
        said = refusal(dsn_at(asking), tls)
        assert f"127.0.0.1:{asking.port}" in said
        assert "wants a certificate of ours" in said


def test_an_unknown_authority_is_refused_unless_checking_is_switched_off(
    front: Opens, authority: Authority, stranger: Authority, server: Pair
) -> None:
    address = dsn_at(front(server))
    assert "is signed by nobody we trust" in refusal(address, Tls())
    assert "is signed by nobody we trust" in refusal(address, Tls(ca=stranger.ca))
    assert connect(address, 5.0, Tls(verify=False)).query("SELECT 1 AS one") == [{"one": 1}]


def test_a_certificate_that_ran_out_is_refused(front: Opens, authority: Authority) -> None:
    expired = front(authority.issue("expired", "127.0.0.1", days=(-9, -2)))
    assert "has expired" in refusal(dsn_at(expired), Tls(ca=authority.ca))


def test_a_certificate_that_is_not_valid_yet_is_refused(front: Opens, authority: Authority) -> None:
    early = front(authority.issue("early", "127.0.0.1", days=(0.5, 0.9)))
    assert "is not valid yet" in refusal(dsn_at(early), Tls(ca=authority.ca))


def test_a_certificate_for_another_host_is_refused(front: Opens, authority: Authority) -> None:
    other = front(authority.issue("other", "elsewhere.example"))
    assert "is for another host" in refusal(dsn_at(other), Tls(ca=authority.ca))
    assert "is for another host" in refusal(dsn_at(other, host="localhost"), Tls(ca=authority.ca))


def test_a_port_that_speaks_no_tls_is_named(embedded_engine: EmbeddedEngine) -> None:
    assert "speaks no TLS" in refusal(f"https://{embedded_engine.address}/x", Tls(verify=False))


@pytest.mark.parametrize("broken", ["ca", "certificate", "key", "password"])
def test_a_file_that_cannot_be_used_is_named_without_its_password(
    broken: str, authority: Authority, tmp_path: Path
) -> None:
    ours = authority.issue("ours", password=LOCKED)
    nothing = tmp_path / "nothing.pem"
    nothing.write_text("no certificate")
    files: dict[str, Any] = {"ca": authority.ca, "certificate": ours.certificate, "key": ours.key}
    files |= {broken: str(nothing)} if broken != "password" else {}
    tls = Tls(**files, key_password="wr0ng" if broken == "password" else LOCKED)
    said = refusal("https://127.0.0.1:9/x", tls)
    assert "cannot be read" in said
    assert LOCKED not in said + repr(tls)
    assert "wr0ng" not in said + repr(tls)


def variables(front: TlsFront, **settings: str) -> dict[str, str]:
    named = {f"RAGPULSE_CLICKHOUSE__{name.upper()}": value for name, value in settings.items()}
    return {
        "RAGPULSE_KAFKA__BROKERS": "127.0.0.1:9",
        "RAGPULSE_CLICKHOUSE__DSN": dsn_at(front, user="ann:verysecret@"),
        **named,
    }


def test_the_settings_reach_the_connection_and_the_doctor_says_what_is_wrong(
    front: Opens, authority: Authority, stranger: Authority, server: Pair
) -> None:
    asking = front(server, authority.ca)
    ours = authority.issue("doctor", password=LOCKED)
    shown = {
        "ssl_certificate_location": ours.certificate,
        "ssl_key_location": ours.key,
        "ssl_key_password": LOCKED,
    }
    assert ClickHouseSettings.model_validate({"ssl_ca_location": "x", **shown}).tls.key_password == LOCKED
    store = {"dsn": dsn_at(asking, user="ann:verysecret@"), **shown}
    good, bad = (
        next(check_store(Settings.model_validate({"clickhouse": {**store, "ssl_ca_location": one.ca}})))
        for one in (authority, stranger)
    )
    assert [good.state, bad.state] == [State.OK, State.UNREACHABLE]
    assert "is signed by nobody we trust" in bad.detail
    assert "RAGPULSE_CLICKHOUSE__SSL_CA_LOCATION" in bad.todo
    assert "verysecret" not in f"{good}{bad}"
    assert LOCKED not in f"{good}{bad}"


@pytest.mark.parametrize("command", ["migrate", "sink"])
def test_a_process_does_not_wait_for_a_certificate_that_will_not_become_good(
    command: str, front: Opens, stranger: Authority, server: Pair, request: pytest.FixtureRequest
) -> None:
    env = variables(front(server), ssl_ca_location=stranger.ca)
    if command == "sink":  # it looks for its topics first
        env["RAGPULSE_KAFKA__BROKERS"] = request.getfixturevalue("embedded_broker").address
    done = run(command, env=env)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 3, said
    assert "is signed by nobody we trust" in said
    assert "RAGPULSE_CLICKHOUSE__SSL_CA_LOCATION" in said
    assert "verysecret" not in said
    assert "Traceback" not in said
