"""Words that contradict each other: more and less, 允许 and 禁止."""

from __future__ import annotations

import numpy as np

from judges.distilled.lexicon import WORD_LISTS, bigram_key
from judges.distilled.tokens import Ints, Keys, tokenize


def _stem_key(word: str) -> int:
    return int(tokenize([word]).key[0])


def _build() -> tuple[Keys, Keys]:
    pairs: set[tuple[int, int]] = set()
    for section, key in (("opposites en", _stem_key), ("opposites zh", bigram_key)):
        for entry in WORD_LISTS[section]:
            left, right = entry.split("/")
            pairs |= {(key(left), key(right)), (key(right), key(left))}
    ordered = sorted(p for p in pairs if p[0] != p[1])
    return np.array([a for a, _ in ordered], dtype=np.uint64), np.array(
        [b for _, b in ordered], dtype=np.uint64
    )


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
