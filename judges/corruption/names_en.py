"""Capitalised names in English text, with a guess at what they name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from judges.corruption.calendar import MONTHS, WEEKDAYS

_WORD = r"(?:[A-Z][a-zà-ÿ'’]*[a-zà-ÿ](?:-[A-Z][a-z]+)?|[A-Z]\.)"
_NAME = re.compile(
    rf"(?<![A-Za-z0-9_.'’-]){_WORD}(?:\s(?:(?:of|de|van|von|al|la|the) (?=[A-Z][a-z]))?{_WORD})*(?![A-Za-z0-9_])"
)
_CAMEL = re.compile(r"(?<![A-Za-z0-9_-])(?:[A-Z][a-z]+){2,}(?![A-Za-z0-9_-])")
_COMMON = frozenset(
    "The A An This That These Those It Its He She They We You I His Her Their Our Your My In On At By For From To With Without "
    "As If When While Where What Which Who Whose Why How Is Are Was Were Do Does Did Has Have Had Can Could Will Would Should "
    "Must May Might Not No Yes And Or But So Yet Also However Therefore Thus Then There Here After Before Since Until During "
    "Although Though Because According Based Both Either Neither Each Every All Some Many Most More Few Several Other Another "
    "Such Only Just Even Overall Additionally Furthermore Moreover Meanwhile Finally First Second Third Next Last Please Note "
    "Sorry Unfortunately Sure Hello Hi Thanks Thank Mr Mrs Ms Dr Of Into Over Under Between Through Once Instead Despite Unlike "
    "Like Users User Customers People Answer Question Source Today Tomorrow Yesterday Currently Generally Usually Typically "
    "Often Sometimes Always Never Regarding Given Including Open Press Click Select Choose Use Enter Call Visit Contact See "
    "Read Write Go Keep Make Take Add Set Turn Hence Still Whether Two Three Four Five Six Seven Eight Nine Ten One".split()
) | frozenset((*MONTHS, *WEEKDAYS))
_ORGANISATION = re.compile(
    r"(?:University|College|Institute|Inc|Corp|Corporation|Company|Ltd|Bank|Group|Foundation|Association|Agency|Department|"
    r"Ministry|Court|Museum|Hospital|School|Church|Party|Committee|Council|Airlines|Records|Studios|Times|Press|Society|Union|"
    r"Organization|Academy|Laboratory|Laboratories|League|Club|Team)\b"
)
_PLACE = re.compile(
    r"\b(?:City|County|River|Lake|Mount|Mountains?|Islands?|Street|Road|Avenue|Park|Bridge|Airport|Station|Valley|Bay|Beach|Square|Ocean|Sea)\b"
)
_FIRST_NAMES = frozenset(
    "James John Robert Michael William David Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Mark Donald Steven "
    "Paul Andrew Joshua Kenneth Kevin Brian George Edward Ronald Timothy Jason Jeffrey Ryan Jacob Gary Nicholas Eric Jonathan "
    "Stephen Larry Justin Scott Brandon Benjamin Samuel Frank Gregory Raymond Alexander Patrick Jack Dennis Jerry Peter Henry "
    "Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Nancy Lisa Betty Margaret Sandra Ashley Kimberly "
    "Emily Donna Michelle Carol Amanda Dorothy Melissa Deborah Stephanie Rebecca Sharon Laura Cynthia Kathleen Amy Angela Shirley "
    "Anna Brenda Pamela Emma Nicole Helen Samantha Katherine Christine Rachel Maria Barack Hillary Bill Steve Tom Tim Ben Bob "
    "Joe Mike Jim Kate Alice Albert Isaac Marie Vladimir Angela Donald Elon Hans Karl Pierre Jean Carlos Juan Luis Ahmed Ali".split()
)
_TITLE_BEFORE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|President|Professor|Senator|Judge|Captain|King|Queen|Prince|Pope|Minister|Chancellor|Secretary|Sir)\.? $"
)


def find_names(text: str, known: Collection[str] = ()) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of each name: `person`, `organisation`, `place`, `names` (of several words), `name`."""
    for match in _CAMEL.finditer(text):
        yield *match.span(), "name"
    for match in _NAME.finditer(text):
        start, words = match.start(), match[0]
        while words and words.split(" ", 1)[0].rstrip(".") in _COMMON:
            _, _, rest = words.partition(" ")
            start, words = start + len(words) - len(rest), rest
        if len(words) < 3:
            continue
        lone = " " not in words and text.count(words) < 2 and words not in known
        if lone and _opens_sentence(text, start):
            continue  # a capital that only says where the sentence begins
        yield start, start + len(words), _kind_of(text, start, words)


def _kind_of(text: str, start: int, words: str) -> str:
    first, *rest = words.split()
    if _ORGANISATION.search(words):
        return "organisation"
    if _PLACE.search(words):
        return "place"
    if rest and (first in _FIRST_NAMES or first.endswith(".")) or _TITLE_BEFORE.search(text[:start][-12:]):
        return "person"
    return "names" if rest else "name"


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t\"'“‘(*_#>-•")
    return not before or before[-1] in ".!?:;\n。！？；：|"
