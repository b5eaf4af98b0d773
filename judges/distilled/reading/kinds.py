"""How many characters of each kind a text has, in one pass over it."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from judges.distilled.measuring import codepoints as cp


class Kind(IntEnum):
    """What a character may tell about a broken text."""

    SPACE = 0
    LETTER = 1
    HAN = 2
    RARE_HAN = 3
    """Outside the 3,755 characters that Chinese text is nearly all made of (GB 2312, level 1)."""
    DIGIT = 4
    LATIN1 = 5
    """Accented letters and the signs that bytes turn into when they are read as Latin-1."""
    LOST = 6
    """The replacement character, and characters of private use."""
    CONTROL = 7
    MARKUP = 8
    QUESTION = 9
    OTHER = 10


def _read_common_han() -> set[int]:
    first = range(0xB0, 0xD8)
    rows = b"".join(bytes((a, b)) for a in first for b in range(0xA1, 0xFF)).decode("gb2312", "ignore")
    return {ord(c) for c in rows}


def _build() -> npt.NDArray[np.uint8]:
    table = np.full(cp.SIZE, Kind.OTHER, dtype=np.uint8)
    table[cp.CLASS == cp.LETTER] = Kind.LETTER
    table[cp.CLASS == cp.DIGIT] = Kind.DIGIT
    han = cp.CLASS == cp.HAN
    table[han] = Kind.LETTER
    common = _read_common_han()
    for low, high in ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF)):
        for code in range(low, high + 1):
            # Traditional characters are as common as what they are folded to.
            table[code] = Kind.HAN if int(cp.FOLD[code]) in common else Kind.RARE_HAN
    table[0xA0:0x100] = Kind.LATIN1
    table[0xE000:0xF900] = table[0xFFFD] = Kind.LOST
    table[:32] = table[0x7F:0xA0] = Kind.CONTROL
    for c in "#$%&*+~^|<>{}=@\\_()[].□¦│┃":
        table[ord(c)] = Kind.MARKUP
    for c in " \t\n\r\v\f\u00a0\u3000\u200b\u2009":
        table[ord(c)] = Kind.SPACE
    table[ord("?")] = Kind.QUESTION
    return table


_TABLE = _build()


def count_kinds(text: str) -> list[int]:
    """How many characters of each `Kind`; `HAN` counts the rare ones too."""
    counts: list[int] = np.bincount(_TABLE[cp.encode(text)], minlength=len(Kind)).tolist()
    counts[Kind.HAN] += counts[Kind.RARE_HAN]
    counts[Kind.LETTER] += counts[Kind.HAN]
    return counts
