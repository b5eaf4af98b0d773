"""Which characters are written as a number: digits, Chinese numerals, and what scales them.

A span is digits with inner points, commas or colons, with what scales them right behind (万, k, million,
pm); two and more Chinese numerals; or one before a measure word (两年, 五月). 分之 between numerals belongs
to them (百分之十五).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from judges.distilled.kernel.compiled import inlined
from judges.distilled.kernel.hashing import Codes

Classes = npt.NDArray[np.uint8]
Marks = npt.NDArray[np.uint16]

LETTER, DIGIT = 1, 2
"""As in `codepoints`."""

NUMERAL, ALONE, MEASURE, JOINS, TAIL_START, ENDS_SENTENCE, ENDS_CLAUSE, SPACE = (1 << i for i in range(8))
"""What a code point may be, as bits. The first five are said of folded code points.

`NUMERAL`: a Chinese numeral; `ALONE`: one that counts alone before a `MEASURE` word; `JOINS`: may stand
between digits; `TAIL_START`: begins a word that scales.
"""

_SHARE, _OF, _BLANK = ord("分"), ord("之"), ord(" ")


@inlined
def _is_plain_part(folded: Codes, kind: Classes, marks: Marks, i: int) -> bool:
    """A digit, a numeral, or a point, comma or colon between digits."""
    if kind[i] == DIGIT:
        return True
    mark = marks[folded[i]]
    if mark & NUMERAL:
        return True
    inside = 0 < i < len(folded) - 1
    return bool(mark & JOINS) and inside and kind[i - 1] == DIGIT and kind[i + 1] == DIGIT


@inlined
def _is_fraction(folded: Codes, kind: Classes, marks: Marks, i: int) -> bool:
    """分之 at `i`, between parts of numbers."""
    if not 0 < i < len(folded) - 2 or folded[i] != _SHARE or folded[i + 1] != _OF:
        return False
    return _is_plain_part(folded, kind, marks, i - 1) and _is_plain_part(folded, kind, marks, i + 2)


@inlined
def _is_part(folded: Codes, kind: Classes, marks: Marks, i: int) -> bool:
    if _is_plain_part(folded, kind, marks, i) or _is_fraction(folded, kind, marks, i):
        return True
    return i > 0 and _is_fraction(folded, kind, marks, i - 1)


@inlined
def find_span_end(folded: Codes, kind: Classes, marks: Marks, tails: Codes, begin: int) -> tuple[int, int]:
    """The end of the number that begins at `begin`, and of the run that it begins with; -1: no number.

    `tails`: one row a word that scales, the most wanted first, padded with zeros.
    """
    n = len(folded)
    end = begin
    digits = 0
    while end < n and _is_part(folded, kind, marks, end):
        digits += kind[end] == DIGIT
        end += 1
    if digits == 0 and end - begin < 2:
        counted = marks[folded[begin]] & ALONE and marks[folded[min(end, n - 1)]] & MEASURE
        if not counted:
            return -1, end
    return _reach_tail(folded, kind, marks, tails, end), end


@inlined
def _reach_tail(folded: Codes, kind: Classes, marks: Marks, tails: Codes, end: int) -> int:
    """Take in what scales a number: k, million, pm … after at most one space."""
    n = len(folded)
    begin = end
    if end < n and folded[end] == _BLANK:
        begin += 1
    begin = min(begin, n - 1)
    if not marks[folded[begin]] & TAIL_START:
        return end
    for row in range(tails.shape[0]):
        length = 0
        while length < tails.shape[1] and tails[row, length] != 0:
            if begin + length >= n or folded[begin + length] != tails[row, length]:
                break
            length += 1
        if length == tails.shape[1] or tails[row, length] == 0:
            after = begin + length
            if after >= n or kind[after] != LETTER:
                return after
    return end
