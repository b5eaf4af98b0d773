"""Turn a comparison or a property round: more than → less than, 以上 → 以下, before → after, 增加 → 减少.

Nothing is turned where the same sentence holds the opposite as well: "from the minimum to the maximum".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from judges.corruption.bank import read_bank
from judges.corruption.change import Change, Kind, Site, make_change
from judges.corruption.opposites_en import PATTERNS_EN
from judges.corruption.sentences import sentence_around


def flip_opposite(text: str, random: Random, contexts: Sequence[str] = ()) -> Change | None:
    """Put the opposite of one word of `text` in its place; null where it has no such word.

    >>> flip_opposite("Files over 5 MB are rejected.", Random(2)).text
    'Files over 5 MB are approved.'
    >>> flip_opposite("满100元以上免运费。", Random(2)).text
    '满100元以下免运费。'
    """
    return make_change(text, Kind.OPPOSITE, find_opposites(text), random, contexts)


def find_opposites(text: str) -> Iterator[Site]:
    """Words of a text that have an opposite, each with it."""
    for pattern, other, shy_of in (*_ENGLISH, *_CHINESE, *PATTERNS_EN):
        for match in pattern.finditer(text):
            begin, end = sentence_around(text, *match.span())
            around = text[begin : match.start()] + " " + text[match.end() : end]
            if not shy_of.search(around):
                yield Site(*match.span(), (_as_written(match[0], other),), "opposite")


def _as_written(before: str, after: str) -> str:
    return after[0].upper() + after[1:] if before[0].isupper() else after


Rule = tuple[re.Pattern[str], str, re.Pattern[str]]


def _read_pairs(language: str) -> Iterator[tuple[str, str]]:
    for line in read_bank("opposites")[language]:
        left, _, right = line.partition(" / ")
        yield left, right


def _rules_en() -> Iterator[Rule]:
    for left, right in _read_pairs("en"):
        for word, other in ((left, right), (right, left)):
            pattern = re.compile(rf"(?<![\w'-])(?<!more )(?<!most )(?<!less ){word}(?![\w'-])", re.IGNORECASE)
            yield pattern, other, re.compile(rf"\b{other}\b", re.IGNORECASE)


def _rules_zh() -> Iterator[Rule]:
    for left, right in _read_pairs("zh"):
        for word, other in ((left, right), (right, left)):
            before, core, behind = _read_guards(word)
            bare = _read_guards(other)[1]
            guard = (rf"(?<![{before}])" if before else "") + core + (rf"(?!{behind})" if behind else "")
            yield re.compile(guard), bare, re.compile(bare)


def _read_guards(entry: str) -> tuple[str, str, str]:
    """`a<word>b`: none of the characters `a` before, no match of `b` behind."""
    match = re.fullmatch(r"(?:(.*)<)?([^<>]+)(?:>(.*))?", entry)
    if match is None:
        raise ValueError(f"an entry is written `before<word>behind`, not {entry!r}")
    return match[1] or "", match[2], match[3] or ""


_ENGLISH = tuple(_rules_en())
_CHINESE = tuple(_rules_zh())
