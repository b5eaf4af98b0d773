"""Where a passage of a redacted text lies in the text as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from judges.redaction.kinds import MARK

_LONGEST: Final = 200
"""Characters that a mark may stand for."""
_MOST_MARKS: Final = 20
"""A passage with more is given up: no claim is like that, and searching takes its number times the text."""


def place(passage: str, start: int, original: str) -> tuple[int, int] | None:
    """Offsets of a passage in the original, the nearest to `start` if it occurs there more than once.

    A mark in the passage stands for anything, by whatever rules it was redacted; at either end it is left
    out, since nobody knows how far it reaches. Null where the passage is not there, or is marks alone.
    """
    end = start + len(passage)
    if passage and original[start:end] == passage:
        return start, end
    literals = [literal for literal in MARK.split(passage) if literal.strip()]
    if not literals or len(literals) > _MOST_MARKS:
        return None
    return min(_places(literals, original), key=lambda span: abs(span[0] - start), default=None)


def _places(literals: Sequence[str], original: str) -> Iterator[tuple[int, int]]:
    """Every place of the first literal that the others follow, each within what a mark may stand for."""
    begin = original.find(literals[0])
    while begin >= 0:
        end = begin + len(literals[0])
        for literal in literals[1:]:
            found = original.find(literal, end, end + _LONGEST + len(literal))
            if found < 0:
                break
            end = found + len(literal)
        else:
            yield begin, end
        begin = original.find(literals[0], begin + 1)


__all__ = ["place"]
