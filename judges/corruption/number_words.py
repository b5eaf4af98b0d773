"""Numbers in English words: three → five, twenty-five → forty-five, the second → the fourth, half → …"""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.corruption.change import Site
from judges.corruption.figures import find_bounds

_SMALL = "two three four five six seven eight nine ten eleven twelve".split()
_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {word: i + 2 for i, word in enumerate([*_SMALL, *_TEENS])}
_VALUES |= {word: 10 * (i + 2) for i, word in enumerate(_TENS)}
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_FRACTIONS = {
    "half": 0.5,
    "a third": 1 / 3,
    "one third": 1 / 3,
    "one-third": 1 / 3,
    "two thirds": 2 / 3,
    "two-thirds": 2 / 3,
    "a quarter": 0.25,
    "one quarter": 0.25,
    "three quarters": 0.75,
    "three-quarters": 0.75,
    "one fifth": 0.2,
    "one-fifth": 0.2,
}
_ANY = "|".join(_VALUES)
_CARDINAL = re.compile(
    rf"(?<![\w-])({_ANY})\b(?!-?\s?(?:thirds?|quarters?|fifths?|halves|or|to)\b)(?!\.\w)", re.IGNORECASE
)
_PAIRED = re.compile(rf"\b(?:{_ANY}|one|\d+) (?:or|to) $", re.IGNORECASE)
_ORDINAL = re.compile(
    rf"\b(?:the|its|his|her|their|your|every)\s({'|'.join(_ORDINALS)})\b(?!\s+(?:half|of all))", re.IGNORECASE
)
_FRACTION = re.compile(rf"\b({'|'.join(_FRACTIONS)})(?= of\b| the\b)", re.IGNORECASE)
_SHOWN = ("half", "a third", "a quarter", "two thirds", "three quarters", "one fifth")
"""The wordings that take the place of a fraction."""


def find_number_words(text: str) -> Iterator[Site]:
    """Number words of an English text, with others of the same order for each.

    >>> [site.options[:3] for site in find_number_words("It has three ports.")]
    [('two', 'four', 'five')]
    """
    for match in _CARDINAL.finditer(text):
        if not _PAIRED.search(text[max(0, match.start() - 14) : match.start()]):
            yield _other_cardinals(text, match)
    for match in _ORDINAL.finditer(text):
        others = _ORDINALS[: 4 if text[match.end() :].startswith(" quarter") else 6]
        options = [_as_written(match[1], o) for o in others if o != match[1].lower()]
        yield Site(match.start(1), match.end(1), tuple(options))
    for match in _FRACTION.finditer(text):
        value = _FRACTIONS[match[1].lower()]
        options = [_as_written(match[1], o) for o in _SHOWN if _FRACTIONS[o] != value]
        yield Site(match.start(1), match.end(1), tuple(options))


def _other_cardinals(text: str, match: re.Match[str]) -> Site:
    word = match[1].lower()
    value = float(_VALUES[word])
    family = next(f for f in (_SMALL, _TEENS, _TENS) if word in f)
    bounds = find_bounds(text, *match.span(1), value)
    options = [o for o in family if bounds.admit(value, _VALUES[o])]
    return Site(match.start(1), match.end(1), tuple(_as_written(match[1], o) for o in options))


def _as_written(before: str, after: str) -> str:
    return after.capitalize() if before[0].isupper() else after
