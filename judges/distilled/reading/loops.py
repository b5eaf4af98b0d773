"""Does a text end in one phrase said over and over?"""

from __future__ import annotations

TAIL_CHARS = 6_000
MIN_CHARS = 60
MIN_REPEATED = 400
"""So many repeated characters are a loop, whatever stands before them."""
_PROBE = 16


def repeats_endlessly(text: str) -> bool:
    """Whether a text ends in one phrase, three times over and more: half of the text, or 400 characters.

    A line of dashes is none: what repeats has a letter in it.
    """
    tail = text[-TAIL_CHARS:].rstrip()
    if len(tail) < MIN_CHARS:
        return False
    # A loop repeats its last words: the distance to their previous occurrence is its period.
    previous = tail.rfind(tail[-_PROBE:], 0, len(tail) - 1)
    period = len(tail) - _PROBE - previous
    if previous < 0 or period < 1:
        return False
    same = _count_same(tail, period)
    if same < 2 * period or not any(c.isalpha() or c.isdigit() for c in tail[-period:]):
        return False
    if period == 1 and tail[-1].isdigit():
        return same >= MIN_REPEATED  # 0000000 is a number, until it is absurd
    return same * 2 > len(tail) or same >= MIN_REPEATED


def _count_same(text: str, period: int) -> int:
    """How many characters at the end equal those one period before them."""
    same, limit = 0, len(text) - period
    while same < limit and text[limit - 1 - same] == text[-1 - same]:
        same += 1
    return same
