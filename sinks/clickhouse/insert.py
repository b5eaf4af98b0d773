"""Get rows into a table: all good ones, whatever stands among them.

A batch that is refused because of its content is halved until the culprit stands alone; the culprit
is returned, and everybody else lands. Before any row is blamed, a row of our own making must still be
readable: where it is not, the table has changed, and nothing is wrong with the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, Protocol, TypeVar

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
PIECE_BYTES: Final = 1024 * 1024


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
    good: list[R] = []
    for row in rows:
        if _is_object(row.line()):
            good.append(row)
        else:
            outcome.rejected.append((row, "not a JSON object"))
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


def _insert(client: ClickHouse, table: str, rows: list[R], outcome: Outcome[R]) -> None:
    sent = _Pieces(rows)
    try:
        client.insert_raw(table, sent, token(table, rows))
    except SinkRejected as error:
        if outcome.splits == 0 and not isinstance(error, SinkTooLarge):
            _require_readable(client, table, error)
        if len(rows) == 1:
            outcome.rejected.append((rows[0], str(error)))
            return
        outcome.splits += 1
        middle = len(rows) // 2
        _insert(client, table, rows[:middle], outcome)
        _insert(client, table, rows[middle:], outcome)
    else:
        outcome.inserted += len(rows)
        outcome.inserted_bytes += sent.bytes


class _Pieces:
    """The lines of many rows in pieces of about a megabyte, copied as they are sent."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self.bytes = 0

    def __iter__(self) -> Iterator[bytes]:
        lines: list[bytes] = []
        size = 0
        for row in self._rows:
            line = row.line()
            lines.append(line)
            size += len(line) + 1
            if size >= PIECE_BYTES:
                yield b"\n".join(lines) + b"\n"
                self.bytes += size
                lines, size = [], 0
        if lines:
            yield b"\n".join(lines)
            self.bytes += size


def _require_readable(client: ClickHouse, table: str, error: SinkRejected) -> None:
    if not client.reads(table, reference_line(table)):
        raise SinkMisconfigured(
            f"Table {table} at {client.address} (RAGPULSE_CLICKHOUSE__DSN) cannot read rows of this build: "
            f"its columns have changed. Compare it with the migrations. {error}",
            error.code,
        )


def _is_object(line: bytes) -> bool:
    return line[:1] == b"{" and line[-1:] == b"}"


def _slices(rows: list[R], size: int) -> Iterator[list[R]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


__all__ = ["Outcome", "Row", "insert_rows", "token"]
