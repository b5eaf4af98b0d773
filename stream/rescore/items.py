"""What is rescored: traces of a period, wherever they are read from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Protocol

from schemas.trace import Trace
from stream.period import CONDITION, Period, stamp

EXPIRED: Final = "expired"
"""The texts were kept for a shorter time than the row."""
CUT: Final = "cut"
"""The texts did not fit a message, and were left out of the row."""
UNREADABLE: Final = "unreadable"
"""The row, or the message, holds no trace."""


@dataclass(slots=True, frozen=True)
class Item:
    """One trace to be rescored, and the broker's time of its message."""

    trace: Trace
    received_at: datetime


@dataclass(slots=True)
class Account:
    """What became of the traces of a period."""

    traces: int = 0
    """That were found to begin with."""
    already: int = 0
    """Rescored by an earlier run."""
    rescored: int = 0
    failed: int = 0
    """On which the scorer failed."""
    left_out: Counter[str] = field(default_factory=Counter)
    """That cannot be rescored any more, by reason."""
    interrupted: bool = False

    @property
    def done(self) -> int:
        """Traces that need no more work."""
        return self.already + self.rescored + self.failed + self.left_out.total()


class Source(Protocol):
    """Where traces are read from. It notes in the account what it finds and what it leaves out."""

    def batches(self, account: Account) -> Iterator[list[Item]]:
        """Traces that are still to be rescored, a bounded number at a time."""
        ...


def in_utc(moment: datetime) -> datetime:
    """A time of the store, which keeps all in UTC and does not say so."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


__all__ = [
    "CONDITION",
    "CUT",
    "EXPIRED",
    "UNREADABLE",
    "Account",
    "Item",
    "Period",
    "Source",
    "in_utc",
    "stamp",
]
