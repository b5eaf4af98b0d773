"""Capitalised names in English text, with a guess at what they name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from judges.corruption.bank import read_words
from judges.corruption.calendar import MONTHS, WEEKDAYS

_WORD = r"(?:[A-Z][a-zà-ÿ'’]*[a-zà-ÿ](?:-[A-Z][a-z]+)?|[A-Z]\.)"
_NAME = re.compile(
    rf"(?<![A-Za-z0-9_.'’-]){_WORD}(?:\s(?:(?:of|de|van|von|al|la|the) "
    rf"(?=[A-Z][a-z]))?{_WORD})*(?![A-Za-z0-9_]|-[a-z])"
)
_CAMEL = re.compile(r"(?<![A-Za-z0-9_-])(?:[A-Z][a-z]+){2,}(?![A-Za-z0-9_-])")
_COMMON = frozenset((*read_words("no names"), *MONTHS, *WEEKDAYS))
"""Words with a capital that are no names."""
_ORGANISATION = re.compile(
    r"(?:University|College|Institute|Inc|Corp|Corporation|Company|Ltd|Bank|Group|Foundation|Association"
    r"|Agency|Department|Ministry|Court|Museum|Hospital|School|Church|Party|Committee|Council|Airlines"
    r"|Records|Studios|Times|Press|Society|Union|Organization|Academy|Laboratory|Laboratories|League|Club"
    r"|Team)\b"
)
_PLACE = re.compile(
    r"\b(?:City|County|River|Lake|Mount|Mountains?|Islands?|Street|Road|Avenue|Park|Bridge|Airport|Station"
    r"|Valley|Bay|Beach|Square|Ocean|Sea)\b"
)
_FIRST_NAMES = frozenset(read_words("first names"))
_LISTED = re.compile(r"(?:^|[\s.])\d{1,2}\s+$")
_CONTRACTED = re.compile(r"(?:I|You|We|They|He|She|It|That|There|Don|Can|Won|Isn|Let|What|Who)['’]")
_TITLE_BEFORE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|President|Professor|Senator|Judge|Captain|King|Queen|Prince|Pope|Minister|Chancellor"
    r"|Secretary|Sir)\.? $"
)


def find_names(text: str, known: Collection[str] = ()) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of each name: person, organisation, place, names (of several words), name."""
    for match in _CAMEL.finditer(text):
        yield *match.span(), "name"
    for match in _NAME.finditer(text):
        start, words = match.start(), match[0]
        while words and words.split(" ", 1)[0].rstrip(".") in _COMMON:
            _, _, rest = words.partition(" ")
            start, words = start + len(words) - len(rest), rest
        words = re.sub(r"(?<! [A-Z]\.)(?: [A-Z]\.)++$|['’]s$|['’]$", "", words)
        if len(words) < 3 or words.split()[-1] in _COMMON or _CONTRACTED.match(words):
            continue
        if " " not in words and words not in known and not _is_name_elsewhere(text, words):
            continue  # a capital that only says where the sentence begins
        yield start, start + len(words), _kind_of(text, start, words)


def _kind_of(text: str, start: int, words: str) -> str:
    first, *rest = words.split()
    if _ORGANISATION.search(words):
        return "organisation"
    if _PLACE.search(words):
        return "place"
    if (rest and (first in _FIRST_NAMES or first.endswith("."))) or _TITLE_BEFORE.search(text[:start][-12:]):
        return "person"
    return "names" if rest else "name"


def _is_name_elsewhere(text: str, word: str) -> bool:
    """Whether a capitalised word stands within a sentence as well."""
    places = re.finditer(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])", text)
    return any(not _opens_sentence(text, match.start()) for match in places)


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t\"'“‘(*_#>-•")
    return not before or before[-1] in ".!?:;\n。！？；：|" or bool(_LISTED.search(text[:start][-6:]))
