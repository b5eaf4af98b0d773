"""Names in Latin letters: told by a title, an introduction, a role, or by names that people are often given.

Chinese and Vietnamese names in Latin letters are told by their syllables. A capitalised pair of words that
says none of this (`Visual Studio`) stays; so does a name that is a word or a town as well (`Mark`, `Jordan`),
unless another name follows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from judges.redaction.cues import find_cues
from judges.redaction.fold import Folded
from judges.redaction.kinds import PERSON
from judges.redaction.pinyin import is_pinyin_name
from judges.redaction.spans import Item
from judges.redaction.vocabulary import any_given_names, english_words, family_names, given_names
from judges.redaction.words_en import (
    DOES,
    FAMILY_FIRST,
    FIRMS,
    HEADERS,
    IN_TIME,
    INTRODUCTIONS,
    JOINING,
    MAY_BE_NAMES,
    NO_NAMES,
    PARTICLES,
    PLACES,
    RELATIVES,
    ROLES,
    SAYS,
    SIGNATURES,
    THINGS,
    TITLES,
)

_CAP: Final = (
    r"[A-Z\u00c0-\u00de](?:'[A-Z])?[A-Za-z\u00c0-\u024f]{1,20}"
    r"(?:-[A-Z\u00c0-\u00de][a-z\u00c0-\u024f]{1,20}){0,2}"
)
_INITIAL: Final = r"[A-Z]\."
_PARTICLE: Final = (
    r"(?:van der|van den|van|von der|von|de la|de los|del|de|di|da|dos|du|la|le|al|el|bin|ibn|ben|ter|ten|zu)"
)
_CHAIN: Final = re.compile(
    rf"(?<![\w@./#-])(?:{_INITIAL} ?){{0,3}}{_CAP}"
    rf"(?: (?:{_INITIAL} ?){{1,2}}| {_PARTICLE}(?= [A-Z])| {_CAP}){{0,4}}(?![\w@\ufffd])"
)
"""Capitalised words in a row."""
_JOINED: Final = re.compile(r"(?:, and |, & |, |; | and | & | or |/|、|,)")
_LOWER_CUES: Final = (
    "my name is",
    "name is",
    "my name's",
    "i am",
    "i'm",
    "this is",
    "call me",
    "named",
    "im",
)
_LOWER: Final = re.compile(r"[ :]{1,2}(?P<name>[a-z][a-z'-]{1,20}(?: [a-z][a-z'-]{1,20})?)(?![\w@])")
_OURS: Final = re.compile(
    rf"(?<![a-z])(?:my|our|his|her|their) (?:{'|'.join(sorted(RELATIVES))})"
    r"(?P<name> [a-z][a-z'-]{2,20})(?![\w@])"
)
"""My wife jen."""
_VERSUS: Final = re.compile(rf"(?<![\w.])(?P<one>{_CAP}) v(?:s?\.|s)? (?P<other>{_CAP})(?![\w@])")
"""A case at court."""
_ARTICLES: Final = frozenset("the a an this that new our your each every any in on use".split())
_JOINED_FIRMS: Final = tuple(firm for firm in FIRMS if "&" in firm)
_OF_A_PLACE: Final = re.compile(r"'s |,? (?:from|of|at|in) [a-z]|\n|$")
"""Of whom one says where she is from."""
_NEXT_WORD: Final = re.compile(r" ([a-z]+)(?![\w-])")
_GIVEN_BEHIND: Final = re.compile(rf", (?P<given>{_CAP})(?: {_INITIAL})?(?![\w@])")
_WORDS: Final = re.compile(r"[A-Z]\.|[^ ]+")
_TOWNS: Final = frozenset("st saint fort port mount lake san santa los las el cape puerto new".split())
"""What a name follows in the name of a town."""
_GAP: Final = " \t\r\n:=\"'*(<,-|."
_MOST_BEFORE: Final = 40

PLACE, NOTHING, KNOWN, ROLE, INTRODUCED = range(5)
"""What the words before a chain promise: a town (St. Louis), nothing, a known name, somebody's, any name."""


def find_english(folded: Folded) -> Iterator[Item]:
    """Every name in Latin letters."""
    text, low = folded.text, folded.low
    last = -99
    for match in _CHAIN.finditer(text):
        found = _name_in(text, low, match.start(), match.end(), last)
        if found:
            last = found[1]
            yield Item(PERSON, *found)
    for match in _VERSUS.finditer(text):
        if all(_is_party(match[side].lower()) for side in ("one", "other")):
            yield Item(PERSON, *match.span("one"))
            yield Item(PERSON, *match.span("other"))
    for match in _OURS.finditer(low):
        name = match["name"][1:]
        if name in any_given_names() and name not in english_words():
            yield Item(PERSON, match.start("name") + 1, match.end())
    for place in find_cues(low, _LOWER_CUES):
        lower = _LOWER.match(text, place)
        if lower and (found := _in_small_letters(lower, low[max(0, place - 6) : place].endswith("name is"))):
            yield Item(PERSON, *found)


