"""Where the stem of an English word ends: plural, -ed, -ing, -ly, then silent e, y, double letters."""

from __future__ import annotations

from judges.distilled.kernel.compiled import inlined
from judges.distilled.kernel.hashing import Codes

SHORTEST = 3
"""Characters that a stem keeps."""
_A, _D, _E, _G, _I, _L, _N, _S, _U, _Y, _QUOTE = (ord(c) for c in "adegilnsuy'")


@inlined
def _at(folded: Codes, begin: int, place: int) -> int:
    return int(folded[max(place, begin)])


@inlined
def find_stem_end(folded: Codes, begin: int, end: int) -> tuple[int, bool]:
    """One past the last character of the stem of the folded word at `[begin, end)`, and whether it is one
    of three letters that a y was cut from: "busy" is no "bus"."""
    stop = end
    least = begin + SHORTEST
    if _at(folded, begin, stop - 1) == _S and _at(folded, begin, stop - 2) == _QUOTE and stop - 2 >= least:
        stop -= 2
    if _at(folded, begin, stop - 1) == _S:
        before = _at(folded, begin, stop - 2)
        if before != _S and before != _U and before != _I and before != _QUOTE:
            if before == _E and _at(folded, begin, stop - 3) == _I and stop - 2 >= least:
                stop -= 2
            if _at(folded, begin, stop - 1) == _S and stop - 1 >= least:
                stop -= 1
    if _at(folded, begin, stop - 1) == _D and _at(folded, begin, stop - 2) == _E and stop - 2 >= least:
        stop -= 2
    if (
        _at(folded, begin, stop - 1) == _G
        and _at(folded, begin, stop - 2) == _N
        and _at(folded, begin, stop - 3) == _I
        and stop - 3 >= least
    ):
        stop -= 3
    if _at(folded, begin, stop - 1) == _Y and _at(folded, begin, stop - 2) == _L and stop - 2 >= least:
        stop -= 2
    if _at(folded, begin, stop - 1) == _E and stop - 1 >= least:
        stop -= 1
    last = _at(folded, begin, stop - 1)
    short = False
    if last in (_Y, _I) and stop - 1 >= least:
        stop -= 1
        short = stop == least
    if stop - begin >= 4 and _at(folded, begin, stop - 1) == _at(folded, begin, stop - 2):
        stop -= 1
    return stop, short
