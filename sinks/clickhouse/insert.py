"""Get rows into a table: all good ones, whatever stands among them.

A batch that is refused because of its content is halved until the culprit stands alone; the culprit
is returned, and everybody else lands. Before any row is blamed, a row of our own making must still be
readable: where it is not, the table has changed, and nothing is wrong with the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.reference import reference_line
from sinks.errors import SinkMisconfigured, SinkRejected, SinkTooLarge


class Row(Protocol):
    """One row as it lies on a topic."""

    @property
    def topic(self) -> str: ...
    @property
    def partition(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def timestamp_ms(self) -> int: ...
    def line(self) -> bytes:
        """Its JSON, on one line or several; empty where there is none."""
        ...


R = TypeVar("R", bound=Row)


@dataclass(slots=True)
class Outcome(Generic[R]):
    """What became of a batch."""

    inserted: int = 0
    inserted_bytes: int = 0
    splits: int = 0
    rejected: list[tuple[R, str]] = field(default_factory=list)
    """Rows that cannot be stored, each with what the store said."""


def insert_rows(client: ClickHouse, table: str, rows: Sequence[R], at_most: int | None = None) -> Outcome[R]:
    """Insert rows, at most so many at once. Raises SinkError where no row is to blame.

    After an error the same call may be made again: what was already stored is recognised by its token,
    or else by its key.
    """
    outcome: Outcome[R] = Outcome()
    pairs = [(row, row.line()) for row in rows]
    outcome.rejected += [(row, "not a JSON object") for row, line in pairs if not _is_object(line)]
    good = [pair for pair in pairs if _is_object(pair[1])]
    for some in _slices(good, at_most or len(good)):
        _insert(client, table, some, outcome)
    return outcome


def token(table: str, rows: Sequence[Row]) -> str:
    """Names an insert by what it holds: the same rows give the same token, and no others do.

    Offsets alone would not do: a topic that is created anew begins again at zero. Its time stamps do not.
    """
    spans: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        spans.setdefault((row.topic, row.partition), []).append(row)
    parts = [
        f"{topic}:{partition}:{some[0].offset}-{some[-1].offset}:{len(some)}"
        f"@{some[0].timestamp_ms}-{some[-1].timestamp_ms}"
        for (topic, partition), some in sorted(spans.items())
    ]
    return f"{table}|{','.join(parts)}"


def _insert(client: ClickHouse, table: str, pairs: list[tuple[R, bytes]], outcome: Outcome[R]) -> None:
    lines = b"\n".join(line for _, line in pairs)
    try:
        client.insert_raw(table, lines, token(table, [row for row, _ in pairs]))
    except SinkRejected as error:
        if outcome.splits == 0 and not isinstance(error, SinkTooLarge):
            _require_readable(client, table, error)
        if len(pairs) == 1:
            outcome.rejected.append((pairs[0][0], str(error)))
            return
        outcome.splits += 1
        middle = len(pairs) // 2
        _insert(client, table, pairs[:middle], outcome)
        _insert(client, table, pairs[middle:], outcome)
    else:
        outcome.inserted += len(pairs)
        outcome.inserted_bytes += len(lines)


def _require_readable(client: ClickHouse, table: str, error: SinkRejected) -> None:
    if not client.reads(table, reference_line(table)):
        raise SinkMisconfigured(
            f"Table {table} at {client.address} (RAGPULSE_CLICKHOUSE__DSN) cannot read rows of this build: "
            f"its columns have changed. Compare it with the migrations. {error}",
            error.code,
        )


def _is_object(line: bytes) -> bool:
    return line[:1] == b"{" and line[-1:] == b"}"


def _slices(items: list[tuple[R, bytes]], size: int) -> Iterator[list[tuple[R, bytes]]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


__all__ = ["Outcome", "Row", "insert_rows", "token"]
