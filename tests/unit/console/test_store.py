"""A store for many people at once: nobody waits for one that is known to be away."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from console import store
from console.store import AT_ONCE, AWAY_S, PatientStore
from sinks.clickhouse.client import ClickHouse
from sinks.errors import SinkOverloaded, SinkRejected, SinkUnreachable
from tests.support.console import Clock


class Backend:
    """What ClickHouse does in these tests: answers, fails, or waits until it may."""

    def __init__(self) -> None:
        self.asked = 0
        self.now = self.most = 0
        self.error: Exception | None = None
        self.open = threading.Event()
        self.open.set()
        self._lock = threading.Lock()

    def query(self, _client: ClickHouse, sql: str, parameters: Any = None) -> list[dict[str, Any]]:
        with self._lock:
            self.asked += 1
            self.now += 1
            self.most = max(self.most, self.now)
        self.open.wait(30)
        with self._lock:
            self.now -= 1
        if self.error:
            raise self.error
        return []


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Iterator[Backend]:
    backend = Backend()
    monkeypatch.setattr(ClickHouse, "query", lambda *args, **kwargs: backend.query(*args, **kwargs))
    monkeypatch.setattr(store, "TURN_S", 0.2)
    yield backend
    backend.open.set()


def ask_in_threads(client: PatientStore, times: int) -> tuple[list[threading.Thread], list[Exception]]:
    failures: list[Exception] = []

    def ask() -> None:
        try:
            client.query("SELECT 1")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(times)]
    for thread in threads:
        thread.start()
    return threads, failures


def test_after_no_answer_nobody_asks_again_for_some_seconds(backend: Backend) -> None:
    clock = Clock(0.0)
    client = PatientStore("http://127.0.0.1:9/x", 1.0, clock)
    backend.error = SinkUnreachable("away")
    for _ in range(5):
        with pytest.raises(SinkUnreachable, match="away"):
            client.query("SELECT 1")
    assert backend.asked == 1
    clock.now = AWAY_S
    backend.error = None
    assert client.query("SELECT 1") == []
    assert client.query("SELECT 1") == []
    assert backend.asked == 3


def test_while_it_has_not_answered_yet_one_asks_and_the_others_give_up(backend: Backend) -> None:
    client = PatientStore("http://127.0.0.1:9/x", 1.0)
    backend.open.clear()
    threads, failures = ask_in_threads(client, 6)
    until = time.monotonic() + 20
    while len(failures) < 5 and time.monotonic() < until:
        time.sleep(0.02)
    backend.open.set()
    for thread in threads:
        thread.join(30)
    assert backend.asked == 1
    assert [type(error) for error in failures] == [SinkOverloaded] * 5


def test_no_more_than_a_few_questions_are_asked_at_once(backend: Backend) -> None:
    client = PatientStore("http://127.0.0.1:9/x", 1.0)
    client.query("SELECT 1")
    backend.open.clear()
    threads, failures = ask_in_threads(client, AT_ONCE + 3)
    until = time.monotonic() + 20
    while len(failures) < 3 and time.monotonic() < until:
        time.sleep(0.02)
    backend.open.set()
    for thread in threads:
        thread.join(30)
    assert backend.most == AT_ONCE
    assert [type(error) for error in failures] == [SinkOverloaded] * 3


def test_a_question_that_is_refused_keeps_nobody_from_the_next(backend: Backend) -> None:
    client = PatientStore("http://127.0.0.1:9/x", 1.0)
    backend.error = SinkRejected("no such column")
    for _ in range(3):
        with pytest.raises(SinkRejected):
            client.query("SELECT 1")
    assert backend.asked == 3
