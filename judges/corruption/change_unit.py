"""Another unit behind the same number: 30 days → 30 weeks, 5公里 → 5米, $20 → €20, 每天 → 每周.

The number stays, so the two never say the same (nothing happens to a zero). Synonyms (公里 and 千米) are
never taken for each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from judges.corruption.change import Change, Kind, Site, make_change
from judges.corruption.unit_families import FAMILIES, RATES, Family

_COUNT_EN = (
    r"(?:\d[\d,.]{0,30}+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty"
    r"|sixty|ninety|hundred|thousand|million|billion|several|few|couple of|half a|one)(?:[ -](?:consecutive"
    r"|full|more|additional|whole|calendar|cubic|square))?"
)
_COUNT_ZH = r"(?:\d[\d,.]{0,30}+|[零一二两三四五六七八九十百千万亿几数半]|[多余])"
_ZERO = re.compile(r"(?<![\d.,])0+(?:\.0+)?[ -]?$|(?<![零一二三四五六七八九十百千])零$")
_ARTICLED = re.compile(
    r"\b(?:(?<=within )|(?<=after )|(?<=in )|(?<=for )|(?<=takes )|(?<=lasts )|(?<=once )|(?<=twice )"
    r"|(?<=times )|(?<=about ))(an?) (second|minute|hour|day|week|month|year)\b(?! ago| or | later)"
)
_TIMES = ("second", "minute", "hour", "day", "week", "month", "year")
_SYMBOL = re.compile(r"(?<![A-Za-z])([$€£¥￥])(?=\s?\d*[1-9])")
_SYMBOLS = {"$": ("€", "£", "¥"), "€": ("$", "£", "¥"), "£": ("$", "€"), "¥": ("$", "€"), "￥": ("$", "€")}
REACH = 2
"""How many steps up or down its family another unit may lie: seconds never become years."""


def change_unit(text: str, random: Random, contexts: Sequence[str] = ()) -> Change | None:
    """Give one number of `text` another unit; null where none has a unit.

    >>> change_unit("Returns are free for 30 days.", Random(2)).text
    'Returns are free for 30 hours.'
    >>> change_unit("全程5公里。", Random(2)).text
    '全程5里。'
    """
    return make_change(text, Kind.UNIT, find_units(text), random, contexts)


def find_units(text: str) -> Iterator[Site]:
    """The units of a text, with others of their family for each."""
    for family in FAMILIES:
        yield from _find_family(text, family)
    for rates in RATES:
        for match in rates.pattern.finditer(text):
            yield Site(*match.span(), tuple(_neighbours(rates, match[0])), "rate")
    for match in _ARTICLED.finditer(text):
        at = _TIMES.index(match[2])
        near = [t for i, t in enumerate(_TIMES) if 0 < abs(i - at) <= REACH]
        yield Site(*match.span(), tuple(f"an {t}" if t == "hour" else f"a {t}" for t in near), "time")
    for match in _SYMBOL.finditer(text):
        yield Site(*match.span(), _SYMBOLS[match[1]], "currency")


def _find_family(text: str, family: Family) -> Iterator[Site]:
    for match in family.pattern.finditer(text):
        before = text[max(0, match.start() - 30) : match.start()]
        if not _COUNTS[family.chinese].search(before) or _ZERO.search(before):
            continue
        if match[0] == "年" and re.search(r"\d{4}$|[〇零一二三四五六七八九]{4}$", before.rstrip()):
            continue
        yield Site(*match.span(), tuple(_neighbours(family, match[0])), family.name)


_COUNTS = {
    False: re.compile(rf"(?<![A-Za-z0-9_.]){_COUNT_EN}[ -]?$", re.IGNORECASE),
    True: re.compile(rf"{_COUNT_ZH}\s?$"),
}


def _neighbours(family: Family, written: str) -> list[str]:
    """The units within reach, in the form (short, singular, plural, capital) of the one written."""
    lowered = written if family.exact else written.lower()
    for at, unit in enumerate(family.units):
        if lowered in unit.forms:
            form = unit.forms.index(lowered)
            near = [
                other.forms[min(form, len(other.forms) - 1)]
                for i, other in enumerate(family.units)
                if 0 < abs(i - at) <= REACH and other.size != unit.size
            ]
            return [n.capitalize() if written[0].isupper() and not family.exact else n for n in near]
    return []
