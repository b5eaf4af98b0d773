"""Stretches of a text, and how several that overlap become one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from judges.redaction.kinds import RANK


@dataclass(frozen=True, slots=True)
class Item:
    """Something to take out: characters `start` to `end` (exclusive) of the text as it was."""

    kind: str
    start: int
    end: int


def merge(items: Iterable[Item]) -> list[Item]:
    """The same stretches without overlaps, in order: what overlaps is taken out as a whole."""
    merged: list[Item] = []
    for item in sorted(items, key=lambda i: (i.start, -i.end)):
        if merged and item.start < merged[-1].end:
            last = merged.pop()
            kind = min(last.kind, item.kind, key=RANK.__getitem__)
            item = Item(kind, last.start, max(last.end, item.end))
        merged.append(item)
    return merged
