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
from judges.redaction.surnames_zh import COMMON, COMPOUND, FUNCTIONS, GIVEN, NO_GIVEN, SELDOM, SURNAMES
from judges.redaction.vocabulary import chinese_words, minority_names, words_or_names, words_with
from judges.redaction.words_zh import (
    AFTER_SHORT,
    BEFORE,
    JOINS,
    LINKS_AFTER,
    LINKS_BEFORE,
    LONGEST_BEFORE,
    OF_SOMEBODY,
    PERSONAL,
    PLACES_IN,
    SAYS,
    SHORT_TITLES,
    SOUNDS,
    TITLES,
    VERBS_AFTER,
    WITH_PEOPLE,
)

_SURNAME: Final = re.compile("[" + "".join(sorted(SURNAMES | {name[0] for name in COMPOUND})) + "]")
_FOREIGN: Final = re.compile(f"[{SOUNDS}]{{1,8}}(?:\u00b7[{SOUNDS}]{{1,10}}){{1,3}}")
_FRIEND: Final = re.compile("[小阿][" + "".join(sorted(GIVEN - COMMON - NO_GIVEN)) + "]")
_BETWEEN: Final = " \t:=\"'“”「」【】()[]<>为是叫"
"""What may stand between a role and a name."""
_MOST_BETWEEN: Final = 4
_FIELDS: Final = frozenset("姓名 户名 我叫 名叫 原告 被告 甲方 乙方 患者".split())
_ROLE_ENDS: Final = frozenset(word[-1] for word in BEFORE)
_THANKS: Final = frozenset("谢谢 感谢 多谢 致谢 答谢 鸣谢".split())
_SMALL: Final = "小老阿"
_BEFORE_ALONE: Final = frozenset(_SMALL + "姓")
_MAY_CUT: Final = _ROLE_ENDS | frozenset(_SMALL)

STRONG, TOLD, PEOPLE, EDGE, LINK, WHOLE, WORD, NONE = 3.0, 2.2, 1.9, 1.0, 1.0, 0.7, 0.4, -0.4
JOINED: Final = 2.7
"""Beside another name."""
ENOUGH: Final = 2.4
ALIGNED: Final = 0.9
"""Words end before a name and begin behind it, and none is in it."""
SLACK: Final = 1.0
"""By so much a name that is joined to a good one may fall short."""
MAYBE: Final = 0.9
"""Against what may be a word."""
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
    yield from _find_minorities(text)
    yield from _find_small(text)
    place, last, words = 0, -1, chinese_words()
    while match := _SURNAME.search(text, place):
        start = match.start()
        place = start + 1
        cuts = start > 0 and text[start - 1 : place] in words and text[start - 1] not in _MAY_CUT
        title = start > 0 and text[start - 1 : place] in TITLES
        title = title or text[max(0, start - 1) : place] in _THANKS or text[start : start + 2] in _THANKS
        if title or (cuts and text[max(0, start - 2) : start] not in words):
            continue
        joined = start - 1 == last and text[last] in JOINS
        found = _best(text, start, joined=joined) or _weak(text, start)
        if found is not None:
            if before := _joined_before(text, found.start, last):
                yield Item(PERSON, *before)
            yield Item(PERSON, found.start, found.end)
            place = last = found.end


@cache
def _minorities() -> re.Pattern[str]:
    """One or two given names in a row, the longest first; not the begin of a place or a firm."""
    names = "|".join(sorted(minority_names(), key=lambda name: (-len(name), name)))
    return re.compile(f"(?:{names}){{1,2}}(?![市县旗盟州省镇乡区山湖河族路街勒浩察布图林])")


def _find_minorities(text: str) -> Iterator[Item]:
    """Names of minorities without a dot: long ones anywhere, short ones where a name is told of."""
    for match in _minorities().finditer(text):
        start, end = match.span()
        if end - start > 2 or _left(text, start) >= PEOPLE or _right(text, end) >= TOLD:
            yield Item(PERSON, start, end)


def _find_small(text: str) -> Iterator[Item]:
    """What one calls a friend: 小 or 阿, and a character that is no surname, where people are spoken of."""
    words = chinese_words()
    for match in _FRIEND.finditer(text):
        start, end = match.span()
        word = text[start:end] in words or text[end - 1 : end + 1] in words
        if not word and _left(text, start) + _right(text, end) >= PEOPLE + LINK:
            yield Item(PERSON, start, end)


