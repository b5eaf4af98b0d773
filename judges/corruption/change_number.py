"""Another number in the same format: 1,200 → 1,700, 三十 → 四十, 3.5% → 3.8%, 10–15 → 10–18, 2nd → 4th.

Years, dates and times of day are the business of `change_date`; digits inside codes (RK3588) that of
`swap_entity`. Bounds move only in the direction that is wrong: "at least 12" never becomes "at least
10", which would still hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from judges.corruption.calendar import is_date_part
from judges.corruption.change import Change, Kind, Site, make_change
from judges.corruption.figures import find_bounds, other_chinese, other_figures, to_ordinal, value_of
from judges.corruption.number_words import find_number_words
from judges.corruption.sentences import list_sentences

_BODY = r"\d{1,3}(?:,\d{3}){1,6}+(?![\d,])(?:\.\d++)?|\d++(?:\.\d++)?"
_FIGURE = re.compile(rf"(?:{_BODY})")
_RANGE = re.compile(rf"(?<!\d)({_BODY})(\s?(?:[-–—~～至到]|to|and)\s?)({_BODY})")
_SUFFIX = re.compile(
    r"(?:[KMGT]B|[kMG]Hz|[kcm]m|[km]g|kWh?|mAh|[mμ]s|mins?|m[lL]|px|bps|x|k|g|m|h|s|W|V|A|L)(?![A-Za-z])"
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)(?![A-Za-z])")
_WORD = re.compile(r"[ -]?([A-Za-z]+)")
_BEHIND = re.compile(r"\s?(%|％|[\u4e00-\u9fff]{1,2}|[A-Za-z°]+)")
_SCALE_EN = re.compile(r"(?<=\d )(thousand|million|billion|trillion)\b", re.IGNORECASE)
_SCALE_ZH = re.compile(r"(?<=[\d几数十百千])([万亿])(?![一亿万])")
_SCALES = {
    "thousand": ("million",),
    "million": ("billion", "thousand"),
    "billion": ("million",),
    "trillion": ("billion",),
    "万": ("亿",),
    "亿": ("万",),
}
_MEASURE = (
    "年天日周个名位人次元块倍秒分小岁期章条款项层楼家台辆件种级米度公千吨届场集部本张支只页季套组美欧字篇轮"
    "代处座"
)
_NUMERAL = re.compile(
    r"百分之(?P<share>[一二三四五六七八九十]+)"
    rf"|(?P<place>第)?(?P<count>(?!百分之)[一二两三四五六七八九十百千万亿零]{{1,24}}+)(?=[多余]?[{_MEASURE}]"
    r"|[多余]?个?月)"
)
_NO_NUMERAL = re.compile(
    r"[一二两三四五六七八九]{2}(?![十百千万])|^(?:万一|千万|万万|千百|百万千|十分|一一)$"
)
_VAGUE_ONE = frozenset("个些种次位名件条部本张只家台款项级层处座代轮篇字部")


def change_number(text: str, random: Random, contexts: Sequence[str] = ()) -> Change | None:
    """Give one number of `text` another value; null where it has none.

    Half of the time the value is one that `contexts` give for something else in the same unit.

    >>> change_number("The fee is 1,200 dollars.", Random(1)).text
    'The fee is 1,500 dollars.'
    >>> change_number("押金为三十元。", Random(1)).text
    '押金为六十元。'
    """
    sites = [*find_figures(text, random), *find_number_words(text), *_find_scales(text)]
    if contexts and random.random() < 0.5:
        borrowed = [site for found in sites if (site := _borrow(text, found, contexts))]
        change = make_change(text, Kind.NUMBER, borrowed, random, contexts)
        if change is not None:
            return change
    return make_change(text, Kind.NUMBER, sites, random, contexts)


def find_figures(text: str, random: Random) -> Iterator[Site]:
    """The figures of a text in digits and in Chinese numerals, with other values for each."""
    yield from _find_ranges(text, random)
    for match in _FIGURE.finditer(text):
        if _stands_alone(text, *match.span()):
            yield from _vary(text, match, random)
    for match in _NUMERAL.finditer(text):
        yield from _vary_chinese(text, match, random)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether digits are a number: no piece of a code, a date, a version, a clock time or a range."""
    before, behind = text[max(0, start - 2) : start], text[end : end + 8]
    if before and (_is_ascii_word(before[-1]) or before[-1] in ".,:：/\\~～"):
        return False
    if before and before[-1] in "-–—至到" and (len(before) < 2 or before[-2].isalnum()):
        return False
    if behind and _is_ascii_word(behind[0]) and not (_SUFFIX.match(behind) or _ORDINAL.match(behind)):
        return False
    if re.match(r"[.,:：/]\d|\s?(?:[-–—~～至到]|to )\s?\d|_", behind):
        return False
    return not is_date_part(text, start, end)


