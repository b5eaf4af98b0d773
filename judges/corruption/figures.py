"""Figures close to a given one, in its own format, and what a sentence says of how far they may lie."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from judges.distilled.measuring.numbers import number_values

_UP = re.compile(
    r"(?:at least|more than|over|above|exceed(?:s|ed|ing)?|no less than|greater than|longer than"
    r"|minimum(?: of)?|"
    r"older than|至少|超过|大于|高于|不少于|不低于|最少|多于|超|逾|满)\s?[$€£¥]?$",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"(?:at most|less than|under|below|no more than|within|fewer than|(?:not|never) exceed(?:ing)?"
    r"|maximum(?: of)?|"
    r"shorter than|不超过|不得超过|少于|低于|小于|不到|不足|至多|不高于|不多于|未满)\s?[$€£¥]?$",
    re.IGNORECASE,
)
_UP_BEHIND = re.compile(r"\s?[^\s，。；,.;]{0,6}?(?:\+|以上|及以上| or (?:more|above|older|longer|higher))")
_DOWN_BEHIND = re.compile(
    r"\s?[^\s，。；,.;]{0,6}?(?:以下|以内|之内|内(?!存|容|部)| or (?:less|fewer|under|below))"
)
_ABOUT = re.compile(
    (
        r"(?:about|around|roughly|approximately|nearly|almost|some|circa|close to|~|≈|大约|约|将近|接近|近"
        r"|几乎|差不多)\s?[$€£¥]?$"
    ),
    re.IGNORECASE,
)
_ABOUT_BEHIND = re.compile(r"\s?[^\s，。；,.;]{0,4}?(?:左右|上下| or so)|[多余]")
_PERCENT = re.compile(r"\s?(?:%|％|per ?cent\b|个百分点)", re.IGNORECASE)
_QUARTER = re.compile(r"(?:st|nd|rd|th)?\s?(?:季度|quarter\b)")
BEYOND = 0.15
"""How far beyond a bound another one must lie."""
ROUGH = 0.3
"""How far, relative to a figure said to be rough, another one must lie to be wrong."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Which values another figure may take; `gap` is its least distance relative to the first."""

    low: float = -math.inf
    high: float = math.inf
    gap: float = 0.0

    def admit(self, old: float, new: float) -> bool:
        """Whether `new` is a different value that lies within the bounds and far enough off."""
        return new != old and self.low <= new <= self.high and abs(new - old) >= self.gap * abs(old)


def find_bounds(text: str, start: int, end: int, value: float) -> Bounds:
    """What the words around a figure say: "over 30" may only grow, "about 30" must leave by a third.

    >>> find_bounds("at least 12 characters", 9, 11, 12.0).low
    12.0
    """
    before, behind = text[max(0, start - 20) : start], text[end : end + 16]
    low, high, gap = -math.inf, math.inf, 0.0
    if _DOWN.search(before) or _DOWN_BEHIND.match(behind):
        high, gap = value, BEYOND
    elif _UP.search(before) or _UP_BEHIND.match(behind):
        low, gap = value, BEYOND
    if _ABOUT.search(before) or _ABOUT_BEHIND.match(behind):
        gap = ROUGH
    if _PERCENT.match(behind) and value <= 100:
        high, gap = min(high, 100.0), min(gap, 0.05)
    if _QUARTER.match(behind):
        high = 4.0
    return Bounds(low, high, gap)


def value_of(figure: str) -> float | None:
    """The value of digits or Chinese numerals, or null.

    >>> value_of("1,200.5"), value_of("三十五")
    (1200.5, 35.0)
    """
    values = number_values(figure.lower())
    return values[0] if values else None


def other_figures(body: str, random: Random) -> list[str]:
    """Figures like `body` with other digits: round ones stay round, separators and decimals stay.

    >>> sorted(other_figures("400", Random(3)))[:3]
    ['100', '200', '300']
    >>> all(f[1] == "," and f.endswith("00") for f in other_figures("1,200", Random(3)))
    True
    """
    if body == "0":
        return ["2", "3", "4", "5"]
    places = [i for i, c in enumerate(body) if c.isdigit()]
    if body[0] == "0" and not body.startswith("0."):
        return []
    significant = places
    if "." not in body:
        while len(significant) > 1 and body[significant[-1]] == "0":
            significant = significant[:-1]
    elif body.startswith("0."):
        significant = places[1:]
    options = [_with(body, {at: d}) for at in significant for d in "123456789" if d != body[at]]
    if len(body) == 2 and body[1] == "0":
        options += [f"{d}5" for d in "123456789"]
    for left, right in pairwise(significant):
        if body[left] != body[right] != "0":
            options.append(_with(body, {left: body[right], right: body[left]}))
    random.shuffle(options)
    return options[:12]


def _with(body: str, digits: dict[int, str]) -> str:
    return "".join(digits.get(i, c) for i, c in enumerate(body))


def other_chinese(numeral: str, random: Random) -> list[str]:
    """Chinese numerals with one digit changed: 三十五 → 三十八, 十 → 二十, 两 → 四.

    >>> sorted(other_chinese("两百", Random(1)))[:3]
    ['七百', '三百', '九百']
    """
    options = []
    for at, character in enumerate(numeral):
        if character in "一二两三四五六七八九":
            others = "一二三四五六七八九" if numeral[at - 1 : at] == "十" else "三四五六七八九"
            options += [numeral[:at] + d + numeral[at + 1 :] for d in others if d != character]
    if numeral[0] in "十百千万亿":
        options += (
            [d + numeral for d in "二三四五"] if numeral[0] == "十" else [d + numeral for d in "三四五"]
        )
    random.shuffle(options)
    return options[:12]


def to_ordinal(value: int) -> str:
    """The English ordinal in digits.

    >>> [to_ordinal(n) for n in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    if value % 100 in (11, 12, 13):
        return f"{value}th"
    return f"{value}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(value % 10, 'th') }"
