"""One text, or several that belong together, without what would tell who somebody is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from judges.redaction.accounts import find_accounts
from judges.redaction.addresses import find_addresses
from judges.redaction.emails import find_emails
from judges.redaction.fold import Folded, fold
from judges.redaction.ids import find_ids
from judges.redaction.keys import find_ips, find_keys
from judges.redaction.kinds import MARK, is_chinese, mark
from judges.redaction.people import find_people
from judges.redaction.phones import find_phones
from judges.redaction.spans import Item, merge

_DIGIT = re.compile(r"\d")
_SPACING = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Redacted:
    """`text` with marks in it, and where in the text as it was (which is not kept) they stand for something."""

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
    """Texts that belong together: the same value gets the same mark in all of them, and no value is kept longer."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[str, int]] = {}
        self.counts: Counter[str] = Counter()

    def redact(self, text: str) -> Redacted:
        """The text with marks for everything that was found in it."""
        items = find(text)
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

    def _mark(self, item: Item, text: str) -> str:
        value = _SPACING.sub("", text[item.start : item.end]).casefold()
        numbers = self._numbers.setdefault(item.kind, {})
        number = numbers.setdefault(value, len(numbers) + 1)
        return mark(item.kind, number, chinese=is_chinese(text, item.start, item.end))


def redact(text: str) -> Redacted:
    """A text that belongs to no other. Takes time in proportion to its length, whatever it holds."""
    return Redactor().redact(text)


def find(text: str) -> list[Item]:
    """What is to be taken out of a text: in order, without overlaps, marks of an earlier run left alone."""
    folded = fold(text)
    found = [Item(item.kind, *folded.back(item.start, item.end)) for item in _find(folded)]
    items = merge(found)
    marks = [match.span() for match in MARK.finditer(text)] if "[" in text else []
    return [item for item in items if not _touches(item, marks)] if marks else items


def _touches(item: Item, marks: list[tuple[int, int]]) -> bool:
    """Whether a find lies within a mark."""
    place = bisect_right(marks, (item.start, 1 << 62)) - 1
    return place >= 0 and item.end <= marks[place][1]


def _find(folded: Folded) -> Iterator[Item]:
    yield from find_keys(folded)
    yield from find_emails(folded)
    yield from find_accounts(folded)
    if _DIGIT.search(folded.text):
        yield from find_ids(folded)
        yield from find_ips(folded)
    yield from find_phones(folded)
    yield from find_addresses(folded)
    yield from find_people(folded)
