"""The sink's parts by themselves: waiting, batching, finding the table."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from sinks.errors import SinkMisconfigured, SinkUnreachable
from stream.backoff import Backoff
from stream.dead.letters import Letter
from stream.endpoint import Health
from stream.kafka.ledger import Ledger
from stream.settings import KafkaSettings, SinkSettings
from stream.sink.batch import Batch, Item
from stream.sink.inserter import GivenUp, Inserter
from stream.sink.routes import Routes, dead_letter_line
from stream.telemetry import SinkMetrics


class FakeMessage:
    """As much of a consumed message as the sink looks at."""

    def __init__(self, value: bytes, topic: str = "rag.scored", offset: int = 0, table: Any = None) -> None:
        self._value, self._topic, self._offset = value, topic, offset
        self._headers = None if table is None else [("table", table)]

    def __len__(self) -> int:
        return len(self._value)

    def value(self) -> bytes:
        return self._value

    def topic(self) -> str:
        return self._topic

    def offset(self) -> int:
        return self._offset

    def timestamp(self) -> tuple[int, int]:
        return (1, 1_000)

    def headers(self) -> Any:
        return self._headers


def item(ledger: Ledger, offset: int, value: bytes = b"{}", partition: int = 0) -> Item:
    slot = ledger.open(("rag.scored", partition), offset)
    return Item(FakeMessage(value, offset=offset), slot)  # type: ignore[arg-type]


def test_each_wait_is_about_twice_the_last_up_to_the_limit() -> None:
    backoff = Backoff(0.2, 3.0, chance=lambda: 1.0)
    assert [backoff.next_s() for _ in range(6)] == pytest.approx([0.2, 0.4, 0.8, 1.6, 3.0, 3.0])


def test_two_sinks_do_not_wait_in_step() -> None:
    eager, lazy = Backoff(1.0, 9.0, chance=lambda: 0.0), Backoff(1.0, 9.0, chance=lambda: 1.0)
    assert (eager.next_s(), lazy.next_s()) == (0.5, 1.0)


def test_a_thousand_failures_overflow_nothing() -> None:
    backoff = Backoff(0.2, 15.0, chance=lambda: 1.0)
    assert {backoff.next_s() for _ in range(1_100)} >= {15.0}


def test_a_batch_knows_its_rows_bytes_and_age() -> None:
    now = [100.0]
    batch, ledger = Batch(clock=lambda: now[0]), Ledger()
    assert batch.age_s == 0
    batch.add("traces", item(ledger, 0, b"12345"))
    now[0] = 103.0
    batch.add("feedback", item(ledger, 1, b"123"))
    assert (batch.rows, batch.bytes, batch.age_s) == (2, 8, 3.0)


def test_rows_of_a_partition_that_went_away_leave_the_batch() -> None:
    batch, ledger = Batch(), Ledger()
    batch.add("traces", item(ledger, 0, b"1", partition=0))
    batch.add("traces", item(ledger, 0, b"22", partition=1))
    batch.add("feedback", item(ledger, 1, b"333", partition=1))
    ledger.drop([("rag.scored", 1)])
    batch.forget_abandoned()
    assert (list(batch.tables), batch.rows, batch.bytes) == (["traces"], 1, 1)


@pytest.mark.parametrize(
    ("message", "table"),
    [
        (FakeMessage(b"{}"), "traces"),
        (FakeMessage(b"{}", table=b"traces"), "traces"),
        (FakeMessage(b"{}", table="feedback"), "feedback"),
        (FakeMessage(b"{}", table=b"schema_migrations"), None),
        (FakeMessage(b"{}", table=b"\xff"), None),
        (FakeMessage(b"{}", table=b""), None),
        (FakeMessage(b"{}", topic="rag.verdicts"), "verdicts"),
    ],
)
def test_a_message_finds_its_table(message: Any, table: str | None) -> None:
    assert Routes(KafkaSettings()).table(message) == (table, None)


def test_a_dead_letter_becomes_a_row_whatever_its_headers_say() -> None:
    letter = Letter(
        at=(0, 5),
        written_at=datetime(9999, 1, 1, tzinfo=UTC),
        reason="not_json",
        detail="\x00 🀄",
        topic="rag.traces",
        partition=2**40,
        offset=-(2**70),
        timestamp=None,
        by="worker",
        size=-1,
        cut=False,
        key=None,
        value=b"",
        headers=[],
    )
    row = orjson.loads(dead_letter_line(letter))
    assert (row["partition"], row["offset"], row["size"]) == (0, 0, 0)
    assert row["timestamp"] == "1970-01-01 00:00:00.000"
    assert row["died_at"] == "2299-01-01 00:00:00.000"


class FakeStore:
    """Fails as often as it is told to, then takes everything."""

    address = "fake://"
    database = "d"

    def __init__(self, *failures: Exception) -> None:
        self._failures = list(failures)
        self.batches = 0

    def insert_raw(self, table: str, lines: Any, token: str = "") -> int:
        list(lines)
        if self._failures:
            raise self._failures.pop(0)
        self.batches += 1
        return 1

    def query(self, sql: str, parameters: Any = None) -> list[dict[str, str]]:
        return []

    def answers(self) -> bool:
        return False


def inserter(store: FakeStore) -> tuple[Inserter, SinkMetrics, Health]:
    metrics, health = SinkMetrics(), Health()
    settings = SinkSettings(retry_first_s=0.001, retry_max_s=0.002)
    return Inserter(store, settings, metrics, health), metrics, health  # type: ignore[arg-type]


def one_row() -> Batch:
    batch = Batch()
    batch.add("traces", item(Ledger(), 0))
    return batch


def test_a_batch_is_tried_until_it_is_stored() -> None:
    store = FakeStore(SinkUnreachable("away"), SinkMisconfigured("no table"), SinkUnreachable("away"))
    work, metrics, health = inserter(store)
    assert work.insert(one_row(), threading.Event()) == []
    assert store.batches == 1
    assert metrics.insert_failures.labels("SinkUnreachable")._value.get() == 2
    assert health.ready()[0]


def test_a_batch_is_given_up_when_the_process_ends_and_is_not_called_stored() -> None:
    work, _, health = inserter(FakeStore(*[SinkUnreachable("away")] * 9))
    ended = threading.Event()
    ended.set()
    with pytest.raises(GivenUp):
        work.insert(one_row(), ended)
    assert not health.ready()[0]


def test_an_error_of_our_own_is_not_taken_for_the_stores() -> None:
    work, _, _ = inserter(FakeStore(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        work.insert(one_row(), threading.Event())
