"""Finding the bad rows of a batch, on a store that is only pretended."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest

from sinks.clickhouse.columns import ColumnWatch
from sinks.clickhouse.insert import insert_rows, token
from sinks.clickhouse.reference import reference_line
from sinks.errors import SinkMisconfigured, SinkOverloaded, SinkRejected, SinkTooLarge


@dataclass(frozen=True)
class FakeRow:
    offset: int
    text: bytes
    topic: str = "rag.scored"
    partition: int = 0
    timestamp_ms: int = 1

    def line(self) -> bytes:
        return self.text


@dataclass
class FakeStore:
    """Takes lines unless one is bad or they are too many; knows tokens as ClickHouse does."""

    most: int = 1_000_000
    readable: bool = True
    down_after: int = 1_000_000
    stored: list[bytes] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    address: str = "fake://"
    inserts: int = 0

    def insert_raw(self, table: str, lines: Iterable[bytes], token: str = "") -> int:
        self.inserts += 1
        rows = b"".join(lines).splitlines()
        if self.inserts > self.down_after:
            raise SinkOverloaded("busy", 252)
        if len(rows) > self.most:
            raise SinkTooLarge("413")
        if any(b"bad" in row for row in rows):
            raise SinkRejected("cannot parse", 27)
        if token not in self.tokens:
            self.tokens.append(token)
            self.stored += rows
        return len(rows)

    def reads(self, table: str, line: bytes) -> bool:
        return self.readable


def rows(count: int, bad: Iterable[int] = ()) -> list[FakeRow]:
    culprits = set(bad)
    return [FakeRow(n, b'{"bad":%d}' % n if n in culprits else b'{"n":%d}' % n) for n in range(count)]


def insert(store: FakeStore, batch: list[FakeRow], at_most: int | None = None) -> Any:
    return insert_rows(store, "traces", batch, at_most)  # type: ignore[arg-type]


def test_a_good_batch_is_one_insert() -> None:
    store = FakeStore()
    outcome = insert(store, rows(1000))
    assert (store.inserts, outcome.inserted, outcome.splits, outcome.rejected) == (1, 1000, 0, [])
    assert len(store.stored) == 1000


@pytest.mark.parametrize("seed", range(20))
def test_exactly_the_bad_rows_are_returned_wherever_they_stand(seed: int) -> None:
    chance = random.Random(seed)
    count = chance.randrange(1, 200)
    bad = sorted(chance.sample(range(count), chance.randrange(0, min(count, 9))))
    store = FakeStore()
    outcome = insert(store, rows(count, bad))
    assert sorted(row.offset for row, _ in outcome.rejected) == bad
    assert len(store.stored) == count - len(bad) == outcome.inserted


def test_one_bad_row_among_many_costs_few_inserts() -> None:
    store = FakeStore()
    insert(store, rows(4096, [1000]))
    assert store.inserts <= 2 * 13


def test_what_is_no_object_never_reaches_the_store() -> None:
    batch = [*rows(2), FakeRow(2, b""), FakeRow(3, b'{"trace_id":"x"'), FakeRow(4, b"[1]")]
    store = FakeStore()
    outcome = insert(store, batch)
    assert [row.offset for row, _ in outcome.rejected] == [2, 3, 4]
    assert store.inserts == 1


def test_too_much_at_once_is_halved_until_it_fits() -> None:
    store = FakeStore(most=30)
    outcome = insert(store, rows(100))
    assert (outcome.inserted, outcome.rejected) == (100, [])


def test_a_limit_is_kept() -> None:
    store = FakeStore(most=30)
    assert insert(store, rows(100), at_most=30).splits == 0
    assert store.inserts == 4


def test_no_row_is_blamed_where_even_ours_cannot_be_read() -> None:
    store = FakeStore(readable=False)
    with pytest.raises(SinkMisconfigured, match="columns have changed"):
        insert(store, rows(100, range(100)))
    assert store.inserts == 1


def test_after_an_interruption_the_same_call_stores_nothing_twice() -> None:
    store = FakeStore(down_after=6)
    batch = rows(64, [10])
    with pytest.raises(SinkOverloaded):
        insert(store, batch)
    store.down_after = 1_000_000
    outcome = insert(store, batch)
    assert len(store.stored) == len(set(store.stored)) == 63
    assert [row.offset for row, _ in outcome.rejected] == [10]


def test_the_same_rows_give_the_same_token_and_others_do_not() -> None:
    batch = rows(10)
    shuffled_partitions = [*batch, FakeRow(5, b"{}", partition=1)]
    assert token("traces", batch) == token("traces", rows(10))
    others = [
        batch[1:],
        batch[:-1],
        [batch[0], batch[-1]],
        shuffled_partitions,
        [FakeRow(n, b"{}", topic="other") for n in range(10)],
        [FakeRow(n, b"{}", timestamp_ms=2) for n in range(10)],
    ]
    tokens = {token("traces", some) for some in others} | {token("feedback", batch), token("traces", batch)}
    assert len(tokens) == len(others) + 2


def test_a_topic_created_anew_is_not_taken_for_the_old_one() -> None:
    before = [FakeRow(0, b"{}", timestamp_ms=1_000)]
    after = [FakeRow(0, b"{}", timestamp_ms=2_000)]
    assert token("traces", before) != token("traces", after)


@pytest.mark.parametrize("table", ["traces", "feedback"])
def test_the_reference_row_has_something_in_every_column(table: str) -> None:
    row = orjson.loads(reference_line(table))
    assert [name for name, value in row.items() if value in (None, "", [])] == []


class FakeColumns:
    database = "d"

    def __init__(self) -> None:
        self.names = ["a", "b"]
        self.asked = 0

    def query(self, sql: str, parameters: object) -> list[dict[str, str]]:
        self.asked += 1
        return [{"name": name} for name in self.names]


def test_an_unknown_column_is_named_until_a_migration_brings_it() -> None:
    store = FakeColumns()
    watch = ColumnWatch(store)  # type: ignore[arg-type]
    assert watch.left_out("traces", b'{"a":1,"b":2}') == []
    assert watch.left_out("traces", b'{"a":1,"new":2}') == ["new"]
    assert watch.news("traces", ["new"]) == ["new"]
    assert watch.news("traces", ["new"]) == []
    store.names.append("new")
    assert watch.left_out("traces", b'{"a":1,"new":2}') == []
    asked = store.asked
    assert watch.left_out("traces", b'{"a":1,"new":2}') == []
    assert store.asked == asked


def test_what_is_no_object_has_no_unknown_columns() -> None:
    watch = ColumnWatch(FakeColumns())  # type: ignore[arg-type]
    assert watch.left_out("traces", b"nonsense") == watch.left_out("traces", b"[1]") == []
