"""What the sink has in hand: messages by the table they belong to, bounded in rows and in bytes."""

from __future__ import annotations

import time
from collections.abc import Callable

from stream.kafka.config import Message
from stream.kafka.ledger import Slot


class Item:
    """One row on its way: the message that brought it, and its place in the ledger.

    The message keeps its bytes; `line` gives a copy when it is asked for, and not before.
    """

    __slots__ = ("_made", "message", "slot")

    def __init__(self, message: Message, slot: Slot, made: bytes | None = None) -> None:
        self.message = message
        self.slot = slot
        self._made = made

    @property
    def topic(self) -> str:
        return self.slot.partition[0]

    @property
    def partition(self) -> int:
        return self.slot.partition[1]

    @property
    def offset(self) -> int:
        return self.slot.offset

    @property
    def timestamp_ms(self) -> int:
        """The broker's time of the message."""
        return int(self.message.timestamp()[1])

    @property
    def size(self) -> int:
        """Bytes that it holds in memory."""
        return len(self.message) + len(self._made or b"")

    def line(self) -> bytes:
        """The row as JSON: the message as it is, unless we made a row of it."""
        return self.message.value() or b"" if self._made is None else self._made


class Batch:
    """Rows that go into ClickHouse together, one insert a table."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.tables: dict[str, list[Item]] = {}
        self.rows = 0
        self.bytes = 0
        self._clock = clock
        self._since: float | None = None

    def add(self, table: str, item: Item) -> None:
        """Take a row in."""
        self.tables.setdefault(table, []).append(item)
        self.rows += 1
        self.bytes += item.size
        if self._since is None:
            self._since = self._clock()

    @property
    def age_s(self) -> float:
        """Seconds since its first row; 0 without any."""
        return 0.0 if self._since is None else self._clock() - self._since

    def forget_abandoned(self) -> None:
        """Let go of rows whose partition was taken away: the next owner stores them."""
        for table, items in list(self.tables.items()):
            kept = [item for item in items if not item.slot.abandoned]
            if kept:
                self.tables[table] = kept
            else:
                del self.tables[table]
        self.rows = sum(map(len, self.tables.values()))
        self.bytes = sum(item.size for items in self.tables.values() for item in items)


__all__ = ["Batch", "Item"]
