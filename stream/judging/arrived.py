"""A message of `rag.judge` in hand: what a dead letter needs of it, whichever client it came with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(slots=True, frozen=True)
class Arrived:
    """One message, with the accessors of confluent_kafka's, as `stream.dead.letters` reads them."""

    where: tuple[str, int]
    """Topic and partition."""
    at: int
    """Its offset."""
    time_ms: int
    """The broker's time."""
    name: bytes | None
    """Its key."""
    body: bytes
    pairs: Sequence[tuple[str, bytes | None]] = ()
    """Its headers."""

    @property
    def moment(self) -> datetime:
        """The broker's time."""
        return datetime.fromtimestamp(max(0, self.time_ms) / 1000, UTC)

    def topic(self) -> str:
        """The topic."""
        return self.where[0]

    def partition(self) -> int:
        """The number of the partition."""
        return self.where[1]

    def offset(self) -> int:
        """The offset."""
        return self.at

    def timestamp(self) -> tuple[int, int]:
        """Kind and milliseconds."""
        return 1, self.time_ms

    def key(self) -> bytes | None:
        """The key."""
        return self.name

    def value(self) -> bytes:
        """The bytes as they came."""
        return self.body

    def headers(self) -> Sequence[tuple[str, bytes | None]]:
        """The headers as they came."""
        return self.pairs


__all__ = ["Arrived"]
