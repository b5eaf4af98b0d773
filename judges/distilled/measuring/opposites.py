"""Words that contradict each other: more and less, 允许 and 禁止."""

from __future__ import annotations

import numpy as np

from judges.distilled.kernel.matching import Opposites
from judges.distilled.measuring.lexicon import WORD_LISTS, bigram_key
from judges.distilled.measuring.tokens import tokenize

SIEVE = 1 << 12


def _stem_key(word: str) -> int:
    return int(tokenize([word]).key[0])


def _build() -> Opposites:
    pairs: set[tuple[int, int]] = set()
    for section, key in (("opposites en", _stem_key), ("opposites zh", bigram_key)):
        for entry in WORD_LISTS[section]:
            left, right = entry.split("/")
            pairs |= {(key(left), key(right)), (key(right), key(left))}
    ordered = sorted(p for p in pairs if p[0] != p[1])
    lefts, rights = (np.array(side, dtype=np.uint64) for side in zip(*ordered, strict=True))
    sieve = np.zeros(SIEVE, dtype=np.bool_)
    sieve[(lefts & np.uint64(SIEVE - 1)).astype(np.int64)] = True
    return Opposites(sieve, lefts, rights)


OPPOSITES = _build()
