"""What a source tells those whose work on one message needs messages before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from stream.kafka.ledger import Partition


class Memory(Protocol):
    """What work on one message needs of messages before it: told of each partition that comes and goes."""

    def begin(self, done_to: Mapping[Partition, int]) -> Mapping[Partition, int]:
        """Partitions that come, with their committed offsets. Returns those to be read from further back."""
        ...

    def end(self, partitions: Sequence[Partition]) -> None:
        """Partitions that went away, or whose log is another one now."""
        ...

    def committed(self, offsets: Mapping[Partition, int]) -> None:
        """The broker has these."""
        ...

    def close(self) -> None:
        """The group is left."""
        ...


__all__ = ["Memory"]
