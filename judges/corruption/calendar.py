"""Which digits are dates: years, months, days and times of day, in Chinese and English."""

from __future__ import annotations

import re

MONTHS = "January February March April May June July August September October November December".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTH = rf"(?:{'|'.join(MONTHS)}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?"
_MONTH_BEFORE = re.compile(rf"\b{_MONTH}\s(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s)?$")
_MONTH_BEHIND = re.compile(rf"(?:st|nd|rd|th)?(?: of)?\s{_MONTH}(?![a-z])")
_YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|by|until|till|from|of|year|years|before|after|between|circa|early|late|mid|during"
    r"|around|to|and|"
    r"[Ss]pring|[Ss]ummer|[Aa]utumn|[Ww]inter|[Ff]all)\s|[(（]|[,，]\s?)$",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\s?(?:%|[A-Za-z°]{2,}|[\u4e00-\u9fff])")
_YEAR_FOLLOWS = re.compile(
    r"\s?(?:and|to|by|when|in|at|for|with|as|the|after|before|until|was|were|is|had|has|he|she|it|they|but"
    r"|or|while|on|under|from|a|an|due|following|because|who|where|which|through)\b"
)
_DECADE = re.compile(r"\d{3}0s\b")
_CHINESE_DATE = re.compile(r"\s?(?:月|日|点(?!击|赞|评|数|名|菜|位|滴|心)|时(?!间|候|长|段)|世纪)")


def is_year(text: str, start: int, end: int) -> bool:
    """Whether digits `[start, end)` are a year: four of them, in a place where years stand.

    >>> is_year("built in 1998.", 9, 13), is_year("1998 people came", 0, 4), is_year("1998年", 0, 4)
    (True, False, True)
    """
    digits = text[start:end]
    if len(digits) != 4 or not digits.isdigit() or not 1000 <= int(digits) <= 2100:
        return False
    if re.match(r"\s?年", text[end:]):
        return True
    if not int(digits) >= 1500:
        return False
    before = text[max(0, start - 24) : start]
    if _MONTH_BEFORE.search(before):
        return True
    counted = _COUNTED.match(text, end) and not _YEAR_FOLLOWS.match(text, end)
    return bool(_YEAR_BEFORE.search(before)) and not counted


def is_date_part(text: str, start: int, end: int) -> bool:
    """Whether a number is a year, a month, a day of the month, a time of day or a century.

    >>> is_date_part("on May 12, 2024", 7, 9), is_date_part("5月", 0, 1), is_date_part("5个月", 0, 1)
    (True, True, False)
    """
    if is_year(text, start, end) or _CHINESE_DATE.match(text, end) or _DECADE.match(text, start):
        return True
    before = text[max(0, start - 24) : start]
    if before.endswith(("月", "月 ", "星期", "周", "礼拜")) and text[end : end + 1] in (
        "",
        "号",
        "日",
        "，",
        "。",
    ):
        return True
    if _MONTH_BEFORE.search(before) or _MONTH_BEHIND.match(text, end):
        return True
    return bool(re.match(r"\s?[ap]\.?m\b|\s?o'clock", text[end:], re.IGNORECASE))
