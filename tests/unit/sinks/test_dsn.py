"""What a DSN says, and what is shown of it."""

from __future__ import annotations

import pytest

from sinks.clickhouse.dsn import parse_dsn
from sinks.errors import SinkAddressWrong


def test_a_dsn_names_server_user_and_database_and_hides_the_password() -> None:
    target = parse_dsn("https://ann:s%3Acret@ch.example:9443/prod")
    assert (target.scheme, target.host, target.port) == ("https", "ch.example", 9443)
    assert (target.user, target.password, target.database) == ("ann", "s:cret", "prod")
    assert target.address == "https://ch.example:9443/prod"


def test_what_a_dsn_leaves_out_has_the_usual_values() -> None:
    target = parse_dsn("http://ch")
    assert (target.port, target.user, target.password, target.database) == (8123, "default", "", "ragpulse")
    assert parse_dsn("https://ch").port == 8443


def test_a_folder_is_opened_in_this_process() -> None:
    target = parse_dsn("chdb:///var/data?database=mine")
    assert (target.path, target.database) == ("/var/data", "mine")


@pytest.mark.parametrize(
    "dsn",
    [
        "",
        "ch:9000",
        "ftp://ch/x",
        "http://",
        "http://ch:notaport/x",
        "chdb://",
        "chdb://rel/x",
        "http://ch/a;b",
    ],
)
def test_what_is_no_dsn_is_refused_in_one_sentence(dsn: str) -> None:
    with pytest.raises(SinkAddressWrong):
        parse_dsn(dsn)


@pytest.mark.parametrize("dsn", ["http://user:1234/sEcReT@host:8123/db", "http://user:sEcReT/x@host"])
def test_a_password_that_breaks_the_dsn_is_not_repeated(dsn: str) -> None:
    with pytest.raises(SinkAddressWrong) as refused:
        parse_dsn(dsn)
    assert "sEcReT" not in str(refused.value)
    assert "percent-encoded" in str(refused.value)
