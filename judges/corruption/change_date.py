"""Another day, month, year or time of day: Monday → Thursday, 2019年 → 2016年, 3 pm → 3 am, 5月 → 8月."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from random import Random

from judges.corruption.calendar import MONTHS, WEEKDAYS, is_year
from judges.corruption.change import Change, Kind, Site, make_change
from judges.corruption.date_words import find_date_words
from judges.corruption.figures import to_ordinal

_MONTH = "|".join(MONTHS)
_MONTH_NAME = re.compile(rf"\b({_MONTH})\b(?=,?\s(?:of\s)?\d|\b)")
_DATED = re.compile(
    r"(?:\b(?:in|of|on|by|since|until|till|from|to|through|between|and|early|late|mid|every|last|next|this"
    r"|before|after|"
    r"\d{1,2}(?:st|nd|rd|th)?(?: of)?)[ -])$",
    re.IGNORECASE,
)
_SHY_MONTHS = ("March", "May", "August")
"""Also a verb, a modal verb and an adjective: taken for months only beside a date or a preposition."""
_DAY_EN = re.compile(
    rf"\b(?:{_MONTH})\s(\d{{1,2}})(?=(?:st|nd|rd|th)?\b)(?!\d|:)|(?<![\d.,/-])(\d{{1,2}})(?=\s(?:{_MONTH})\b)"
)
_WEEKDAY = re.compile(rf"\b({'|'.join(WEEKDAYS)})(?=s?\b)")
_WEEKDAY_ZH = re.compile(r"(?<=[周期拜])([一二三四五六日天])(?![个些天期岁年])")
_WEEKDAY_NAME = re.compile(r"(?:周|星期|礼拜)$")
_FOUR_DIGITS = re.compile(r"(?<![\d.,/-])\d{4}(?!\d|[.,]\d)")
_ISO = re.compile(r"(?<!\d)((?:1\d|20)\d{2})([-/.])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])(?!\d)")
_YEAR_ZH = re.compile(r"(?<![〇零一二三四五六七八九])[一二][〇零一二三四五六七八九]{3}(?=年)")
_DECADE = re.compile(r"\b(1[5-9]|20)(\d)0s\b")
_MONTH_ZH = re.compile(
    r"(?<![\d.])(1[0-2]|0?[1-9])(?=\s?月(?!球|亮|饼|光))|(?<![一二三四五六七八九十个])(十[一二]?"
    r"|[一二三四五六七八九])(?=月(?:份|底|初|中|末|[一二三十\d]|，|。|$))"
)
_DAY_ZH = re.compile(r"(?<=月)\s?(\d{1,2})(?=\s?[日号])")
_CENTURY = re.compile(r"(?<!\d)(\d{1,2})(?=\s?世纪)|\b(\d{1,2})(?:st|nd|rd|th)(?=[ -]century)")
_CLOCK = re.compile(r"(?<![\d.:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_HOUR_EN = re.compile(r"(?<![\d.:,])(1[0-2]|[1-9])(?=\s?(?:[ap]\.?m\b|o'clock))", re.IGNORECASE)
_HOUR_ZH = re.compile(
    r"(?<![\d.])(1\d|2[0-4]|[1-9])(?=\s?(?:点(?!击|赞|评|数|名|菜|位|滴|心|\d)|时(?!间|候|长|段|速)))"
)
_DAYS = 28
"""Every month has them."""


def change_date(text: str, random: Random, contexts: Sequence[str] = ()) -> Change | None:
    """Move one date or time of `text`; null where it has none. Dates stay valid.

    >>> change_date("We open on Monday at 9:00 am.", Random(5)).text
    'We open on Saturday at 9:00 am.'
    >>> change_date("会议于2024年5月12日举行。", Random(1)).text
    '会议于2017年5月12日举行。'
    """
    return make_change(text, Kind.DATE, find_dates(text, random), random, contexts)


def find_dates(text: str, random: Random) -> Iterator[Site]:
    """The dates and times of a text, part by part, with other values for each."""
    for finder in _FINDERS:
        yield from finder(text, random)
    yield from find_date_words(text)


def _find_years(text: str, random: Random) -> Iterator[Site]:
    for match in _FOUR_DIGITS.finditer(text):
        if is_year(text, *match.span()):
            yield Site(*match.span(), _other_years(int(match[0]), random), "year")
    for match in _DECADE.finditer(text):
        options = [
            f"{match[1]}{d}0s" for d in range(10) if str(d) != match[2] and (match[1] != "20" or d < 3)
        ]
        yield Site(*match.span(), tuple(options), "year")
    for match in _YEAR_ZH.finditer(text):
        options = [match[0][:-1] + d for d in "一二三四五六七八九" if d != match[0][-1]]
        yield Site(*match.span(), tuple(options), "year")


def _other_years(year: int, random: Random) -> tuple[str, ...]:
    offsets = [o for o in range(-9, 10) if o] + [-10, 10, -20, 20, -100]
    return tuple(str(year + o) for o in random.sample(offsets, 6) if 1000 <= year + o <= 2100)


def _find_numbered_dates(text: str, random: Random) -> Iterator[Site]:
    for match in _ISO.finditer(text):
        year, month, day = match.group(1, 3, 4)
        width = len(month)
        months = [f"{m:0{width}d}" for m in range(1, 13) if m != int(month) and int(day) <= _DAYS]
        days = [f"{d:0{len(day)}d}" for d in range(1, _DAYS + 1) if d != int(day)]
        yield Site(*match.span(1), _other_years(int(year), random), "year")
        yield Site(*match.span(3), tuple(m for m in months if len(m) == width), "month")
        yield Site(*match.span(4), tuple(d for d in days if len(d) == len(day)), "day")


def _find_months(text: str, random: Random) -> Iterator[Site]:
    for match in _MONTH_NAME.finditer(text):
        before = text[max(0, match.start() - 12) : match.start()]
        dated = _DATED.search(before) or re.match(r",?\s\d", text[match.end() :])
        if match[1] in _SHY_MONTHS and not dated:
            continue
        yield Site(*match.span(), tuple(m for m in MONTHS if m != match[1]), "month")
    for match in _MONTH_ZH.finditer(text):
        if match[1]:
            options = [str(m) for m in range(1, 13) if m != int(match[1])]
            if match[1].startswith("0"):
                options = [f"{int(o):02d}" for o in options]
        else:
            options = [m for m in "三 四 五 六 七 八 九 十".split() if m != match[2]]
        yield Site(*match.span(), tuple(options), "month")


def _find_days(text: str, random: Random) -> Iterator[Site]:
    for pattern in (_DAY_EN, _DAY_ZH):
        for match in pattern.finditer(text):
            group = match.lastindex or 1
            if not 1 <= int(match[group]) <= 31 or re.match(r"(?:st|nd|rd|th)", text[match.end(group) :]):
                continue
            others = [str(d) for d in range(2, _DAYS + 1) if d != int(match[group])]
            yield Site(*match.span(group), tuple(others), "day")


def _find_weekdays(text: str, random: Random) -> Iterator[Site]:
    for match in _WEEKDAY.finditer(text):
        options = [d for d in WEEKDAYS if d != match[1] and d not in text]
        yield Site(*match.span(1), tuple(options), "weekday")
    for match in _WEEKDAY_ZH.finditer(text):
        if _WEEKDAY_NAME.search(text[: match.start()]):
            others = [d for d in "一二三四五六日" if d != match[1] and not (match[1] == "天" and d == "日")]
            yield Site(*match.span(1), tuple(others), "weekday")


def _find_centuries(text: str, random: Random) -> Iterator[Site]:
    for match in _CENTURY.finditer(text):
        group = match.lastindex or 1
        century = int(match[group])
        near = [c for c in range(max(1, century - 4), min(22, century + 5)) if c != century]
        if group == 1:
            yield Site(*match.span(1), tuple(map(str, near)), "century")
        else:
            ends = tuple(to_ordinal(c) for c in near)
            yield Site(match.start(), match.end(), ends, "century")


def _find_times(text: str, random: Random) -> Iterator[Site]:
    for match in _CLOCK.finditer(text):
        hour, width = int(match[1]), len(match[1])
        half = re.match(r"\s?[ap]\.?m\b", text[match.end() :], re.IGNORECASE)
        hours = range(1, 13) if half else range(6, 23)
        options = [f"{h:0{width}d}" for h in hours if abs(h - hour) not in (0, 12)]
        yield Site(*match.span(1), tuple(o for o in options if len(o) == width and o not in text), "time")
    for pattern, hours in ((_HOUR_EN, range(1, 13)), (_HOUR_ZH, range(6, 23))):
        for match in pattern.finditer(text):
            hour = int(match[1])
            others = [h for h in hours if abs(h - hour) not in (0, 12) and (h <= 12 or hour > 12)]
            yield Site(*match.span(1), tuple(str(h) for h in others if str(h) not in text), "time")


_FINDERS: tuple[Callable[[str, Random], Iterator[Site]], ...] = (
    _find_years,
    _find_numbered_dates,
    _find_months,
    _find_days,
    _find_weekdays,
    _find_centuries,
    _find_times,
)
