"""After a restart or a rebalance: how far before the committed offsets to read, so that no trace is half.

A trace may have begun before the first message that waits, and go on behind it. Beside the offset up to
which everything is done, the worker therefore puts down from where the traces that go on began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from stream import logs
from stream.kafka.bookmarks import Bookmarks
from stream.kafka.ledger import Partition
from stream.worker.assembling import Assembly

GROUP: Final = "worker-rewind"


class Rewinder:
    """Keeps bookmarks for the lanes of an assembly (`stream.kafka.memory.Memory`)."""

    def __init__(self, assembly: Assembly, bookmarks: Bookmarks) -> None:
        self._assembly = assembly
        self._bookmarks = bookmarks
        assembly.on_first_spans = self.first_spans

    def begin(self, done_to: Mapping[Partition, int]) -> dict[Partition, int]:
        """Partitions that come: which of them are to be read from before their committed offset."""
        known = self._bookmarks.find(done_to)
        back = {at: offset for at, offset in known.items() if offset < done_to[at]}
        self._assembly.begin({at: done_to[at] for at in back})
        if back:
            facts = {f"{topic}/{number}": offset for (topic, number), offset in back.items()}
            logs.get().info("reading again what open traces began with", starts=facts)
        return back

    def end(self, partitions: Sequence[Partition]) -> None:
        """Partitions that went away."""
        self._assembly.end(partitions)
        self._bookmarks.forget(partitions)

    def committed(self, offsets: Mapping[Partition, int]) -> None:
        """Put down where to read from, for those of these partitions that hold spans."""
        self._bookmarks.put(self._assembly.resume_from(offsets))

    def close(self) -> None:
        """Nothing is put down any more."""
        self._bookmarks.close()

    def first_spans(self, at: Partition, offset: int) -> None:
        """A partition shows its first spans: nothing before them will be needed."""
        self._bookmarks.put({at: offset})


__all__ = ["GROUP", "Rewinder"]
