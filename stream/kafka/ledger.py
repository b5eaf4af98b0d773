"""Which offsets may be committed: for each partition the contiguous prefix whose work is done.

One thread owns a ledger. A message is *opened* when it is received and *settled* once for its
processing and once for each output it gave rise to; when nothing is left, its offset is done. Offsets
may have gaps (compaction, transaction markers): order is that of arrival.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

Partition = tuple[str, int]
"""Topic and partition."""

_ABANDONED: Final = -(1 << 40)


class Slot:
    """One message in work: `left` counts what is still to be settled."""

    __slots__ = ("left", "offset", "partition")

    def __init__(self, partition: Partition, offset: int) -> None:
        self.partition = partition
        self.offset = offset
        self.left = 1

    @property
    def abandoned(self) -> bool:
        """Whether its partition was taken away: the next owner will do it again."""
        return self.left < 0


class Ledger:
    """All messages in work, by partition."""

    def __init__(self) -> None:
        self._slots: dict[Partition, deque[Slot]] = {}
        self._done: dict[Partition, int] = {}
        self._committed: dict[Partition, int] = {}
        self._last: dict[Partition, int] = {}
        self.in_flight = 0
        """Messages opened and not yet done."""

    def open(self, partition: Partition, offset: int) -> Slot:
        """Take a message into work. Raises ValueError when offsets of a partition do not rise."""
        if offset <= self._last.get(partition, -1):
            raise ValueError(f"offset {offset} of {partition} after {self._last[partition]}")
        slot = Slot(partition, offset)
        self._last[partition] = offset
        try:
            self._slots[partition].append(slot)
        except KeyError:
            self._slots[partition] = deque((slot,))
        self.in_flight += 1
        return slot

    def settle(self, slot: Slot) -> None:
        """One piece of work on a message is done: its processing, or one confirmed output."""
        slot.left -= 1
        if slot.left == 0:
            self.in_flight -= 1

    def committable(self) -> dict[Partition, int]:
        """For each partition that has moved, the offset from which to read next."""
        for partition, slots in self._slots.items():
            while slots and slots[0].left == 0:
                self._done[partition] = slots.popleft().offset + 1
        committed = self._committed
        return {at: offset for at, offset in self._done.items() if committed.get(at) != offset}

    def committed(self, offsets: dict[Partition, int]) -> None:
        """The broker has these; they need not be committed again."""
        self._committed.update({at: offset for at, offset in offsets.items() if at in self._last})

    def position(self, partition: Partition) -> int | None:
        """The offset after the done prefix, or null while nothing of the partition is done."""
        return self._done.get(partition)

    def next_offset(self, partition: Partition) -> int | None:
        """The offset after the last message received, or null while there was none."""
        last = self._last.get(partition)
        return None if last is None else last + 1

    def idle(self, partitions: Iterable[Partition]) -> bool:
        """Whether nothing of these partitions is in work."""
        return all(slot.left <= 0 for at in partitions for slot in self._slots.get(at, ()))

    def drop(self, partitions: Iterable[Partition]) -> int:
        """Forget partitions; what is still in work on them is abandoned. Returns how many messages."""
        abandoned = 0
        for partition in partitions:
            for slot in self._slots.pop(partition, ()):
                if slot.left > 0:
                    abandoned += 1
                    slot.left = _ABANDONED
            for memory in (self._done, self._committed, self._last):
                memory.pop(partition, None)
        self.in_flight -= abandoned
        return abandoned


__all__ = ["Ledger", "Partition", "Slot"]
