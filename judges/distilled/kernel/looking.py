"""Counts over the characters of each text, to tell the odd ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from judges.distilled.kernel.compiled import compiled
from judges.distilled.kernel.hashing import Codes, Ints, Keys
from judges.distilled.kernel.scanning import GAP, HAN
from judges.distilled.kernel.spans import LETTER, Classes

_NEWLINE = ord("\n")


@compiled
def count_characters(
    codes: Codes, classes: Classes, offset: Ints, kinds: npt.NDArray[np.uint8], most: int
) -> Ints:
    """How many characters of each kind (0 .. most - 1, by `kinds`) a text has, and in the last column how
    many of its lines break between letters. Shape (texts, most + 1)."""
    texts, n = len(offset) - 1, len(codes)
    counts = np.zeros((texts, most + 1), np.int64)
    for text in range(texts):
        for i in range(offset[text], offset[text + 1]):
            code = codes[i]
            counts[text, kinds[code]] += 1
            if code == _NEWLINE and 0 < i < n - 1:
                counts[text, most] += classes[i - 1] != GAP and classes[i + 1] != GAP
    return counts


@compiled
def count_odd_tokens(
    text: Ints, start: Ints, end: Ints, kind: Classes, word: Keys, texts: int,
    steps: npt.NDArray[np.uint8], shift: np.uint64, unseen: int, long: int,
) -> Ints:  # fmt: skip
    """Of each text: Chinese characters, those that open text hardly has, and words of `long` letters and
    more. Shape (texts, 3). `steps`, `shift`, `unseen`: see `units`."""
    counts = np.zeros((texts, 3), np.int64)
    for i in range(len(text)):
        if kind[i] == HAN:
            counts[text[i], 0] += 1
            counts[text[i], 1] += steps[np.int64(word[i] >> shift)] >= unseen
        elif kind[i] == LETTER:
            counts[text[i], 2] += end[i] - start[i] >= long
    return counts
