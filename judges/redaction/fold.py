"""A text as the finders read it: letters and digits of other widths are plain, and what nobody sees is gone.

A number may be written in full-width digits, or with a zero-width space in its midst, by accident or on purpose.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_ODD = re.compile(
    "[\u00a0\u00b7\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u2000-\u200a\u2010-\u2015\u2022\u2024\u202f\u2212\u2460-\u2469\u2776-\u277f\u3000\u30fb"
    "\ufe63\uff01-\uff5e\U0001d400-\U0001d7ff]"
)
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63"


@dataclass(frozen=True, slots=True)
class Folded:
    """`text`, and for each of its characters (and its end) the offset in the text as it was; null where equal."""

    text: str
    offsets: Sequence[int] | None

    def back(self, start: int, end: int) -> tuple[int, int]:
        """A stretch of `text` as one of the text as it was; what is unseen inside it belongs to it."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1


def fold(text: str) -> Folded:
    """The text for the finders."""
    offsets: Sequence[int] | None = None
    if not text.isascii():
        if _UNSEEN.search(text):
            seen = [n for n, character in enumerate(text) if not _UNSEEN.match(character)]
            text = "".join(text[n] for n in seen)
            offsets = [*seen, (seen[-1] + 1) if seen else 0]
        text = _ODD.sub(_plain, text)
    return Folded(text, offsets)


def _plain(match: re.Match[str]) -> str:
    return _plain_character(match[0])


@lru_cache(maxsize=4096)
def _plain_character(character: str) -> str:
    if character in _DASHES:
        return "-"
    if character in "\u00b7\u2022\u2024\u30fb":
        return "\u00b7"
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character
