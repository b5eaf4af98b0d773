"""Words that contradict each other: more and less, 允许 and 禁止."""

from __future__ import annotations

import numpy as np

from judges.distilled.lexicon import OPPOSITES_EN, OPPOSITES_ZH, bigram_key
from judges.distilled.tokens import Ints, Keys, tokenize


def _stem_key(word: str) -> int:
    return int(tokenize([word]).key[0])


def _build() -> tuple[Keys, Keys]:
    pairs: set[tuple[int, int]] = set()
    for words, key in ((OPPOSITES_EN, _stem_key), (OPPOSITES_ZH, bigram_key)):
        for entry in words:
            left, right = entry.split("/")
            if len(left) < 2 or len(right) < 2 or (key is bigram_key and len(left) != len(right)):
                continue  # one Chinese character alone is part of too many words
            pairs |= {(key(left), key(right)), (key(right), key(left))}
    ordered = sorted(p for p in pairs if p[0] != p[1])
    return np.array([a for a, _ in ordered], dtype=np.uint64), np.array([b for _, b in ordered], dtype=np.uint64)


_LEFT, _RIGHT = _build()


def opposite_keys(keys: Keys) -> tuple[Ints, Keys]:
    """The opposites of `keys`: indices into `keys` (a key may have several), and the opposite's key."""
    low = np.searchsorted(_LEFT, keys)
    high = np.searchsorted(_LEFT, keys, side="right")
    counts = high - low
    which = np.repeat(np.arange(len(keys)), counts)
    begins = np.cumsum(counts) - counts
    at = np.arange(int(counts.sum())) - np.repeat(begins, counts) + np.repeat(low, counts)
    return which, _RIGHT[at]
