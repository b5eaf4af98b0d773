"""Chinese names: a surname, and one or two characters of a given name, where a name may stand.

Chinese has no capitals and no blanks between words. What speaks for a name are the words around it (a role or
an introduction before, a title or a verb of saying behind) and characters that people like in names; against
it speaks a word that would be cut in two by it. Both are added up. Names from other languages have a dot in
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from judges.redaction.kinds import PERSON
from judges.redaction.spans import Item
from judges.redaction.surnames_zh import COMMON, COMPOUND, GIVEN, SELDOM, SURNAMES
from judges.redaction.vocabulary import chinese_words, words_with
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
    WITH_PEOPLE,
)

_SURNAME: Final = re.compile("[" + "".join(sorted(SURNAMES | {name[0] for name in COMPOUND})) + "]")
_FOREIGN: Final = re.compile(f"[{SOUNDS}]{{1,8}}(?:\u00b7[{SOUNDS}]{{1,10}}){{1,3}}")
_BETWEEN: Final = " \t:=\"'“”「」【】()[]<>为是叫"
"""What may stand between a role and a name."""
_MOST_BETWEEN: Final = 4
_FIELDS: Final = frozenset("姓名 户名 我叫 名叫 原告 被告 甲方 乙方 患者".split())
_ROLE_ENDS: Final = frozenset(word[-1] for word in BEFORE)
_SMALL: Final = "小老阿"
_BEFORE_ALONE: Final = frozenset(_SMALL + "姓")
_MAY_CUT: Final = _ROLE_ENDS | frozenset(_SMALL)

STRONG, TOLD, PEOPLE, EDGE, LINK, WHOLE, WORD, NONE = 3.0, 2.2, 1.9, 1.0, 1.0, 0.7, 0.4, -0.4
ENOUGH: Final = 2.4
_LONGER: Final = 1.2
"""By so much a shorter name must be better than a longer one: half a name left is a leak."""
ENOUGH_TITLED: Final = 2.0


class _Candidate(NamedTuple):
    start: int
    end: int
    score: float


def find_chinese(text: str) -> Iterator[Item]:
    """Every Chinese name, and names of others in Chinese characters."""
    if "\u00b7" in text:
        for foreign in _FOREIGN.finditer(text):
            yield Item(PERSON, *foreign.span())
    place, words = 0, chinese_words()
    while match := _SURNAME.search(text, place):
        start = match.start()
        place = start + 1
        cuts = start > 0 and text[start - 1 : place] in words and text[start - 1] not in _MAY_CUT
        title = start > 0 and text[start - 1 : place] in TITLES
        if title or (cuts and text[max(0, start - 2) : start] not in words):
            continue
        found = _best(text, start)
        if found is not None:
            yield Item(PERSON, found.start, found.end)
            place = found.end


def _best(text: str, start: int) -> _Candidate | None:
    surname = 2 if text[start : start + 2] in COMPOUND else 1
    if surname == 1 and text[start] not in SURNAMES:
        return None
    behind = text[start + surname : start + surname + 2]
    if not _is_han(behind[:1], 1) and text[max(0, start - 1) : start] not in _BEFORE_ALONE:
        return None
    left = _left(text, start)
    if left < STRONG and not GIVEN.intersection(behind) and not _titled(text, start, start + surname):
        return None
    titled = _titled(text, start, start + surname)
    best: _Candidate | None = None
    for given in (2, 1, 0):
        end = start + surname + given
        if (given and not _is_han(behind[:given], given)) or (
            given and titled and _is_title(text, start + surname)
        ):
            continue
        if given and titled and behind[0] in SHORT_TITLES:
            continue
        score, enough = _score(text, start, surname, end, left)
        if score >= enough and (best is None or score > best.score + _LONGER):
            best = _Candidate(start, end, score)
    return best


def _is_han(given: str, length: int) -> bool:
    return len(given) == length and min(given) >= "\u4e00" and max(given) <= "\u9fff"


def _score(text: str, start: int, surname: int, end: int, left: float) -> tuple[float, float]:
    words = chinese_words()
    given = text[start + surname : end]
    score = left + _commonness(text, start, surname)
    if not given:
        titled = _titled(text, start, end)
        return (score + titled if titled else -9.0), ENOUGH_TITLED
    score += _right(text, end)
    liking = sum(map(_liking, given))
    if len(given) == 2:
        score += liking
        score -= 3.0 * (text[start:end] in words) + 1.6 * (text[start : start + 2] in words and surname == 1)
        score -= 0.4 * (given in words and left < STRONG)
    else:
        score += liking - (0.3 if left == EDGE else 0.6) + 1.0 * (surname == 2)
        word = surname == 1 and text[start:end] in words
        score -= (1.0 if _is_field(text, start) and not _is_han(text[end : end + 1], 1) else 3.0) * word
    if text[end - 1 : end + 1] in words:
        score -= 2.0
    return score, ENOUGH


@cache
def _liking(character: str) -> float:
    """How much a character speaks for a given name: those that are in few words speak loudest."""
    words = words_with().get(character, 0)
    if character in GIVEN:
        return 1.3 if words < 20 else 1.0 if words < 70 else 0.8
    if character in LINKS_AFTER or character in LINKS_BEFORE:
        return -1.5
    return 0.2 if words < 15 else -0.2 if words < 60 else -0.8


def _commonness(text: str, start: int, surname: int) -> float:
    if surname == 2 or text[start] in COMMON:
        return 0.4
    return -1.4 if text[start] in SELDOM else -0.6


def _titled(text: str, start: int, end: int) -> float:
    """How well a surname alone stands before a title."""
    if _is_title(text, end):
        return 1.8
    if text[start] not in COMMON:
        return 0.0
    if text[end : end + 1] in SHORT_TITLES and text[start : end + 1] not in chinese_words():
        after = text[end + 1 : end + 2]
        cut = text[end : end + 2] in chinese_words()
        if not _is_han(after, 1) or after in AFTER_SHORT or (not cut and _is_edge_before(text, start)):
            return 1.4
    before = text[start - 1] if start else ""
    if before == "姓" or (before in _BEFORE_ALONE and _is_edge_before(text, start - 1)):
        return 1.4 if _right(text, end) > 0 and text[end - 1 : end + 1] not in chinese_words() else 0.0
    return 0.0


def _is_title(text: str, place: int) -> bool:
    return text[place : place + 2] in TITLES or text[place : place + 3] in TITLES


def _is_edge_before(text: str, start: int) -> bool:
    return start == 0 or not _is_han(text[start - 1], 1) or text[start - 1] in LINKS_BEFORE


def _is_told(text: str, start: int) -> bool:
    """Whether a role or an introduction ends before a place."""
    if _ends_in_role(text, start):
        return True
    end = start
    while end and start - end < _MOST_BETWEEN and text[end - 1] in _BETWEEN:
        end -= 1
    return end < start and _ends_in_role(text, end)


def _ends_in_role(text: str, end: int) -> bool:
    if not end or text[end - 1] not in _ROLE_ENDS:
        return False
    if text[end - 1] in "人员师" and end > 2 and _is_han(text[end - 3 : end], 3):
        return True  # whoever recommends, judges, mends, ...
    return any(text[end - length : end] in BEFORE for length in range(1, min(LONGEST_BEFORE, end) + 1))


def _is_field(text: str, start: int) -> bool:
    """Whether a name fills a field here: behind a colon, or who signs, pays, receives."""
    return start > 1 and (
        text[start - 1] in ':="' or text[start - 2 : start] in _FIELDS or text[start - 1] == "人"
    )


def _left(text: str, start: int) -> float:
    if start == 0:
        return EDGE
    words = chinese_words()
    before = text[start - 1]
    cuts = text[start - 1 : start + 1] in words or text[start - 1 : start + 1] in TITLES
    if _is_told(text, start):
        return 0.0 if cuts else STRONG
    if not _is_han(before, 1):
        return WORD if before.isalnum() else EDGE
    if before in _SMALL and _is_edge_before(text, start - 1):
        return LINK
    whole = text[max(0, start - 2) : start] in words
    if cuts:
        return -0.2 if whole else -2.5
    if before in WITH_PEOPLE:
        return PEOPLE
    if before in LINKS_BEFORE:
        return LINK
    return WHOLE if whole else NONE


def _right(text: str, end: int) -> float:
    if end >= len(text):
        return EDGE
    after = text[end]
    if _is_title(text, end) or text[end : end + 2] in SAYS or after in SAYS or after in "(:":
        return TOLD
    if not _is_han(after, 1):
        return EDGE
    if after in "男女" and not _is_han(text[end + 1 : end + 2], 1):
        return TOLD
    if after in LINKS_AFTER:
        return LINK
    return WORD if text[end : end + 2] in chinese_words() else NONE