def _name_in(text: str, low: str, start: int, end: int, last: int) -> tuple[int, int] | None:
    """The name in a chain of capitalised words; `last` is where the last name before it ended."""
    words = [(m.start(), m.end()) for m in _WORDS.finditer(text, start, end)]
    if len(words) == 1 and low[start:end] in NO_NAMES and not _speaks(text, low, start, end):
        return None
    promise, titled = _promise(low, start)
    if not titled and promise < INTRODUCED and _is_firm(text, low, start, end):
        return None
    if promise < ROLE and start - last < 7 and _JOINED.fullmatch(text[max(0, last) : start]):
        promise = ROLE
    while words and low[words[0][0] : words[0][1]].rstrip(".") in TITLES and len(words) > 1:
        titled = True
        del words[0]
    if titled and (low[words[0][0] : words[0][1]] not in NO_NAMES):
        said = [low[s:e] for s, e in words]
        return words[0][0], words[min(_whole(said), 4) - 1][1]
    return None if promise == PLACE else _first_name(text, low, words, promise)


def _is_party(word: str) -> bool:
    """Whether a word may be who sues or is sued."""
    return (_is_family(word) or _is_given(word)) and word not in THINGS and word not in NO_NAMES


def _is_firm(text: str, low: str, start: int, end: int) -> bool:
    """Whether a chain begins with, or is part of, what a firm is called: John Deere, Johnson & Johnson."""
    words = low[start : end + 14].split(" ", 3)
    if " ".join(words[:2]).rstrip(".,;:!?") in FIRMS or " ".join(words[:3]).rstrip(".,;:!?") in FIRMS:
        return True
    if any(low.startswith(firm, start) or low.endswith(firm, 0, end) for firm in _JOINED_FIRMS):
        return True
    said = [word for word in low[start:end].split(" ") if word not in NO_NAMES]
    if len(said) != 1 or not _is_family(said[0]):
        return False
    behind = text[start - 3 : start] == " & " and text[start - 4].isalpha()
    return behind or (text[end : end + 3] == " & " and text[end + 3 : end + 4].isupper())


def _promise(low: str, start: int) -> tuple[int, bool]:
    """What the words before a place promise, and whether the last of them is a title."""
    window = low[max(0, start - _MOST_BEFORE) : start]
    said = window.rstrip(_GAP)
    gap = window[len(said) :]
    words = [word.strip("\"'(<[{*>@#,;|") for word in said.split()[-3:]]
    if not words or not gap:
        return NOTHING, False
    one, two, three = words[-1], " ".join(words[-2:]), " ".join(words[-3:])
    if one in TITLES and gap in (" ", ". ", "."):
        return NOTHING, True
    if one in _TOWNS and gap in (" ", ". "):
        return PLACE, False
    if one in SIGNATURES and ("\n" in gap or "," in gap):
        return INTRODUCED, False
    if "." in gap:
        return NOTHING, False
    if one in HEADERS and ":" in gap:
        return INTRODUCED, False
    if one in INTRODUCTIONS or two in INTRODUCTIONS or three in INTRODUCTIONS:
        return INTRODUCED, False
    if one in ROLES:
        return ROLE, False
    return (KNOWN if one in JOINING else NOTHING), False


def _first_name(
    text: str, low: str, words: Sequence[tuple[int, int]], promise: int
) -> tuple[int, int] | None:
    for place, word in enumerate(words):
        length = _name_at(text, low, words[place:], promise)
        if length:
            return word[0], words[place + length - 1][1]
        said = low[word[0] : word[1]]
        if said in _TOWNS:
            return None
        promise = max(promise, ROLE) if said in ROLES or said in INTRODUCTIONS else min(promise, KNOWN)
    return None


def _name_at(text: str, low: str, words: Sequence[tuple[int, int]], promise: int) -> int:
    """How many of the words, from the first, are the name of a person; 0 where none is."""
    said = [low[start:end] for start, end in words]
    first = said[0]
    speaks = _speaks(text, low, words[0][0], words[-1][1])
    if (first in MAY_BE_NAMES or speaks) and (doubtful := _doubtful(text, low, words, speaks=speaks)):
        return doubtful
    if first in NO_NAMES or (first in ROLES and len(said) > 1):
        return 0
    if len(said) == 1:
        return int(_is_alone_a_name(text, first, words[0], promise))
    initials = sum(_is_initial(word) for word in said[:3])
    whole = _whole(said)
    if _is_initial(first):
        return _after_initials(said, initials, whole, promise)
    if is_pinyin_name([text[start:end] for start, end in words[:2]]):
        return 2
    second = next((word for word in said[1:] if not _is_initial(word) and word not in PARTICLES), "")
    if not second or second in THINGS or second in NO_NAMES:
        return int(_is_alone_a_name(text, first, words[0], promise))
    amid = len(said) == 2 and not _begins(text, words[0][0]) and not _has_article(low, words[0][0])
    return whole if _is_pair(first, second, promise, amid=amid) else 0


