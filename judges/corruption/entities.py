"""Names in Chinese and English text, found by how they are written, each with its kind.

No model and no segmenter: capitals, codes, quotes, suffixes (公司, 大学 …), surnames before a title,
and the closed groups of `data/groups.txt`. What is found is mostly a name; not every name is found.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from judges.corruption.bank import read_bank, read_groups
from judges.corruption.names_en import find_names
from judges.corruption.names_zh import find_chinese_names


@dataclass(frozen=True, slots=True)
class Entity:
    """Characters `[start, end)` that name something of a kind."""

    start: int
    end: int
    kind: str
    text: str


_LEFT, _RIGHT = r"(?<![A-Za-z0-9_-])", r"(?![A-Za-z0-9_-])"
_CODE = re.compile(rf"{_LEFT}[A-Z][A-Za-z]{{0,7}}-?\d[A-Za-z0-9]{{0,7}}(?:-[A-Z0-9]{{1,6}})?{_RIGHT}")
_ACRONYM = re.compile(rf"{_LEFT}[A-Z]{{2,6}}{_RIGHT}")
_SHOUTED = re.compile(r"[A-Z]{2} [A-Z]++$")
_NO_ACRONYM = frozenset(
    "AM PM BC AD BCE CE OK NO OR AND NOT USD EUR CNY GB MB TB KB II III IV VI VII".split()
)


def find_entities(text: str, known: Collection[str] = ()) -> list[Entity]:
    """The names in `text`, in order; where several overlap, the one that begins first, then the longest.

    A capitalised word that opens a sentence is a name only where it is one elsewhere, or in `known`.

    >>> [(e.text, e.kind) for e in find_entities("The RK3588 was shown by Maria Weber in Paris.")]
    [('RK3588', 'code'), ('Maria Weber', 'person'), ('Paris', 'city-en')]
    >>> [(e.text, e.kind) for e in find_entities("他毕业于浙江大学，写过《远山》。")]
    [('浙江大学', 'school'), ('远山', 'title')]
    """
    return list(_find_apart(text, frozenset(known)))


@lru_cache(maxsize=2_048)
def _find_apart(text: str, known: frozenset[str]) -> tuple[Entity, ...]:
    """Remembered, because the same contexts are read for every kind of corruption."""
    found = sorted(_find_all(text, known), key=lambda e: (e.start, -e.end, "-" not in e.kind, e.kind))
    kept: list[Entity] = []
    for entity in found:
        if not kept or entity.start >= kept[-1].end:
            kept.append(entity)
    return tuple(kept)


def group_of(entity: Entity) -> tuple[str, ...]:
    """All members of the closed group that an entity belongs to; empty for names of open kinds."""
    name, _, language = entity.kind.rpartition("-")
    return read_groups(language).get(name, ()) if language in read_bank("groups") else ()


def _find_all(text: str, known: Collection[str]) -> Iterator[Entity]:
    for match in _CODE.finditer(text):
        yield Entity(*match.span(), "code", match[0])
    for match in _ACRONYM.finditer(text):
        if match[0] not in _NO_ACRONYM and not _SHOUTED.search(text[: match.start()][-8:] + match[0]):
            yield Entity(*match.span(), "acronym", match[0])
    for start, end, kind in (*find_names(text, known), *find_chinese_names(text)):
        yield Entity(start, end, kind, text[start:end])
    for language in ("en", "zh"):
        for kind, pattern in _group_patterns(language):
            for match in pattern.finditer(text):
                yield Entity(*match.span(), kind, match[0])


@cache
def _group_patterns(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    patterns = []
    for name, words in read_groups(language).items():
        listed = "|".join(re.escape(w) for w in sorted(words, key=len, reverse=True))
        edged = rf"{_LEFT}(?:{listed}){_RIGHT}" if language == "en" else rf"(?:{listed})"
        patterns.append((f"{name}-{language}", re.compile(edged)))
    return tuple(patterns)
