"""Numbers as they are said: twenty-five, 下午三点半, 半年, 八折, 2½.

`find_spoken_spans` looks only where one character betrays them (点, 半, 折, ½, "ty"), so that it costs
one look at each character; `spoken_values` reads what stands in such a span. Clock times are minutes
since midnight plus `CLOCK_BASE`, so that 5:30 never equals 330.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from judges.distilled.kernel.marking import CLOCK, DISCOUNT, FRACTION, HALF, TENS, find_marks
from judges.distilled.measuring import codepoints as cp

CLOCK_BASE: Final = 100_000.0

_SMALL = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_TENS = {
    w: 10 * (i + 2) for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())
}
_ONES = {w: i + 1 for i, w in enumerate("one two three four five six seven eight nine".split())}
_FRACTIONS = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 1 / 8, "⅜": 3 / 8, "⅝": 5 / 8}
_FRACTIONS |= {"⅞": 7 / 8, "⅕": 1 / 5, "⅖": 2 / 5, "⅗": 3 / 5, "⅘": 4 / 5}
_HALVES = {"年": 6.0, "个月": 15.0, "小时": 30.0, "个小时": 30.0, "天": 12.0, "分钟": 30.0}
"""Half of it, in the next smaller unit: 半年 is 0.5 of a year and 6 months."""

_HAN_NUMBER = "[零〇一二三四五六七八九十两]"
_PERIOD = "凌晨|清晨|早上|早晨|上午|中午|下午|午后|傍晚|晚上|夜里|今早|今晚|明早|明晚"
_CLOCK_ZH = re.compile(
    rf"(?:(?P<period>{_PERIOD})的?\s?)?(?P<hour>\d{{1,2}}|{_HAN_NUMBER}{{1,3}})\s?[点时](?:"
    rf"\s?(?P<half>半)|\s?(?P<quarter>[一三])刻|\s?(?P<minute>\d{{1,2}}|{_HAN_NUMBER}{{1,3}})\s?分"
    rf"|\s?(?P<bare>\d{{2}}|{_HAN_NUMBER}{{2,3}})(?![个位人名{_HAN_NUMBER[1:-1]}\d])|(?P<whole>[整钟]))?"
)
_ENGLISH = re.compile(rf"({'|'.join(_TENS)})[- ]({'|'.join(_ONES)})(?![a-z])")
_ENGLISH_SCALED = re.compile(rf"{_ENGLISH.pattern}(?:\s?(thousand|million|billion|trillion))?")
_SCALE = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, None: 1.0}
_DISCOUNT = re.compile(r"(?:([一二三四五六七八九])([一二三四五六七八九])?|(\d)(?:[.点]?(\d))?)折")
_MIXED = re.compile(rf"(\d{{0,15}})\s?([{''.join(_FRACTIONS)}])")
_HALF = re.compile(rf"半({'|'.join(sorted(_HALVES, key=len, reverse=True))})")
_NOT_BEFORE_HALF = cp.is_any("上下前后大小多个一二两三四五六七八九十天年月点时夜0123456789")
"""下半年 is a part of the year, 两个半小时 is two and a half: no half alone."""
_NOT_BEFORE_DISCOUNT = cp.is_any("零〇一二三四五六七八九十百千万两0123456789.第骨")

_CLOCK_REACH, _TAIL_REACH = 9, 6
_NEAR_HOUR = cp.is_any("零〇一二三四五六七八九十两0123456789 ")


def _build_marks() -> npt.NDArray[np.uint8]:
    marks = np.zeros(cp.SIZE, dtype=np.uint8)
    for kind, characters in (
        (CLOCK, "点时"),
        (HALF, "半"),
        (DISCOUNT, "折"),
        (FRACTION, "".join(_FRACTIONS)),
    ):
        marks[cp.is_any(characters)] = kind
    marks[ord("y")] = TENS
    return marks


_MARKS = _build_marks()

Span = tuple[int, int]


def find_spoken_spans(folded: cp.Codes) -> list[Span]:
    """Character spans `[begin, end)` of numbers as they are said, in order, none inside another."""
    places, kinds = find_marks(folded, _MARKS, _NEAR_HOUR)
    if not len(places):
        return []
    found = list(zip(kinds.tolist(), places.tolist(), strict=True))
    spans = [span for kind, place in found for span in _FINDERS[kind](folded, place)]
    apart: list[Span] = []
    for span in sorted(spans, key=lambda s: (s[0], -s[1])):
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart


def spoken_values(text: str) -> tuple[float, ...] | None:
    """What a span of `find_spoken_spans` means; null where the text is none.

    >>> spoken_values("twenty-five"), spoken_values("八五折"), spoken_values("2½"), spoken_values("半年")
    ((25.0,), (85.0,), (2.5,), (0.5, 6.0))
    """
    last = text[-1]
    if last in _FRACTIONS and (mixed := _MIXED.fullmatch(text)):
        return (round(int(mixed[1] or 0) + _FRACTIONS[mixed[2]], 6),)
    if last == "折" and (found := _DISCOUNT.fullmatch(text)):
        high, low, digit, second = found.groups()
        return (float(10 * int(digit) + int(second or 0)),) if digit else (_percent(high, low),)
    if text[0] == "半" and (half := _HALF.fullmatch(text)):
        return (0.5, _HALVES[half[1]])
    if "a" <= text[0] <= "z" and (english := _ENGLISH_SCALED.fullmatch(text)):
        return ((_TENS[english[1]] + _ONES[english[2]]) * _SCALE[english[3]],)
    if ("点" in text or "时" in text) and (clock := _CLOCK_ZH.fullmatch(text)) and _is_time(clock):
        return _clock_values(clock)
    return None


def _percent(high: str, low: str | None) -> float:
    return float(10 * _SMALL[high] + (_SMALL[low] if low else 0))


def _find_clock(folded: cp.Codes, mark: int) -> Iterator[Span]:
    """N点 and N时 with something that makes a time of them: 下午, 半, 分, 整, 钟."""
    begin = max(0, mark - _CLOCK_REACH)
    for found in _CLOCK_ZH.finditer(_text(folded, begin, mark + _TAIL_REACH)):
        if found.start() + begin <= mark < found.end() + begin and _is_time(found):
            yield begin + found.start(), begin + found.end()


def _is_time(found: re.Match[str]) -> bool:
    said = found["period"] or found["minute"] or found["half"] or found["quarter"] or found["whole"] == "钟"
    hour = _small_number(found["hour"])
    return bool(said) and hour is not None and hour <= 24


def _clock_values(clock: re.Match[str]) -> tuple[float, ...] | None:
    hour = _small_number(clock["hour"])
    minute: int | None = 30 if clock["half"] else 0
    if clock["quarter"]:
        minute = 15 * _SMALL[clock["quarter"]]
    elif spelled := clock["minute"] or clock["bare"]:
        minute = _small_number(spelled)
    if hour is None or minute is None or hour > 24 or minute > 59:
        return None
    period = clock["period"]
    if period is None:
        value = CLOCK_BASE + hour % 24 * 60 + minute
        return (value, value + 720) if 1 <= hour <= 11 else (value,)
    late = period in ("下午", "午后", "傍晚", "晚上", "夜里", "今晚", "明晚")
    if hour == 12 and period != "中午" and (period != "下午" and period != "午后"):
        hour = 0  # 晚上12点, 凌晨12点
    elif (late and 1 <= hour <= 11 and not (period == "夜里" and hour <= 5)) or (
        period == "中午" and hour <= 2
    ):
        hour += 12
    return (CLOCK_BASE + hour % 24 * 60 + minute,)


def _small_number(text: str) -> int | None:
    """0 to 99 in digits or Chinese numerals: 12, 十二, 三十五, 零五."""
    if text.isdigit() and text.isascii():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _SMALL[ones[-1]] if len(ones) == 1 or (len(ones) == 2 and ones[0] in "零〇") else None
    if len(tens) > 1 or len(ones) > 1:
        return None
    return 10 * (_SMALL[tens] if tens else 1) + (_SMALL[ones] if ones else 0)


def _find_half(folded: cp.Codes, at: int) -> Iterator[Span]:
    if at and _NOT_BEFORE_HALF[folded[at - 1]]:
        return
    if found := _HALF.match(_text(folded, at, at + 4)):
        yield at, at + found.end()


def _find_discount(folded: cp.Codes, at: int) -> Iterator[Span]:
    begin = max(0, at - 4)
    for found in _DISCOUNT.finditer(_text(folded, begin, at + 1)):
        start = begin + found.start()
        if start == 0 or not _NOT_BEFORE_DISCOUNT[folded[start - 1]]:
            yield start, begin + found.end()


def _find_mixed(folded: cp.Codes, at: int) -> Iterator[Span]:
    begin = max(0, at - 5)
    text = _text(folded, begin, at + 1)
    whole = re.search(r"(?<![\d.,])\d{0,4}\s?.$", text)
    if whole and whole.end() == len(text):
        yield begin + whole.start() + (len(whole[0]) - len(whole[0].lstrip())), at + 1


def _find_english(folded: cp.Codes, at: int) -> Iterator[Span]:
    """Tens and ones, around the y of the tens."""
    begin = max(0, at - 7)
    for found in _ENGLISH_SCALED.finditer(_text(folded, begin, at + 17)):
        start = begin + found.start()
        if start <= at and (start == 0 or not _is_letter(folded[start - 1])):
            yield start, begin + found.end()


_FINDERS: dict[int, Callable[[cp.Codes, int], Iterator[Span]]] = {
    CLOCK: _find_clock,
    HALF: _find_half,
    DISCOUNT: _find_discount,
    FRACTION: _find_mixed,
    TENS: _find_english,
}


def _is_letter(code: np.uint32) -> bool:
    return bool(cp.CLASS[code] == cp.LETTER)


def _text(folded: cp.Codes, begin: int, end: int) -> str:
    return "".join(map(chr, folded[begin:end].tolist()))


__all__ = ["CLOCK_BASE", "Span", "find_spoken_spans", "spoken_values"]