def _is_ascii_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _vary(text: str, match: re.Match[str], random: Random) -> Iterator[Site]:
    body, start, end = match[0], match.start(), match.end()
    value = value_of(body)
    if value is None:
        return
    bounds = find_bounds(text, start, end, value)
    options = [o for o in other_figures(body, random) if bounds.admit(value, value_of(o) or 0.0)]
    ordinal = _ORDINAL.match(text, end)
    if ordinal:
        yield Site(start, ordinal.end(), tuple(to_ordinal(int(o)) for o in options if o.isdigit()))
        return
    counted = _WORD.match(text, end)
    if counted and not _SUFFIX.match(text, end):
        if value == 1:
            return  # "1 day" → "3 day"
        options = [o for o in options if value_of(o) != 1]
    yield Site(start, end, tuple(o for o in options if not _stands_in(o, text)))


def _find_ranges(text: str, random: Random) -> Iterator[Site]:
    """One end of a range such as 10–15 moves; it stays a range from low to high."""
    for match in _RANGE.finditer(text):
        low, high = value_of(match[1]), value_of(match[3])
        joint = match[2].strip()
        if (
            low is None
            or high is None
            or low >= high
            or (joint == "and" and "between" not in text[: match.start()])
        ):
            continue
        if not _may_be_range(text, match):
            continue
        tops = [o for o in other_figures(match[3], random) if (value_of(o) or 0.0) > low]
        yield Site(*match.span(3), tuple(tops))
        bottoms = [o for o in other_figures(match[1], random) if (value_of(o) or high) < high]
        yield Site(*match.span(1), tuple(bottoms))


def _may_be_range(text: str, match: re.Match[str]) -> bool:
    """Neither years, nor a piece of a date, a phone number or a version."""
    start, end = match.span()
    before = text[start - 1 : start]
    if before and (_is_ascii_word(before) or before in "-–—/:~"):
        return False
    if re.match(r"[-–/:.]\d", text[end:]):
        return False
    if any(len(part) == 4 and "," not in part for part in (match[1], match[3])):
        return False
    return not is_date_part(text, *match.span(3)) and not is_date_part(text, *match.span(1))


def _vary_chinese(text: str, match: re.Match[str], random: Random) -> Iterator[Site]:
    group = "share" if match["share"] else "count"
    numeral, (start, end) = match[group], match.span(group)
    if _NO_NUMERAL.search(numeral) or is_date_part(text, start, end):
        return
    before = text[start - 1 : start]
    if group == "count" and before and (before.isdigit() or before in "几数统同唯之分每单合周期礼拜"):
        return
    counted = text[end : end + 1]
    if numeral == "一" and not match["place"] and counted in _VAGUE_ONE and text[end : end + 2] != "个月":
        return  # 一个 is mostly an article
    if set(numeral) <= set("万亿零"):
        return
    value = value_of(numeral)
    if value is None:
        return
    bounds = find_bounds(text, match.start(), end, value)
    options = other_chinese(numeral, random)
    yield Site(start, end, tuple(o for o in options if bounds.admit(value, value_of(o) or 0.0)))


def _find_scales(text: str) -> Iterator[Site]:
    for pattern in (_SCALE_EN, _SCALE_ZH):
        for match in pattern.finditer(text):
            options = _SCALES[match[1].lower()]
            yield Site(match.start(), match.end(), options, "scale")


def _stands_in(figure: str, text: str) -> bool:
    return re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d,])", text) is not None


def _borrow(text: str, site: Site, contexts: Sequence[str]) -> Site | None:
    """The figures that other sentences of the contexts give in the unit of this one."""
    unit = _BEHIND.match(text, site.end)
    figure = text[site.start : site.end]
    if unit is None or not figure[-1:].isdigit():
        return None
    value = value_of(figure)
    pattern = re.compile(rf"(?<![A-Za-z0-9_.,:/-])({_BODY})\s?{re.escape(unit[1])}")
    options = [
        hit[1]
        for context in contexts
        for sentence in list_sentences(context)
        if not _stands_in(figure, sentence)
        for hit in pattern.finditer(sentence)
    ]
    if value is None or not options:
        return None
    bounds = find_bounds(text, site.start, site.end, value)
    fitting = [o for o in options if bounds.admit(value, value_of(o) or 0.0) and value_of(o) != 1]
    return Site(site.start, site.end, tuple(o for o in fitting if not _stands_in(o, text)), "borrowed")
