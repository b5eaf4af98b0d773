"""Chinese names: a surname, and one or two characters of a given name, where a name may stand.

Chinese has no capitals and no blanks between words. What speaks for a name are the words around it (a role or an
introduction before, a title or a verb of saying behind) and characters that people like in names; against it
speaks a word that would be cut in two by it. Both are added up. Names from other languages have a dot in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from judges.redaction.kinds import PERSON
from judges.redaction.spans import Item
from judges.redaction.surnames_zh import COMMON, COMPOUND, GIVEN, SURNAMES
from judges.redaction.vocabulary import chinese_words
from judges.redaction.words_zh import (
    AFTER_SHORT,
    BEFORE,
    LINKS_AFTER,
    LINKS_BEFORE,
    LONGEST_BEFORE,
    SAYS,
    SHORT_TITLES,
    SOUNDS,
    TITLES,
)

_SURNAME: Final = re.compile("[" + "".join(sorted(SURNAMES | {name[0] for name in COMPOUND})) + "]")
_FOREIGN: Final = re.compile(f"[{SOUNDS}]{{1,8}}(?:\u00b7[{SOUNDS}]{{1,10}}){{1,3}}")
_BETWEEN: Final = " \t:=\"'“”「」【】()[]<>为是叫"
"""What may stand between a role and a name."""
_MOST_BETWEEN: Final = 4

STRONG, TOLD, EDGE, LINK, WORD, NONE = 3.0, 2.2, 1.0, 1.0, 0.3, -1.0
ENOUGH: Final = 2.6
ENOUGH_TITLED: Final = 2.0


class _Candidate(NamedTuple):
    start: int
    end: int
    score: float


def find_chinese(text: str) -> Iterator[Item]:
    """Every Chinese name, and names of others in Chinese characters."""
    if "\u00b7" in text:
        for match in _FOREIGN.finditer(text):
            yield Item(PERSON, *match.span())
    place = 0
    while match := _SURNAME.search(text, place):
        place = match.start() + 1
        found = _best(text, match.start())
        if found is not None:
            yield Item(PERSON, found.start, found.end)
            place = found.end


def _best(text: str, start: int) -> _Candidate | None:
    surname = 2 if text[start : start + 2] in COMPOUND else 1
    if surname == 1 and text[start] not in SURNAMES:
        return None
    left = _left(text, start)
    best: _Candidate | None = None
    for given in (2, 1, 0):
        end = start + surname + given
        if not _is_han(text[start + surname : end], given):
            continue
        score, enough = _score(text, start, surname, end, left)
        if score >= enough and (best is None or score > best.score):
            best = _Candidate(start, end, score)
    return best


def _is_han(given: str, length: int) -> bool:
    return len(given) == length and all("\u4e00" <= character <= "\u9fff" for character in given)


def _score(text: str, start: int, surname: int, end: int, left: float) -> tuple[float, float]:
    words = chinese_words()
    given = text[start + surname : end]
    score = left + (0.4 if surname == 2 or text[start] in COMMON else -0.6)
    if not given:
        titled = _titled(text, start, end)
        return (score + titled if titled else -9.0), ENOUGH_TITLED
    score += _right(text, end)
    liked = sum(character in GIVEN for character in given)
    if len(given) == 2:
        score += (-1.6, 0.2, 1.8)[liked]
        score -= 3.0 * (text[start:end] in words) + 1.2 * (text[start : start + 2] in words and surname == 1)
        score -= 0.8 * (given in words and left < STRONG)
    else:
        score += (-1.2, 0.4)[liked] + 1.0 * (surname == 2)
        score -= 3.0 * (surname == 1 and text[start:end] in words)
    if text[end - 1 : end + 1] in words:
        score -= 2.0
    return score, ENOUGH


def _titled(text: str, start: int, end: int) -> float:
    """How well a surname alone stands before a title."""
    if _is_title(text, end):
        return 1.8
    if text[start] not in COMMON:
        return 0.0
    after = text[end + 1 : end + 2]
    if text[end : end + 1] in SHORT_TITLES and (not _is_han(after, 1) or after in AFTER_SHORT):
        return 1.4
    if start and text[start - 1] in "小老阿" and _is_edge_before(text, start - 1):
        return 1.4 if _right(text, end) > 0 and text[end - 1 : end + 1] not in chinese_words() else 0.0
    return 0.0


def _is_title(text: str, place: int) -> bool:
    return text[place : place + 2] in TITLES or text[place : place + 3] in TITLES


def _is_edge_before(text: str, start: int) -> bool:
    return start == 0 or not _is_han(text[start - 1], 1) or text[start - 1] in LINKS_BEFORE


def _is_told(text: str, start: int) -> bool:
    """Whether a role or an introduction ends before a place."""
    end = start
    while end and start - end < _MOST_BETWEEN and text[end - 1] in _BETWEEN:
        end -= 1
    words = text[max(0, end - LONGEST_BEFORE) : start]
    offset = start - end
    return any(
        words[-length - cut : len(words) - cut].lower() in BEFORE
        for cut in {0, offset}
        for length in range(1, LONGEST_BEFORE + 1)
        if length + cut <= len(words)
    )


def _left(text: str, start: int) -> float:
    if start == 0:
        return EDGE
    if _is_told(text, start):
        return STRONG
    before = text[start - 1]
    if not _is_han(before, 1):
        return EDGE
    if text[start - 1 : start + 1] in chinese_words():
        return -2.5
    if before in LINKS_BEFORE or (before in "小老阿" and _is_edge_before(text, start - 1)):
        return LINK
    return WORD if text[max(0, start - 2) : start] in chinese_words() else NONE


def _right(text: str, end: int) -> float:
    if end >= len(text):
        return EDGE
    after = text[end]
    if _is_title(text, end) or text[end : end + 2] in SAYS or after in SAYS or after in "(:":
        return TOLD
    if not _is_han(after, 1):
        return EDGE
    if after in LINKS_AFTER:
        return LINK
    return WORD if text[end : end + 2] in chinese_words() else NONE
