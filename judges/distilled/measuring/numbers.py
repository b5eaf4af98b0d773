"""Numbers in Chinese and English writing, and the values they stand for.

1,200 and 1200, 12 percent and 12%, 17:30 and 5:30 PM, 3万 and 30000, 百分之十五 and 15%, 二〇二四年 and
2024年 are the same facts in other spellings. A spelling that can be read in two ways (5:30) has both
values; two numbers agree when they share one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from judges.distilled.measuring.spoken import CLOCK_BASE, spoken_values

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "壹": 1, "贰": 2, "叁": 3}
_DIGITS |= {"肆": 4, "伍": 5, "陆": 6, "柒": 7, "捌": 8, "玖": 9}
_UNITS = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_MYRIADS = {"万": 10_000, "亿": 100_000_000}

NUMERALS = "".join(_DIGITS) + "".join(_UNITS) + "".join(_MYRIADS) + "点"
ALONE = "一二三四五六七八九十两"
"""Numerals that count alone before one of `MEASURES`."""
MEASURES = "年月日号天周个名位人次元块倍秒小岁期章条款项层楼家台辆件种级度米公克吨届场集部本张支只页届季套组"
JOINTS = ".,:"
"""What may stand between digits."""
TAILS = ("thousand", "million", "billion", "trillion", "a.m", "p.m", "am", "pm", "bn", "k", "m", "b")
"""What scales a number behind it; the first that fits."""
_SUFFIX = {"k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9}

_CLOCK = re.compile(r"(\d{1,2}):(\d{1,2})(?::\d{1,2})?\s*([ap]\.?m)?")
_HOUR = re.compile(r"(\d{1,2})\s*([ap]\.?m)")
_PLAIN = re.compile(
    r"(\d[\d,]*(?:\.\d+)?)\s*(k|m|bn|b|thousand|million|billion|trillion|[十百千]?[万亿千百])?"
)
_SCALE = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "百": 1e2, "千": 1e3}
_SCALE |= {
    "万": 1e4,
    "十万": 1e5,
    "百万": 1e6,
    "千万": 1e7,
    "亿": 1e8,
    "十亿": 1e9,
    "百亿": 1e10,
    "千亿": 1e11,
}
_SCALE |= _SUFFIX
_UNCERTAIN = frozenset({"k", "m", "b", "千"})
"""5 m may be five metres, 3千克 is three kilograms."""
_OF = "分之"
_ADVERBS = frozenset({"千万", "万一", "万万", "一一", "三三两两", "百十", "千百"})


@lru_cache(maxsize=65_536)
def number_values(text: str) -> tuple[float, ...]:
    """What a number may mean, most likely first; empty if it is none after all.

    `text` is folded (see `codepoints.FOLD`). Clock times are minutes since midnight plus 100,000, so
    that 5:30 never equals 330.
    """
    if _OF in text:
        return _fraction(text)
    spoken = spoken_values(text)
    if spoken is not None:
        return spoken
    if text[0].isdigit() or (text[0] in ".," and len(text) > 1):
        return _western(text)
    chinese = _chinese(text)
    return () if chinese is None else (chinese,)


def _fraction(text: str) -> tuple[float, ...]:
    """百分之十五 → 15, 四分之一 → 25: the per cent that a share is."""
    below, _, above = text.partition(_OF)
    parts = [number_values(p) for p in (below, above)] if below and above and _OF not in above else []
    if not parts or not all(parts) or parts[0][0] == 0:
        return ()
    return (round(100 * parts[1][0] / parts[0][0], 6),)


def _western(text: str) -> tuple[float, ...]:
    clock = _CLOCK.fullmatch(text) or _HOUR.fullmatch(text)
    if clock:
        return _clock_values(clock)
    if text.count(":"):
        return tuple(float(p) for p in re.findall(r"\d+", text)[:1])
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return _mixed(text)
    digits = plain.group(1)
    grouped = re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits)
    if "," in digits and not grouped:
        return tuple(float(p) for p in digits.split(",") if p)[:1]
    if len(digits) > 300:
        return ()
    value = float(digits.replace(",", ""))
    scale = plain.group(2)
    if not scale:
        return (value,)
    scaled = value * _SCALE.get(scale, 1.0)
    return (scaled, value) if scale in _UNCERTAIN else (scaled,)


def _mixed(text: str) -> tuple[float, ...]:
    """2万5千, 1.2.3, 10-15 and other compounds: the Chinese reading, else the first part."""
    chinese = _chinese(text)
    if chinese is not None:
        return (chinese,)
    parts = re.findall(r"\d+(?:\.\d+)?", text)
    return (float(parts[0]),) if parts and len(parts[0]) < 300 else ()


def _clock_values(match: re.Match[str]) -> tuple[float, ...]:
    groups = match.groups()
    hour, minute = int(groups[0]), int(groups[1]) if len(groups) == 3 else 0
    half = groups[-1]
    if hour > 24 or minute > 59:
        return (float(hour),)
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
        return (CLOCK_BASE + hour * 60 + minute,)
    value = CLOCK_BASE + hour % 24 * 60 + minute
    either = 1 <= hour <= 11 and groups[0][0] != "0"  # 05:30 is written by a clock of 24 hours
    return (value, value + 720) if either else (value,)


def _chinese(text: str) -> float | None:
    """三万五千 → 35000, 二〇二四 → 2024, 三点五 → 3.5, 2万5千 → 25000; null where it is no number."""
    if "点" in text:
        whole, _, fraction = text.partition("点")
        head = _chinese(whole) if whole else None
        tail = [_DIGITS.get(c, int(c) if c.isdigit() else -1) for c in fraction]
        if head is None or not tail or min(tail) < 0:
            return None
        return head + float(sum(d / 10.0 ** (i + 1) for i, d in enumerate(tail)))
    if len(text) > 40 or text in _ADVERBS:
        return None
    if all(c in _DIGITS for c in text):
        return float(int("".join(str(_DIGITS[c]) for c in text)))
    total = section = digit = 0.0
    seen_digit = False
    for token in re.findall(r"\d+(?:\.\d+)?|.", text):
        if token[0].isdigit():
            digit, seen_digit = float(token), True
        elif token in _DIGITS:
            digit, seen_digit = float(_DIGITS[token]), True
        elif token in _UNITS:
            section += (digit if seen_digit else 1.0) * _UNITS[token]
            digit, seen_digit = 0.0, False
        elif token in _MYRIADS:
            if not (section or digit or total):
                return None  # 万一, 亿 alone: no number
            if token == "亿":
                total = (total + section + digit) * _MYRIADS[token]
            else:
                total += (section + digit) * _MYRIADS[token]
            section = digit = 0.0
            seen_digit = False
        else:
            return None
    return total + section + digit
