"""One text, or several that belong together, without what would tell who somebody is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from judges.redaction.finders import find
from judges.redaction.fold import Folded, fold
from judges.redaction.kinds import MARK, is_chinese, mark
from judges.redaction.known import Known
from judges.redaction.spans import Item, merge

_MOST_REMEMBERED: Final = 512
"""Texts."""
_SPACING: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Redacted:
    """`text` with marks in it, and where in the text as it was (which is not kept) they stand."""

    text: str
    items: tuple[Item, ...] = ()
    marks: tuple[int, ...] = field(default=(), repr=False)
    """How long the mark of each item is."""

    def shift(self, offset: int, *, end: bool = False) -> int:
        """Where an offset of the text as it was lies now.

        Inside of what was taken out there is only one place: the begin of its mark, or its end with `end`.
        """
        moved = 0
        for item, length in zip(self.items, self.marks, strict=True):
            if offset <= item.start:
                break
            if offset < item.end:
                return item.start + moved + (length if end else 0)
            moved += length - (item.end - item.start)
        return offset + moved


class Redactor:
    """Texts that belong together.

    The same value gets the same mark in all of them, and what was recognised in one of them (a name behind
    `my name is`, a number behind `phone`) is taken out of the others too. Forget the redactor with the texts:
    it holds what was taken out.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, dict[str, int]] = {}
        self._known = Known()
        self._looked_at: dict[str, tuple[Folded, list[Item]]] = {}
        self.counts: Counter[str] = Counter()
        """What was taken out, by kind."""

    def learn(self, text: str) -> None:
        """Remember what is in a text, for texts that are redacted before it comes to that one."""
        self._look_at(text)

    def redact(self, text: str) -> Redacted:
        """The text with marks for everything that was found in it."""
        items = self._find(text)
        if not items:
            return Redacted(text)
        parts: list[str] = []
        marks: list[int] = []
        place = 0
        for item in items:
            left = self._mark(item, text)
            parts += (text[place : item.start], left)
            marks.append(len(left))
            place = item.end
            self.counts[item.kind] += 1
        parts.append(text[place:])
        return Redacted("".join(parts), tuple(items), tuple(marks))

    def _find(self, text: str) -> list[Item]:
        """What is to be taken out: in order, without overlaps, marks of an earlier run left alone."""
        folded, recognised = self._look_at(text)
        found = [*recognised, *self._known.occurrences(folded)]
        if not found:
            return []
        marks = [match.span() for match in MARK.finditer(text)] if "[" in text else []
        return [item for item in merge(_back(folded, item) for item in found) if not _is_marked(item, marks)]

    def _look_at(self, text: str) -> tuple[Folded, list[Item]]:
        """What is recognised in a text, which is then known; what was learned is not looked at again."""
        seen = self._looked_at.get(text)
        if seen is None:
            folded = fold(text)
            seen = folded, list(find(folded))
            for item in seen[1]:
                self._known.add(folded, item)
            if len(self._looked_at) < _MOST_REMEMBERED:
                self._looked_at[text] = seen
        return seen

    def _mark(self, item: Item, text: str) -> str:
        value = self._known.name_of(fold(text[item.start : item.end]).text)
        numbers = self._numbers.setdefault(item.kind, {})
        number = numbers.setdefault(_SPACING.sub("", value).casefold(), len(numbers) + 1)
        return mark(item.kind, number, chinese=is_chinese(text, item.start, item.end))


def redact(text: str) -> Redacted:
    """A text that belongs to no other. Takes time in proportion to its length, whatever it holds."""
    return Redactor().redact(text)


def _back(folded: Folded, item: Item) -> Item:
    return Item(item.kind, *folded.back(item.start, item.end))


def _is_marked(item: Item, marks: list[tuple[int, int]]) -> bool:
    """Whether a find lies within a mark."""
    place = bisect_right(marks, (item.start, 1 << 62)) - 1
    return place >= 0 and item.end <= marks[place][1]
