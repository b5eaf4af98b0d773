"""Say it of more than was said: some → all, usually → always, may → will, 部分 → 全部, 通常 → 总是."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from judges.corruption.change import Change, Kind, Site, make_change

_PLURAL = (
    r"(?= (?:of\b|(?:[a-z]+ ){0,2}?(?:[a-z]{2,}(?<![sui])s\b|people\b|children\b|men\b|women\b|data\b"
    r"|information\b)))"
)
_TABLE: tuple[tuple[str, str, str], ...] = (
    (rf"\b[Ss]ome(?! (?:time|day|extent|way|reason|sort|kind|other)){_PLURAL}", "all", "share"),
    (rf"(?<!how )(?<!as )(?<!so )(?<!too )(?<!not )(?<!How )\b[Mm]any(?! more){_PLURAL}", "all", "share"),
    (r"(?<!the )(?<!at )\b[Mm]ost (?=of\b)", "all ", "share"),
    (
        (
            r"(?<!the )(?<!at )(?<!The )\b[Mm]ost(?= (?!of\b)[a-z]{2,}(?<!ou)(?<!s)s\b| (?:people|children"
            r"|women|men)\b)"
        ),
        "all",
        "share",
    ),
    (rf"\b[Ss]everal{_PLURAL}", "all", "share"),
    (r"\b[Cc]ertain(?= [a-z]{3,}(?<!s)s\b)", "all", "share"),
    (r"\b(?:[Aa] few|[Aa] number of)(?= [a-z]{2,}s\b)", "all", "share"),
    (r"\b[Aa] majority of(?= [a-z]+)", "all", "share"),
    (
        (
            r"\b(?:[Uu]sually|[Oo]ften|[Ss]ometimes|[Gg]enerally|[Tt]ypically|[Oo]ccasionally|[Mm]ostly"
            r"|[Ff]requently)\b(?! speaking)"
        ),
        "always",
        "often",
    ),
    (
        (
            r"(?<![A-Z])\bmay(?= (?!not\b|vary|differ|depend|want|wish|need|contact|find"
            r"|ask)(?:also )?[a-z]+)(?! \d)"
        ),
        "will",
        "modality",
    ),
    (r"\bmight(?= (?!not\b)[a-z]+)", "will", "modality"),
    (r"\b(?:[Pp]artially|[Pp]artly)\b", "fully", "degree"),
    (r"\b(?:[Nn]early|[Aa]lmost) (?=(?:all|every|always|never|none|no)\b)", "", "degree"),
    (
        (
            r"\b(?:[Pp]ossibly|[Pp]robably|(?<!most )(?<!more )(?<!less )[Ll]ikely(?= (?:to|due|because)\b)"
            r"|[Pp]erhaps)\b"
        ),
        "certainly",
        "modality",
    ),
    (
        (
            r"(?<![大一这那两各组成重要核心首]) ?(?<!成)部分(?=[\u4e00-\u9fff])(?!是|由|为|在|和|的是|之一"
            r"|内容如下)"
        ),
        "全部",
        "share",
    ),
    (r"大部分(?!时候)|绝大多数|大多数(?!情况|时候)", "全部", "share"),
    (r"(?<![大极])多数(?=[\u4e00-\u9fff])(?!据|派|情况|时候|组)", "全部", "share"),
    (r"(?<![这那])(?:一些|有些|某些|个别|若干)(?=[\u4e00-\u9fff]{2})(?!时候|人|问题)", "所有", "share"),
    (r"(?<![有还])(?:许多|很多|不少)(?=[\u4e00-\u9fff]{2})(?!时候|于|人|年)", "所有", "share"),
    (r"(?:有时候?|偶尔)(?!间|限|效|令|差|代)", "总是", "often"),
    (r"(?:通常|往往|经常|常常)(?!来说|情况|的|而言)", "总是", "often"),
    (r"一般(?=[会由在需为是不可采])", "总是", "often"),
    (r"(?<![不尽可有极])可能(?=会)", "一定", "modality"),
    (r"(?<![不尽可有极很])可能(?!会|性|的|[，。；！？、])", "必然", "modality"),
    (r"(?:几乎|基本上?)(?=(?:所有|全部|都|没有|全|每))", "", "degree"),
    (r"部分地|在一定程度上", "完全", "degree"),
    (r"(?<=[\u4e00-\u9fff])之一(?=[。，；]|$)", "", "unique"),
)
_WORDS = tuple((re.compile(pattern), other, manner) for pattern, other, manner in _TABLE)


def widen_quantifier(text: str, random: Random, contexts: Sequence[str] = ()) -> Change | None:
    """Widen one quantifier or hedge of `text`; null where it has none.

    >>> widen_quantifier("Some models support 5G.", Random(1)).text
    'All models support 5G.'
    >>> widen_quantifier("部分机型支持无线充电。", Random(1)).text
    '全部机型支持无线充电。'
    """
    return make_change(text, Kind.QUANTIFIER, find_quantifiers(text), random, contexts)


def find_quantifiers(text: str) -> Iterator[Site]:
    """Quantifiers and hedges of a text, each with a wider one."""
    for pattern, other, manner in _WORDS:
        for match in pattern.finditer(text):
            yield _write(text, match, other, manner)


def _write(text: str, match: re.Match[str], other: str, manner: str) -> Site:
    """The site, with a capital where the sentence begins."""
    start, end = match.span()
    if match[0][0].isupper():
        if not other:
            other, end = text[end : end + 1], end + 1
        other = other[:1].upper() + other[1:]
    return Site(start, end, (other,), manner)
