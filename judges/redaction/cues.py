"""Words that announce what follows them: found by plain search, for there are many and texts are long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz")


def find_cues(low: str, words: Sequence[str]) -> Iterator[int]:
    """Where each of the words ends in a text of small letters; Latin words not in the midst of others."""
    for word in words:
        place = low.find(word)
        latin = word[0] in _LETTERS
        while place >= 0:
            end = place + len(word)
            if not latin or (
                (place == 0 or low[place - 1] not in _LETTERS) and low[end : end + 1] not in _LETTERS
            ):
                yield end
            place = low.find(word, end)
