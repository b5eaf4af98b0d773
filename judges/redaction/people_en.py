"""English names, and Chinese ones in Latin letters: a title, an introduction, or a given name before another name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from judges.redaction.kinds import PERSON
from judges.redaction.spans import Item

GIVEN: Final = frozenset(
    "James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard Susan Joseph Jessica Thomas Sarah Charles Karen".split()
)
_WORD = r"[A-Z][a-z\u00c0-\u024f'’-]{1,20}"
_TITLED = re.compile(
    rf"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Sir|Madam|Doctor)\.? (?P<name>{_WORD}(?: {_WORD}){{0,2}})"
)
_INTRODUCED = re.compile(
    rf"(?:\b(?:[Mm]y name is|[Nn]ame|[Ii] am|I['’]m|[Cc]ontact|[Dd]ear|[Rr]egards,|[Ss]igned|[Pp]atient|[Ee]mployee|[Cc]ustomer|[Ss]poke (?:with|to)|[Aa]sk for))[:\s]{{1,2}}(?P<name>{_WORD}(?: [A-Z]\.)?(?: {_WORD}){{1,2}})"
)
_TWO = re.compile(rf"\b(?P<given>{_WORD})(?: [A-Z]\.)? (?P<name>{_WORD})")


def find_english(text: str) -> Iterator[Item]:
    """Every name in Latin letters."""
    for pattern in (_TITLED, _INTRODUCED):
        for match in pattern.finditer(text):
            yield Item(PERSON, *match.span("name"))
    for match in _TWO.finditer(text):
        if match["given"] in GIVEN:
            yield Item(PERSON, *match.span())
