"""A text as the finders read it: letters and digits of other widths are plain, and what nobody sees is gone.

A number may be written in full-width digits, or with a zero-width space in its midst, by accident or on
purpose. Traditional characters become simplified ones, so that the words around a name are known in both.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff]"
)
_ODD = re.compile(
    "[\u00a0\u00b7\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u2000-\u200a\u2010-\u2015\u2018\u2019\u2022\u2024\u202f"
    "\u2212\u2460-\u2468\u2776-\u277e\u3000\u30fb\ufe63\uff01-\uff5e\U0001d400-\U0001d7ff]"
)
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63"
_DOTS = "\u00b7\u2022\u2024\u30fb"
_QUOTES = "\u2018\u2019"
_CAPITALS = re.compile("[A-Z]+")


@dataclass(frozen=True, slots=True)
class Folded:
    """A text to search. `low` is the same in small letters, character by character.

    `offsets` says of each character (and of the end) where it was before; null where nothing moved.
    """

    text: str
    low: str
    offsets: Sequence[int] | None = None

    def back(self, start: int, end: int) -> tuple[int, int]:
        """A stretch of `text` as one of the text as it was; what is unseen inside it belongs to it."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1


def fold(text: str) -> Folded:
    """The text for the finders."""
    if text.isascii():
        return Folded(text, text.lower())
    offsets: Sequence[int] | None = None
    if _UNSEEN.search(text):
        seen = [n for n, character in enumerate(text) if not _UNSEEN.match(character)]
        text = "".join(text[n] for n in seen)
        offsets = seen
    text = _ODD.sub(_plain, text)
    traditional = _traditional()
    if not traditional.keys().isdisjoint(text):
        text = "".join(traditional.get(character, character) for character in text)
    low = text.lower()
    if len(low) != len(text):  # a few capitals are two characters when small
        low = _CAPITALS.sub(lambda match: match[0].lower(), text)
    return Folded(text, low, offsets)


def _plain(match: re.Match[str]) -> str:
    return _plain_character(match[0])


@lru_cache(maxsize=4096)
def _plain_character(character: str) -> str:
    for signs, plain in ((_DASHES, "-"), (_DOTS, "\u00b7"), (_QUOTES, "'")):
        if character in signs:
            return plain
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character


@cache
def _traditional() -> dict[str, str]:
    """Traditional characters and their simplified ones. What is both is left alone."""
    lines = (files("judges.distilled") / "data" / "traditional.txt").read_text(encoding="utf-8").splitlines()
    return {line[0]: line[1] for line in lines if len(line) == 2}
