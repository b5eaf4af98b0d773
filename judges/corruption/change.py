"""One change to one text: where, what stood there, what stands there now. Every change can be undone.

A corruption first lists *sites* (places, and what could stand there instead); `make_change` then picks
one of them, and holds back whatever would change nothing, or say what a context says anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from judges.corruption.protect import protected_spans
from judges.corruption.sentences import sentence_around
from judges.distilled.measuring.numbers import number_values
from judges.distilled.reading.claims import says_nothing

_NUMBER = re.compile(
    r"\d[\d,]*(?:\.\d+)?\s*(?:k|m|bn|b|thousand|million|billion|trillion|[十百千]?[万亿千百])?"
    r"|\d{1,2}:\d{2}(?:\s*[ap]m)?|[零〇一二两三四五六七八九十百千万亿点]+"
)


class Kind(StrEnum):
    """What a corruption does to a text."""

    NUMBER = "number"
    UNIT = "unit"
    DATE = "date"
    NEGATION = "negation"
    ENTITY = "entity"
    OPPOSITE = "opposite"
    ORDER = "order"
    CONDITION = "condition"
    INVENTION = "invention"
    QUANTIFIER = "quantifier"
    MIXING = "mixing"


@dataclass(frozen=True, slots=True)
class Change:
    """A text with one thing changed.

    `text[start:end]` is `after`, and stood as `before` in the text that it was made from: characters
    outside the span are untouched. The span is empty where something was left out.

    >>> change = Change("Open 5 days", 5, 6, Kind.NUMBER, "made", "3", "5")
    >>> change.undo()
    'Open 3 days'
    """

    text: str
    start: int
    end: int
    kind: Kind
    manner: str
    """How, within the kind: `made`, `borrowed` from a context, `negated`, `affirmed` …"""
    before: str
    after: str

    def undo(self) -> str:
        """The text as it was."""
        return self.text[: self.start] + self.before + self.text[self.end :]

    def touches(self, start: int, end: int) -> bool:
        """Whether characters `[start, end)` of the new text hold some of the change (or its seam)."""
        return (self.start < end and start < self.end) or (start <= self.start == self.end <= end)


@dataclass(frozen=True, slots=True)
class Site:
    """Characters `[start, end)` of a text, and what could stand there instead."""

    start: int
    end: int
    options: tuple[str, ...]
    manner: str = "made"


def make_change(
    text: str, kind: Kind, sites: Iterable[Site], random: Random, contexts: Sequence[str] = ()
) -> Change | None:
    """Use one option of one site, drawn at random among those that make the text say something else.

    Null where there is none. The same arguments and state of `random` give the same change.
    """
    found = list(sites)
    random.shuffle(found)
    shielded = protected_spans(text) if found else []
    for site in found:
        if _is_shielded(text, site, shielded):
            continue
        options = list(dict.fromkeys(site.options))
        random.shuffle(options)
        for option in options:
            change = _replace(text, site, option, kind)
            if change is not None and not _is_said(change, contexts):
                return change
    return None


def says_the_same(before: str, after: str) -> bool:
    """Whether two pieces of text are one in other spelling: case, spaces, thousands, 三十 and 30.

    >>> says_the_same("1,200", "1200"), says_the_same("三十", "30"), says_the_same("3", "4")
    (True, True, False)
    """
    left, right = _bare(before), _bare(after)
    if left == right:
        return True
    first, second = _value(before), _value(after)
    return first is not None and first == second


def _is_shielded(text: str, site: Site, shielded: Sequence[tuple[int, int]]) -> bool:
    if any((site.start < end and start < site.end) or start < site.start < end for start, end in shielded):
        return True
    if site.start == site.end:
        return False
    begin, end = sentence_around(text, site.start, site.end)
    return says_nothing(text[begin:end].rstrip("\"'”’）)」* \n"))


def _replace(text: str, site: Site, option: str, kind: Kind) -> Change | None:
    before = text[site.start : site.end]
    if says_the_same(before, option):
        return None
    new = text[: site.start] + option + text[site.end :]
    return Change(new, site.start, site.start + len(option), kind, site.manner, before, option)


def _is_said(change: Change, contexts: Sequence[str]) -> bool:
    """Whether a context holds the changed sentence word for word."""
    begin, end = sentence_around(change.text, change.start, change.end)
    sentence = _bare(change.text[begin:end])
    return len(sentence) > 3 and any(sentence in _bare(context) for context in contexts)


def _value(text: str) -> float | None:
    text = text.strip().lower()
    values = number_values(text) if _NUMBER.fullmatch(text) else ()
    return values[0] if values else None


def _bare(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum() or c in "-+.%$€£¥")
