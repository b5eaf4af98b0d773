"""Texts made to be slow for a regular expression, from its own structure.

Backtracking costs more than its text is long in two ways: what a repetition takes can be divided among
several of them, and a search begins anew within what the last try went through. Both show on *what leads to a
repetition, then what it repeats many times, then something that does not fit* (the attack strings of Weideman
et al., "Analyzing Matching Time Behavior of Backtracking Regular Expression Matchers", 2016; and of Davis et
al., "The Impact of Regular Expression Denial of Service in Practice", 2018), on the way that leads there many
times over, and on all that the pattern wants but its end, many times over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from re import _constants as codes
from re import _parser as parser
from typing import Any, Final

PALETTE: Final = "aA0 \n\t_字一零，。.,:;-(['\"<>#|*/=é不"
"""What a class of characters is filled with where it allows it: each in turn comes first."""
_ENDS: Final = ("\0", "", "\n\n0")
_REPEATS: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_LONG: Final = 8
"""A repetition that may go on for longer than this is one to pump."""
Make = Callable[[int], str]


def make_attacks(pattern: re.Pattern[Any]) -> list[Make]:
    """Functions that make an attack of a given length, each another one."""
    source = pattern.pattern
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    tree = parser.parse(text, pattern.flags & ~re.UNICODE & ~re.DEBUG)
    made: dict[tuple[str, str, str], Make] = {}
    for before, unit, end in _shapes(tree, pattern.flags):
        if unit:
            made.setdefault((before, unit, end), _pump(before, unit, end))
    return list(made.values())


def _pump(before: str, unit: str, end: str) -> Make:
    return lambda length: before + unit * ((length - len(before)) // len(unit)) + end


def _shapes(tree: Any, flags: int) -> Iterator[tuple[str, str, str]]:
    writers = [_Writer(first, flags) for first in ("", *PALETTE)]
    for writer in writers:
        whole = writer.write(tree)
        for end in _ENDS[:2]:
            yield "", whole[:-1], end
            yield "", whole, end
        for way, body in writer.repeats(tree):
            unit = writer.write(body)
            for end in _ENDS:
                yield way, unit, end
            yield "", way + unit, ""
            yield "", way, ""
            yield way, unit + unit[:1], ""
    for char in PALETTE:
        yield "", char, "\0"


class _Writer:
    """Writes a text that fits (part of) a pattern; one character is preferred wherever it may stand."""

    def __init__(self, first: str, flags: int) -> None:
        self._first = first
        self._flags = flags
        self._groups: dict[int, str] = {}

    def write(self, items: Any) -> str:
        """As short as it may be, but that optional things with few repetitions are left out."""
        return "".join(self._write_one(code, value) for code, value in items)

    def repeats(self, items: Any, way: str = "") -> Iterator[tuple[str, Any]]:
        """Every long repetition within: what leads to it, and what it repeats."""
        for code, value in items:
            for inner, skipped in self._inside(code, value):
                if code in _REPEATS and value[1] > _LONG:
                    yield way, inner
                yield from self.repeats(inner, way + skipped)
            way += self._write_one(code, value)

    def _inside(self, code: Any, value: Any) -> Sequence[tuple[Any, str]]:
        if code in _REPEATS:
            return [(value[2], "")]
        if code is codes.SUBPATTERN:
            return [(value[3], "")]
        if code is codes.ATOMIC_GROUP:
            return [(value, "")]
        if code is codes.BRANCH:
            return [(branch, "") for branch in value[1]]
        if code in (codes.ASSERT, codes.ASSERT_NOT):
            return [(value[1], "")]
        if code is codes.GROUPREF_EXISTS:
            return [(part, "") for part in value[1:] if part]
        return []

    def _write_one(self, code: Any, value: Any) -> str:
        if code in _REPEATS:
            low, high, body = value
            return self.write(body) * min(max(low, 1 if high > _LONG else 0), 50)
        if code is codes.SUBPATTERN:
            self._groups[value[0]] = made = self.write(value[3])
            return made
        if code is codes.ATOMIC_GROUP:
            return self.write(value)
        if code is codes.BRANCH:
            return self._branch(value[1])
        if code is codes.ASSERT:
            return self.write(value[1]) if value[0] < 0 else ""
        if code is codes.GROUPREF:
            return self._groups.get(value, "")
        return self._character(code, value)

    def _branch(self, branches: Sequence[Any]) -> str:
        made = [self.write(branch) for branch in branches]
        return next((text for text in made if text and text[0] == self._first), made[0])

    def _character(self, code: Any, value: Any) -> str:
        if code is codes.LITERAL:
            return chr(value)
        if code not in (codes.NOT_LITERAL, codes.ANY, codes.IN):
            return ""
        if self._first and _fits(self._first, code, value, self._flags):
            return self._first
        return next((char for char in _candidates(value) if _fits(char, code, value, self._flags)), "")


def _candidates(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for code, one in value:
            if code is codes.LITERAL:
                yield chr(one)
            elif code is codes.RANGE:
                yield chr(one[0])
    yield from PALETTE
    yield from map(chr, range(1, 0x250))


_CATEGORIES: Final = {
    codes.CATEGORY_DIGIT: r"\d", codes.CATEGORY_NOT_DIGIT: r"\D", codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S", codes.CATEGORY_WORD: r"\w", codes.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip


def _fits(char: str, code: Any, value: Any, flags: int) -> bool:
    if code is codes.ANY:
        return char != "\n" or bool(flags & re.DOTALL)
    if code is codes.NOT_LITERAL:
        return ord(char) != value
    within = any(_in_part(char, kind, one) for kind, one in value if kind is not codes.NEGATE)
    return within != (value[0][0] is codes.NEGATE)


def _in_part(char: str, kind: Any, one: Any) -> bool:
    if kind is codes.LITERAL:
        return ord(char) == one
    if kind is codes.RANGE:
        return bool(one[0] <= ord(char) <= one[1])
    return kind is codes.CATEGORY and re.match(_CATEGORIES[one], char) is not None


__all__ = ["PALETTE", "Make", "make_attacks"]
