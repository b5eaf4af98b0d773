"""What was recognised once, and is found again where nothing around it says what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from judges.redaction.fold import Folded
from judges.redaction.kinds import ADDRESS, PERSON
from judges.redaction.spans import Item
from judges.redaction.vocabulary import any_given_names, chinese_words, english_words

_MOST: Final = 256
"""Values of texts that belong together. Those behind are taken out where they are recognised alone."""
_LONGEST: Final = 80
_SHORTEST: Final = 4
_SHORTEST_NUMBER: Final = 6
"""Characters: what is shorter is too often something else (a PIN is a year as well)."""
_HAN: Final = re.compile(r"[\u4e00-\u9fff]+")
_LATIN: Final = re.compile(r"[A-Za-z][A-Za-z'-]{3,}")


class Known:
    """Values by their kind, and parts of names by the names."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def add(self, folded: Folded, item: Item) -> None:
        """Remember what was found in a text."""
        value = folded.text[item.start : item.end]
        if value in self._kinds or len(self._kinds) >= _MOST or len(value) > _LONGEST:
            return
        if item.kind != PERSON:
            if len(value) >= (_SHORTEST_NUMBER if value.isdigit() else _SHORTEST) and item.kind != ADDRESS:
                self._kinds[value] = item.kind
        elif len(value) >= (2 if _HAN.fullmatch(value) else 3) and value not in chinese_words():
            self._kinds[value] = PERSON
            for part in _parts(value):
                if part not in self._kinds and len(self._kinds) < _MOST:
                    self._kinds[part] = PERSON
                    self._names[part] = value

    def name_of(self, value: str) -> str:
        """The whole name that a part of one belongs to; other values as they are."""
        return self._names.get(value, value)

    def occurrences(self, folded: Folded) -> Iterator[Item]:
        """Where a text holds what is known."""
        text = folded.text
        for value, kind in self._kinds.items():
            place = text.find(value)
            while place >= 0:
                end = place + len(value)
                if not (_goes_on(text, place - 1, place) or _goes_on(text, end - 1, end)):
                    yield Item(kind, place, end)
                place = text.find(value, end)


def _goes_on(text: str, left: int, right: int) -> bool:
    """Whether two neighbouring characters belong to one word or number in Latin letters."""
    return left >= 0 and right < len(text) and _is_latin(text[left]) and _is_latin(text[right])


def _is_latin(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _parts(name: str) -> Iterator[str]:
    """By what else a person is called: the given name alone, or the surname alone."""
    if _HAN.fullmatch(name):
        given = name[1:] if len(name) == 3 else ""
        if given and given not in chinese_words():
            yield given
        return
    words = name.split()
    if len(words) > 1:
        for word in words:
            low = word.lower()
            if (
                _LATIN.fullmatch(word)
                and low not in english_words()
                and (low not in any_given_names() or word == words[0])
            ):
                yield word
