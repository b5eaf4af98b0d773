"""Which texts are nearly the same: sets of character n-grams, met by MinHash, compared exactly.

    kinds = Kinds()
    kinds.find(shingles("How long does a refund take?"))   # None: there is no such kind yet
    kinds.add("k1", shingles("How long does a refund take?"))
    kinds.find(shingles("how long does the refund take"))  # "k1"

Chinese is cut into pairs of characters, all else into fours: that is a word, or most of one, in both. Digits
count as alike, so that order numbers make no kind of their own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

ALIKE: Final = 0.55
"""Jaccard index of two sets of n-grams from which on the texts are near-duplicates."""
_BANDS: Final = 24
_ROWS: Final = 3
"""Texts at ALIKE meet in one of 24 bands of 3 with a probability of 0.99, at 0.2 with one of 0.17."""
_COMPARED_CHARACTERS: Final = 1_000
_HAN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")

Shingles = frozenset[int]


def shingles(text: str) -> Shingles:
    """The hashed n-grams of a text; empty where it holds neither letters nor digits."""
    folded = unicodedata.normalize("NFKC", text[:_COMPARED_CHARACTERS]).casefold()
    plain = "".join("0" if c.isdigit() else c for c in folded if c.isalnum())
    return frozenset(crc32(piece.encode()) for piece in _pieces(plain))


def likeness(one: Shingles, other: Shingles) -> float:
    """The Jaccard index, 0 to 1; 0 where one of them is empty.

    Jaccard (1912), "The distribution of the flora in the alpine zone".
    """
    if not one or not other:
        return 0.0
    both = len(one & other)
    return both / (len(one) + len(other) - both)


class Kinds:
    """Kinds of texts, each known by the texts that were added to it.

    MinHash: Broder (1997), "On the resemblance and containment of documents"; bands: Leskovec, Rajaraman and
    Ullman, "Mining of Massive Datasets", section 3.4. The same texts in the same order give the same kinds.
    """

    def __init__(self, alike: float = ALIKE) -> None:
        self._alike = alike
        self._bands: dict[tuple[int, bytes], list[int]] = {}
        self._known: list[tuple[str, Shingles]] = []

    def __len__(self) -> int:
        return len(self._known)

    def add(self, kind: str, text: Shingles) -> None:
        """One more text of a kind. An empty one is like nothing, and is not kept."""
        if text:
            for key in _keys(text):
                self._bands.setdefault(key, []).append(len(self._known))
            self._known.append((kind, text))

    def find(self, text: Shingles) -> str | None:
        """The kind of the text that is most alike, null where none is. Of equals the first added."""
        if not text:
            return None
        met = sorted({number for key in _keys(text) for number in self._bands.get(key, ())})
        best, found = self._alike, None
        for number in met:
            kind, other = self._known[number]
            index = likeness(text, other)
            if index > best or (index == best and found is None):
                best, found = index, kind
        return found


def _pieces(plain: str) -> Iterator[str]:
    """Pairs of Chinese characters, fours of all else; a run that is shorter is one piece."""
    place = 0
    for run in _HAN.finditer(plain):
        yield from _grams(plain[place : run.start()], 4)
        yield from _grams(run[0], 2)
        place = run.end()
    yield from _grams(plain[place:], 4)


def _grams(run: str, size: int) -> Iterator[str]:
    if run:
        yield from (run[start : start + size] for start in range(max(1, len(run) - size + 1)))


def _keys(text: Shingles) -> list[tuple[int, bytes]]:
    """The MinHash of a text in bands, each a key under which it is met."""
    multipliers, addends = _permutations()
    values = np.fromiter(text, dtype=np.uint64, count=len(text))
    hashes = (multipliers[:, None] * values[None, :] + addends[:, None]) >> np.uint64(32)
    least = hashes.min(axis=1).reshape(_BANDS, _ROWS)
    return [(band, row.tobytes()) for band, row in enumerate(least)]


@lru_cache(maxsize=1)
def _permutations() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Multiply, add and shift, modulo 2^64, with odd factors: the same ones for ever.

    Dietzfelbinger et al. (1997), "A reliable randomized algorithm for the closest-pair problem", section 3.
    """
    random = np.random.Generator(np.random.PCG64(20_261_130))
    count, all_bits = _BANDS * _ROWS, np.iinfo(np.uint64).max
    multipliers = random.integers(0, all_bits, size=count, dtype=np.uint64, endpoint=True) | np.uint64(1)
    return multipliers, random.integers(0, all_bits, size=count, dtype=np.uint64, endpoint=True)


__all__ = ["ALIKE", "Kinds", "Shingles", "likeness", "shingles"]