def _weak(text: str, start: int) -> _Candidate | None:
    """A name that is nearly one, joined to another one behind it."""
    if JOINS.isdisjoint(text[start + 2 : start + 5]):
        return None
    weak = _best(text, start, slack=SLACK)
    if weak is None or text[weak.end : weak.end + 1] not in JOINS or not _SURNAME.match(text, weak.end + 1):
        return None
    return weak if _best(text, weak.end + 1, joined=True) else None


def _joined_before(text: str, start: int, last: int) -> tuple[int, int] | None:
    """A name that was too weak alone, joined to the name that begins at `start`; not before `last`."""
    end = start - 1
    if end < 2 or text[end] not in JOINS or end <= last:
        return None
    for length in (3, 2):
        first = end - length
        if first > last and _SURNAME.match(text, first):
            found = _best(text, first, before=end)
            if found is not None and found.end == end:
                return first, end
    return None


def _best(
    text: str, start: int, *, joined: bool = False, before: int = -1, slack: float = 0.0
) -> _Candidate | None:
    """The best name at a place, if there is one: `joined` to one before it, or to one behind `before`.

    `slack` is by how much it may fall short.
    """
    surname = 2 if text[start : start + 2] in COMPOUND else 1
    if surname == 1 and text[start] not in SURNAMES:
        return None
    behind = text[start + surname : start + surname + 2]
    if not _is_han(behind[:1], 1) and text[max(0, start - 1) : start] not in _BEFORE_ALONE:
        return None
    left = max(_left(text, start), JOINED if joined else NONE * 9)
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
        if end == before:
            score += JOINED - LINK
        if score >= enough - slack and (best is None or score > best.score + _LONGER):
            best = _Candidate(start, end, score)
    return best


def _is_han(given: str, length: int) -> bool:
    return len(given) == length and min(given) >= "\u4e00" and max(given) <= "\u9fff"


def _score(text: str, start: int, surname: int, end: int, left: float) -> tuple[float, float]:
    words = chinese_words()
    given = text[start + surname : end]
    score = left + _commonness(text, start, surname)
    if left in (WHOLE, NONE) and text[start] in FUNCTIONS:
        score -= 1.5
    if not given:
        titled = _titled(text, start, end)
        if titled and text[end : end + 2] in PERSONAL:
            titled += 1.0
        return (score + titled if titled else -9.0), ENOUGH_TITLED
    right = _right(text, end)
    score += right
    if (
        left >= WHOLE
        and right >= WORD
        and surname == 1
        and text[start] not in (FUNCTIONS if left == WHOLE else SELDOM)
        and not _has_word(text, start, end)
        and (given not in words or text[start] in COMMON)
    ):
        score += ALIGNED
    liking = sum(map(_liking, given))
    if len(given) == 2:
        score += liking
        score -= 3.0 * (text[start:end] in words) + 2.4 * (text[start : start + 2] in words and surname == 1)
        score -= MAYBE * (text[start : start + 2] in words_or_names())
        score -= 0.4 * (given in words and left < STRONG)
    else:
        score += liking - (0.3 if left == EDGE else 0.6) + 1.0 * (surname == 2)
        word = surname == 1 and text[start:end] in words
        score -= (1.0 if _is_field(text, start) and not _is_han(text[end : end + 1], 1) else 3.0) * word
        score -= MAYBE * (left < STRONG and text[start:end] in words_or_names())
    if text[end - 1 : end + 1] in words:
        score -= 0.5 if left >= STRONG and text[end : end + 2] in words else 2.0
    return score, ENOUGH


def _has_word(text: str, start: int, end: int) -> bool:
    """Whether a word begins with a surname, or lies across the end of a name."""
    words = chinese_words()
    first = text[start : start + 2]
    cut = text[start:end] in words or text[end - 1 : end + 1] in words
    return cut or first in words or first in words_or_names()


@cache
def _liking(character: str) -> float:
    """How much a character speaks for a given name: those that are in few words speak loudest."""
    if character in NO_GIVEN:
        return -3.0
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
        if cuts:
            return WHOLE if text[max(0, start - 2) : start] in words else 0.0
        return STRONG
    if not _is_han(before, 1):
        return WORD if before.isalnum() else EDGE
    if before in _SMALL and _is_edge_before(text, start - 1):
        return LINK
    whole = text[max(0, start - 2) : start] in words
    if cuts:
        return -0.2 if whole else -2.5
    if before in WITH_PEOPLE:
        return PEOPLE
    if before == "的" and text[max(0, start - 2)].isdigit():
        return PEOPLE  # whoever has the number
    if before in LINKS_BEFORE or before in PLACES_IN:
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
    if after in LINKS_AFTER or text[end : end + 2] in OF_SOMEBODY:
        return LINK
    return WORD if after in VERBS_AFTER or text[end : end + 2] in chinese_words() else NONE
