"""Words that place something in time: am and pm, 上午 and 下午, yesterday, 去年, BC, seasons."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.corruption.change import Site

_SETS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (r"(?<=\d)\s?(am|pm|AM|PM|a\.m\.|p\.m\.)(?![A-Za-z])", ("am", "pm"), "half"),
    (r"\b(noon|midnight)\b", ("noon", "midnight"), "half"),
    (r"\b(yesterday|today|tomorrow)\b(?!')", ("yesterday", "tomorrow", "today"), "day"),
    (r"\b(last|next) (?=(?:week|month|year|quarter)\b)", ("last", "next"), "relative"),
    (r"\b(in (?:the )?)(summer|winter|autumn)\b", ("summer", "winter", "autumn"), "season"),
    (r"\b(?<=\d )(BC|AD|BCE|CE)\b", ("BC", "AD"), "era"),
    (r"(?<!马)(上午|下午|晚上|早上|凌晨|傍晚)", ("上午", "下午", "晚上", "凌晨"), "half"),
    (r"(?<![明昨后前每])(今天|明天|昨天|后天)", ("明天", "昨天", "后天"), "day"),
    (r"(去年|今年|明年)", ("去年", "今年", "明年"), "relative"),
    (r"(上个?月|下个?月|本月)(?=[^\d]|$)", ("上个月", "下个月"), "relative"),
    (r"(春季|夏季|秋季|冬季)", ("春季", "夏季", "秋季", "冬季"), "season"),
    (r"(?<!公)(上旬|中旬|下旬)", ("上旬", "中旬", "下旬"), "relative"),
    (r"(公元前)(?=\s?\d)", ("公元",), "era"),
)
_COMPILED = tuple((re.compile(pattern), options, manner) for pattern, options, manner in _SETS)
_SAME = (
    {"早上", "上午"},
    {"晚上", "傍晚"},
    {"上月", "上个月"},
    {"下月", "下个月"},
    {"bc", "bce"},
    {"ad", "ce"},
)
"""Too close to each other to be taken for a mistake."""


def find_date_words(text: str) -> Iterator[Site]:
    """Words of time in a text, with others for each, in the writing of the text.

    >>> [site.options for site in find_date_words("at 3 p.m. sharp")]
    [('a.m.',)]
    """
    for pattern, options, manner in _COMPILED:
        for match in pattern.finditer(text):
            group = match.lastindex or 1
            written = match[group]
            others = [_as_written(written, o) for o in options if not _are_close(written, o)]
            yield Site(*match.span(group), tuple(o for o in others if o != written), manner)


def _are_close(written: str, other: str) -> bool:
    left, right = written.lower().replace(".", ""), other.lower()
    return left == right or any({left, right} <= same for same in _SAME)


def _as_written(before: str, after: str) -> str:
    if "." in before:
        after = "".join(c + "." for c in after)
    return after.upper() if before[0].isupper() else after