def _speaks(text: str, low: str, start: int, end: int) -> bool:
    """Whether a name that may be a word does what people do: Hope said, on Tuesday Faith reported."""
    word = _NEXT_WORD.match(low, end)
    if word is None or low[start:end] in PLACES:
        return False
    return word[1] in SAYS or (word[1] in DOES and not _begins(text, start))


def _has_article(low: str, start: int) -> bool:
    """Whether an article, or a word that describes a thing, stands before a place."""
    return not _ARTICLES.isdisjoint(low[max(0, start - 12) : start].split(" ")[-2:-1])


def _begins(text: str, start: int) -> bool:
    """Whether a sentence begins at a place."""
    before = text[max(0, start - 3) : start].rstrip(" \"'(*-")
    return not before or before[-1] in ".!?\n:;|>"


def _doubtful(text: str, low: str, words: Sequence[tuple[int, int]], *, speaks: bool) -> int:
    """How many of the words are a name, where the first may as well be a month, a verb, or any word."""
    (start, end), said = words[0], [low[s:e] for s, e in words]
    plain = [_is_word(word) or word in THINGS or word in NO_NAMES for word in said]
    if len(said) == 1:
        known = said[0] in any_given_names() and not text[start:end].isupper() and len(said[0]) > 2
        return int(known and speaks and (said[0] not in MAY_BE_NAMES or not _begins(text, start)))
    if said[1] in THINGS or said[1] in NO_NAMES:
        return 0
    if said[0] in MAY_BE_NAMES:
        month = low[max(0, start - 12) : start].split()[-1:]
        if month and month[0] in IN_TIME and not speaks:
            return 0
        of_a_place = _is_family(said[1]) and _OF_A_PLACE.match(low, words[-1][1])
        return _whole(said) if speaks or (not plain[1] and (of_a_place or not _begins(text, start))) else 0
    if said[0] in any_given_names() or not any(plain[:2]):
        return _whole(said)
    return 0


def _is_pair(first: str, second: str, promise: int, *, amid: bool) -> bool:
    """Whether two words, the first of a chain, are a given name and a surname; `amid` a sentence."""
    if _is_given(first) or first in FAMILY_FIRST:
        return True
    plain = _is_word(first), _is_word(second)
    if amid and first in any_given_names() and first not in PLACES and _is_family(second):
        return True
    if first in any_given_names() and not all(plain):
        return promise >= KNOWN or _is_family(second)
    if _is_family(second) and not any(plain):
        return True
    if promise >= ROLE and not any(plain):
        return True
    return promise == INTRODUCED and not all(plain)


def _after_initials(said: Sequence[str], initials: int, whole: int, promise: int) -> int:
    """J. R. Whitaker, or G. Whitaker where somebody is expected or the surname is known."""
    if len(said) <= initials or _is_word(said[initials]) > _is_family(said[initials]):
        return 0
    return whole if initials > 1 or promise >= ROLE or _is_family(said[initials]) else 0


def _is_alone_a_name(text: str, word: str, place: tuple[int, int], promise: int) -> bool:
    start, end = place
    if text[start:end].isupper() or text[end - 1].isupper() or len(word) < 3:
        return False
    if _is_given(word):
        return not re.match(r"\s?[\d#+]|[.-]\w", text[end : end + 2])
    if _GIVEN_BEHIND.match(text, end) and _is_family(word) and not _is_word(word):
        behind = _GIVEN_BEHIND.match(text, end)
        return behind is not None and _is_given(behind["given"].lower())
    if promise == INTRODUCED:
        return word in any_given_names() or not _is_word(word)
    return promise == ROLE and not _is_word(word) and (_is_family(word) or word in any_given_names())


def _whole(said: Sequence[str]) -> int:
    """How many words belong to a name that begins at the first: up to one that names a thing."""
    for place, word in enumerate(said):
        if place and (word in THINGS or word in NO_NAMES):
            return place
    return len(said)


def _in_small_letters(match: re.Match[str], named: bool) -> tuple[int, int] | None:
    """my name is john carter: written in small letters, hence a given name must be known."""
    said = match["name"].split(" ")
    start, end = match.span("name")
    if said[0] not in given_names() and not (named and said[0] in any_given_names()):
        return None
    if len(said) == 2 and (said[1] in family_names() or (named and said[1] not in english_words())):
        return start, end
    return start, start + len(said[0])


def _is_initial(word: str) -> bool:
    return len(word) == 2 and word[1] == "."


def _is_given(word: str) -> bool:
    return _bare(word) in given_names()


def _is_family(word: str) -> bool:
    return word.replace("'", "") in family_names() or _bare(word) in family_names()


def _is_word(word: str) -> bool:
    return _bare(word) in english_words()


def _bare(word: str) -> str:
    return word.partition("-")[0].removeprefix("o'")
