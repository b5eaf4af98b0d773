"""Telephone numbers: of China, North America and Britain by their shape, of all others by `phonenumbers`.

A number in a shape that is a telephone's is taken for one, unless the words before it say that it counts or
names something else. Where they say that somebody can be called, any number of plausible length is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import phonenumbers

from judges.redaction.fold import Folded
from judges.redaction.kinds import PHONE
from judges.redaction.spans import Item
from judges.redaction.zones import before, is_joined, is_of_a_thing, zones

_ASKED_AT_MOST: Final = 300
"""Questions to the library about one text. Past them whatever has the shape of a number is taken for one."""

_SHAPES: Final = {
    "mobile": (
        r"(?:(?:\+|00) ?\(?86\)?[ -]?|\(86\)[ -]?|86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)"
        r"|(?:(?:\+|00)86[ -]?)?1[3-9]\d{2}[ -]\d{3}[ -]\d{4}(?!\d)"
        r"|(?:(?:\+|00)86[ -]?)?1[3-9]\d[ -]\d{3}[ -]\d{5}(?!\d)"
    ),
    "abroad": r"(?:\+|00(?=[1-9]))\(?\d{1,3}\)?(?:[ .()/-]{0,3}\d){6,13}(?!\d)",
    "american": r"(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}(?!\d)",
    "landline": r"\(?0(?:10|2\d|[3-9]\d{2})\)?[ -]?[2-8]\d{2,3}[ -]?\d{4}(?!\d)",
    "hotline": r"[48]00[ -]\d{3}[ -]?\d{4}(?!\d)|[48]00[ -]\d{4}[ -]?\d{3}(?!\d)",
    "british": r"\(?0(?:20|1\d{2,3}|2[3489]|3\d{2}|7\d{3}|8\d{2})\)?[ -](?:\d[ -]?){5,7}\d(?!\d)"
    r"|07\d{9}(?!\d)",
    "any": r"\(?\d{1,5}\)?(?:[ .()/-]{0,2}\d){4,13}(?!\d)",
}
_NUMBER: Final = re.compile(
    r"(?<![\d.])(?:" + "|".join(f"(?P<{name}>{shape})" for name, shape in _SHAPES.items()) + ")", re.ASCII
)
_CALLED: Final = re.compile(
    r"(?:电话|手机|联系方式|联系|拨打|致电|座机|固话|来电|回电|传真|短信|分机|打|呼叫"
    r"|(?<![A-Za-z])(?:tel|telephone|phone|mobile|cell|cellphone|call|called|calling|ring|dial|text|fax"
    r"|whatsapp|sms|reach"
    r"|contact|ph|mob|phoned from|texted|handy))"
    r"(?:[ _-]?(?:number|no|num|#))?(?:号码|号)?[\s:.=\"'(是为:给打我他她到]{0,6}"
    r"(?:is|me|us|him|her|at|on|back|to)?\s?(?:at|on)?[\s:\"']{0,3}$",
    re.IGNORECASE,
)
_EXTENSION: Final = re.compile(
    r"(?:[ ,]{0,2}(?:转|分机|ext\.?|extension|x) ?:?|-)\d{1,6}(?!\d)", re.IGNORECASE | re.ASCII
)
_NO_PHONE: Final = re.compile(
    r"(?:19|20)\d{2}[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,4}|\d{1,3}(?:\.\d{1,3}){3}|(?:19|20)\d{2}[-/]\d{4}",
    re.ASCII,
)
_GOES_ON: Final = re.compile(r"\.\d|-\d{2}", re.ASCII)
_SPOKEN: Final = re.compile(r"[幺一二三四五六七八九零〇0-9](?:[ ,、-]?[幺一二三四五六七八九零〇0-9]){10}")
_SPOKEN_DIGITS: Final = str.maketrans("幺一二三四五六七八九零〇", "112345678900")
_SAID: Final = re.compile(r"1[3-9]\d{9}", re.ASCII)


def find_phones(folded: Folded) -> Iterator[Item]:
    """Every telephone number, with its extension."""
    text = folded.text
    asked = 0
    for start, end in zones(text):
        place = start
        while match := _NUMBER.search(text, place, end):
            place = match.end()
            if _is_phone(text, match, asked):
                extension = _EXTENSION.match(text, place) if match.lastgroup != "any" else None
                place = extension.end() if extension else place
                yield Item(PHONE, match.start(), place)
            asked += match.lastgroup == "abroad"
    if not text.isascii():
        yield from _find_spoken(text)


def _is_phone(text: str, match: re.Match[str], asked: int) -> bool:
    words = before(text, match.start())
    if is_joined(text, match.start(), match.end()) or is_of_a_thing(words) or _NO_PHONE.fullmatch(match[0]):
        return False
    called = bool(_CALLED.search(words))
    goes_on = _GOES_ON.match(text, match.end())
    if goes_on and (goes_on[0][0] == "." or match.lastgroup not in ("mobile", "landline")):
        return False
    if match.lastgroup == "abroad":
        return called or asked >= _ASKED_AT_MOST or _is_possible(match[0])
    if match.lastgroup in ("any", "hotline"):
        return called
    return True


@lru_cache(maxsize=2048)
def _is_possible(written: str) -> bool:
    """Whether a number with the code of its country may exist: of the right length for that country."""
    try:
        number = phonenumbers.parse("+" + written[2:] if written.startswith("00") else written, None)
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_possible_number(number)


def _find_spoken(text: str) -> Iterator[Item]:
    """Mobile numbers written as they are said: 幺三八…"""
    for match in _SPOKEN.finditer(text):
        digits = re.sub(r"\D", "", match[0].translate(_SPOKEN_DIGITS))
        if not match[0].isascii() and _SAID.fullmatch(digits):
            yield Item(PHONE, *match.span())
