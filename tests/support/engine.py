"""A real engine for tests: one process for the session, one fresh database a test."""

from __future__ import annotations

import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from stream.embedded.engine import EmbeddedEngine

_COUNT = iter(range(1, 1_000_000))


@pytest.fixture(scope="session")
def embedded_engine() -> Iterator[EmbeddedEngine]:
    """The embedded engine, one for all tests that do not kill it."""
    with EmbeddedEngine() as engine:
        yield engine


@pytest.fixture
def killable_engine() -> Iterator[EmbeddedEngine]:
    """An engine of the test's own, started, that it may kill and start again."""
    with EmbeddedEngine() as engine:
        yield engine


@pytest.fixture
def dsn(embedded_engine: EmbeddedEngine) -> Iterator[str]:
    """A DSN whose database no other test has. It does not exist yet; it is dropped afterwards."""
    name = f"t_{next(_COUNT)}"
    yield embedded_engine.dsn_of(name)
    ask(embedded_engine.address, f"DROP DATABASE IF EXISTS {name} SYNC")


@dataclass(slots=True, frozen=True)
class Answer:
    """What was answered over plain HTTP."""

    status: int
    headers: dict[str, str]
    body: bytes


def ask(
    address: str,
    sql: str | bytes,
    *,
    method: str = "POST",
    headers: dict[str, str] | None = None,
    **parameters: str,
) -> Answer:
    """Send a statement over plain HTTP, as curl would; an error's answer is returned, not raised."""
    raw = sql.encode() if isinstance(sql, str) else sql
    if method == "GET":
        parameters, raw = {"query": raw.decode(), **parameters}, b""
    url = f"http://{address}/?{urllib.parse.urlencode(parameters)}"
    request = urllib.request.Request(url, data=raw or None, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return Answer(answer.status, dict(answer.headers), answer.read())
    except urllib.error.HTTPError as error:
        return Answer(error.code, dict(error.headers), error.read())
