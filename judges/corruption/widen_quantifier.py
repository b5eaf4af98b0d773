"""Say it of more than was said: some → all, usually → always, may → will, 部分 → 全部, 通常 → 总是."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from judges.corruption.change import Change, Kind, Site, make_change

_IDLE_VERBS = "not|vary|differ|depend|want|wish|need|contact|find|ask"
_TIMES = "years|months|weeks|days|hours|minutes|seconds|times|more|others|hundred|thousand"
_NOUNS = (
    rf"(?= (?:of\b|(?!(?:{_TIMES})\b)(?:[a-z]+ ){{0,2}}?"
    rf"(?:(?!(?:{_TIMES})\b)[a-z]{{2,}}(?<![sui])s\b|people\b|children\b|women\b|men\b|data\b"
    r"|information\b)))"
)
_HAN = r"[\u4e00-\u9fff]"

_ENGLISH: tuple[tuple[str, str, str], ...] = (
    ("share", rf"\bsome(?! (?:time|day|extent|way|reason|sort|kind|other)){_NOUNS}", "all"),
    ("share", rf"(?<!how )(?<!as )(?<!so )(?<!too )(?<!not )\bmany{_NOUNS}", "all"),
    ("share", r"(?<!the )(?<!at )\bmost(?= of\b)", "all"),
    (
        "share",
        r"(?<!the )(?<!at )\bmost(?= [a-z]{2,}(?<!ou)(?<!s)s\b| (?:people|children|women|men)\b)",
        "all",
    ),
    ("share", rf"\bseveral{_NOUNS}", "all"),
    ("share", r"\bcertain(?= [a-z]{3,}(?<!s)s\b)", "all"),
    ("share", rf"\b(?:a few|a number of)(?= (?!(?:{_TIMES})\b)[a-z]{{2,}}s\b)", "all"),
    ("share", r"\ba majority of(?= [a-z]+)", "all"),
    ("often", r"\b(?:usually|often|sometimes|generally|typically)\b(?= [a-z])(?! speaking)", "always"),
    ("often", r"\b(?:occasionally|mostly|frequently)\b(?= [a-z])", "always"),
    ("modality", rf"\b(?<!\d )may(?= (?!{_IDLE_VERBS})(?:also )?[a-z]+)", "will"),
    ("modality", rf"\bmight(?= (?!{_IDLE_VERBS})[a-z]+)", "will"),
    ("modality", r"\b(?:possibly|probably|perhaps)\b", "certainly"),
    ("modality", r"(?<!most )(?<!more )(?<!less )\blikely(?= (?:to|due|because)\b)", "certain"),
    ("degree", r"\b(?:partially|partly)\b", "fully"),
    ("degree", r"\b(?:nearly|almost) (?=(?:all|every|always|never|none|no)\b)", ""),
)
_CHINESE: tuple[tuple[str, str, str], ...] = (
    (
        "share",
        rf"(?<![大一这那两各组成重要核心首])部分(?={_HAN})(?!是|由|为|在|和|的是|之一|地|内容如下)",
        "全部",
    ),
    ("share", r"大部分(?!时候)|绝大多数|大多数(?!情况|时候)", "全部"),
    ("share", rf"(?<![大极])多数(?={_HAN})(?!据|派|情况|时候|组)", "全部"),
    ("share", rf"(?<![这那])(?:一些|有些|某些|个别|若干)(?={_HAN}{{2}})(?!时候|人|问题)", "所有"),
    ("share", rf"(?<![有还])(?:许多|很多|不少)(?={_HAN}{{2}})(?!时候|于|人|年)", "所有"),
    ("often", r"(?:有时候?|偶尔)(?!间|限|效|令|差|代)", "总是"),
    ("often", r"(?:通常|往往|经常|常常)(?!来说|情况|的|而言)", "总是"),
    ("often", r"一般(?=[会由在需为是不可采])", "总是"),
    ("modality", r"(?<![不尽可有极])可能(?=会)", "一定"),
    ("modality", r"(?<![不尽可有极很])可能(?!会|性|的|[，。；！？、])", "必然"),
    ("degree", r"(?:几乎|基本上?)(?=(?:所有|全部|都|没有|全|每))", ""),
    ("degree", r"部分地(?![区方段点铁面])|在一定程度上", "完全"),
    ("unique", rf"(?<={_HAN})之一(?=[。，；]|$)", ""),
)
_WORDS = tuple(
    (re.compile(pattern, re.IGNORECASE if table is _ENGLISH else re.NOFLAG), other, manner)
    for table in (_ENGLISH, _CHINESE)
    for manner, pattern, other in table
)


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
            if match[0] != "May":  # the month
                yield _write(text, match, other, manner)


def _write(text: str, match: re.Match[str], other: str, manner: str) -> Site:
    """The site, with a capital where the sentence begins."""
    start, end = match.span()
    if match[0][0].isupper():
        if not other:
            other, end = text[end : end + 1], end + 1
        other = other[:1].upper() + other[1:]
    return Site(start, end, (other,), manner)
