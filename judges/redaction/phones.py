"""Telephone numbers: of China and North America by their own rules, of the rest of the world by `phonenumbers`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import phonenumbers

from judges.redaction.kinds import PHONE
from judges.redaction.spans import Item
from judges.redaction.zones import NOT_PERSONAL, before, is_joined, zones

_ASKED_AT_MOST = 300
"""Questions to the library about one text. Past them whatever has the shape of a number is taken for one."""

_MOBILE = re.compile(
    r"(?:(?:\+|00) ?\(?86\)?[ -]?|\(86\)[ -]?|86[ -])?1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)|(?:(?:\+|00)86[ -]?)?1[3-9]\d{2}[ -]\d{3}[ -]\d{4}(?!\d)"
)
_LANDLINE = re.compile(
    r"(?:(?:\+|00) ?86[ -]?)?\(?0?(?:10|2\d|[3-9]\d{2})\)?[ -]?[2-8]\d{2,3}[ -]?\d{4}(?!\d)"
)
_AMERICAN = re.compile(
    r"(?:\+?1[ .-]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}(?!\d)|\+1 ?[2-9]\d{2}[2-9]\d{6}(?!\d)"
)
_ABROAD = re.compile(r"(?:\+|00(?=[1-9]))\(?\d{1,3}\)?(?:[ .()/-]{0,3}\d){6,13}(?!\d)")
_BRITISH = re.compile(r"\(?0(?:20|1\d{2,3}|2[3489]|3\d{2}|7\d{3}|8\d{2})\)?(?:[ -]?\d){6,8}(?!\d)")
_ANY = re.compile(r"\(?\d{1,5}\)?(?:[ .()/-]{0,2}\d){4,13}(?!\d)")
_CALLED = re.compile(
    r"(?:电话|手机|手机号|联系方式|联系|拨打|致电|座机|固话|热线|来电|回电|传真|短信|号码|(?:\b|_)(?:tel|telephone|phone|mobile|cell|cellphone|call|called|calling|ring"
    r"|dial|text|fax|whatsapp|sms|reach (?:me|us|him|her|them)|contact|ph|mob))"
    r"(?:[ _-]?(?:number|no|num|#))?(?:号码|号)?[\s:.=\"'(是为:打我他她]{0,6}(?:is|me|us|him|her|at|on|me at|me on)?[\s:\"']{0,3}$",
    re.IGNORECASE,
)
_EXTENSION = re.compile(r"[ ,]{0,2}(?:-|转|分机|ext\.?|extension|x) ?:?\d{1,6}(?!\d)", re.IGNORECASE)
_SPOKEN = re.compile(r"[幺一二三四五六七八九零〇0-9](?:[ ,、-]?[幺一二三四五六七八九零〇0-9]){10}")
_SPOKEN_DIGITS = str.maketrans("幺一二三四五六七八九零〇", "112345678900")


def find_phones(text: str) -> Iterator[Item]:
    """Every telephone number, with its extension."""
    asked = 0
    for start, end in zones(text):
        place = start
        while place < end:
            found = _first(text, place, end, asked)
            if found is None:
                break
            match_start, match_end, asked, good = found
            if good:
                extension = _EXTENSION.match(text, match_end)
                match_end = extension.end() if extension else match_end
                yield Item(PHONE, match_start, match_end)
            place = match_end
    yield from _find_spoken(text)


def _first(text: str, start: int, end: int, asked: int) -> tuple[int, int, int, bool] | None:
    match = _ANY_NUMBER.search(text, start, end)
    if match is None:
        return None
    words = before(text, match.start())
    if is_joined(text, match.start(), match.end()) or _goes_on(text, match):
        return match.start(), match.end(), asked, False
    if _CALLED.search(words):
        good = _MANY.fullmatch(match[0]) is None
    elif NOT_PERSONAL.search(words):
        good = False
    elif match.lastgroup == "abroad":
        asked += 1
        good = asked > _ASKED_AT_MOST or _is_number(match[0])
    else:
        good = match.lastgroup != "any"
    return match.start(), match.end(), asked, good


_MANY = re.compile(r"(?:19|20)\d{2}[-./]\d{1,2}[-./]\d{1,2}|\d{1,4}")
_ANY_NUMBER = re.compile(
    rf"(?<![\d.])(?:(?P<mobile>{_MOBILE.pattern})|(?P<abroad>{_ABROAD.pattern})|(?P<american>{_AMERICAN.pattern})"
    rf"|(?P<landline>\(?0(?:10|2\d|[3-9]\d{{2}})\)?[ -]?[2-8]\d{{2,3}}[ -]?\d{{4}}(?!\d))"
    rf"|(?P<british>{_BRITISH.pattern})|(?P<any>{_ANY.pattern}))"
)


def _goes_on(text: str, match: re.Match[str]) -> bool:
    """Whether more digits follow behind a point or dash: the number is longer than a phone's."""
    rest = text[match.end() : match.end() + 3]
    return bool(re.match(r"[.-]\d{2}", rest)) and match.lastgroup != "mobile"


@lru_cache(maxsize=2048)
def _is_number(written: str) -> bool:
    try:
        number = phonenumbers.parse("+" + written[2:] if written.startswith("00") else written, None)
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_possible_number(number)


def _find_spoken(text: str) -> Iterator[Item]:
    """Mobile numbers written as they are said: 幺三八…"""
    if "八" not in text and "三" not in text and "五" not in text:
        return
    for match in _SPOKEN.finditer(text):
        digits = re.sub(r"\D", "", match[0].translate(_SPOKEN_DIGITS))
        if not match[0].isascii() and re.fullmatch(r"1[3-9]\d{9}", digits):
            yield Item(PHONE, *match.span())
