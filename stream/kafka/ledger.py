"""Which offsets may be committed: for each partition the contiguous prefix whose work is done.

One thread owns a ledger. A message is *opened* when it is received and *settled* once for its
processing and once for each output it gave rise to; when nothing is left, its offset is done. Offsets
may have gaps (compaction, transaction markers): order is that of arrival.

A message may *wait*: part of it is held until something else arrives. What is then made of several
messages stands on all of them (`gather`), and is settled like one message.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

Partition = tuple[str, int]
"""Topic and partition."""

_ABANDONED: Final = -(1 << 40)


class Slot:
    """One message in work: `left` counts what is still to be settled, and `held` how much of it waits."""

    __slots__ = ("held", "left", "offset", "partition")

    def __init__(self, partition: Partition, offset: int) -> None:
        self.partition = partition
        self.offset = offset
        self.left = 1
        self.held = 0

    @property
    def abandoned(self) -> bool:
        """Whether its partition was taken away: the next owner will do it again."""
        return self.left < 0


class Joint(Slot):
    """Work that stands on several messages: when it is done, each of them is settled once."""

    __slots__ = ("members",)

    def __init__(self, members: Sequence[Slot]) -> None:
        super().__init__(*(members[0].partition, members[0].offset) if members else (("", 0), 0))
        self.members = members


class Ledger:
    """All messages in work, by partition."""

    def __init__(self) -> None:
        self._slots: dict[Partition, deque[Slot]] = {}
        self._done: dict[Partition, int] = {}
        self._committed: dict[Partition, int] = {}
        self._last: dict[Partition, int] = {}
        self.in_flight = 0
        """Messages opened and not yet done."""
        self.waiting = 0
        """Those of them of which a part is held: nothing that we do can finish them now."""

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
            if isinstance(slot, Joint):
                for member in slot.members:
                    self.settle(member)
            else:
                self.in_flight -= 1

    def hold(self, slot: Slot) -> None:
        """A part of this message waits. Settled once more, by way of `gather`, when it no longer does."""
        slot.left += 1
        slot.held += 1
        if slot.held == 1:
            self.waiting += 1

    def gather(self, slots: Sequence[Slot]) -> Joint:
        """What waited of these messages is now in work: as one slot, whose processing is to be settled."""
        for slot in slots:
            if slot.held:
                slot.held -= 1
                if slot.held == 0:
                    self.waiting -= 1
        return Joint(slots)

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
        """Whether nothing of these partitions is in work; what only waits is not."""
        return all(slot.left <= slot.held for at in partitions for slot in self._slots.get(at, ()))

    def drop(self, partitions: Iterable[Partition]) -> int:
        """Forget partitions; what is still in work on them is abandoned. Returns how many messages."""
        abandoned = 0
        for partition in partitions:
            for slot in self._slots.pop(partition, ()):
                if slot.left > 0:
                    abandoned += 1
                    slot.left = _ABANDONED
                    if slot.held:
                        slot.held = 0
                        self.waiting -= 1
            for memory in (self._done, self._committed, self._last):
                memory.pop(partition, None)
        self.in_flight -= abandoned
        return abandoned


__all__ = ["Joint", "Ledger", "Partition", "Slot"]
