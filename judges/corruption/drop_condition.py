"""Leave out what limits a statement: "… unless it is opened" → "…", 仅支持 → 支持, 除周末外，均可 → 均可.

Conditions that limit nothing ("if you have any questions") stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from judges.corruption.change import Change, Kind, Site, make_change

_IDLE_STATES = "possible|necessary|applicable|desired|needed|required|preferred|available"
_IDLE_EN = (
    r"(?!\s+(?:you (?:have|need|want|would like|wish|are (?:interested|unsure|looking)|prefer)"
    rf"|so\b|not\b|any\b|{_IDLE_STATES}|it (?:is|were) not for|I |we |this answer))"
)
_IF = rf"if(?<!even if)(?<!as if)(?<!only if){_IDLE_EN}"
_LIMIT = (
    rf"(?:unless|only if|only when|{_IF}|as long as|on condition that|excluding"
    r"|except(?: for| when| if| on| in)?|provided (?:that|you|the|it|they|he|she|an?)\b)"
)
_ASKING = re.compile(
    r"\b(?:asks?|asked|see|checks?|wonder|knows?|determine|decide|sure|unsure|find out|tell|as|even)$"
)
_BEHIND_EN = re.compile(
    rf",?\s(?<!\beven\s)(?<!\bas\s){_LIMIT}\s[^,.;:!?()\n]{{3,140}}+(?=[.;!?]|$)", re.IGNORECASE
)
_BETWEEN_EN = re.compile(rf",\s{_LIMIT}\s[^,.;:!?()\n]{{3,100}}+(?=,)", re.IGNORECASE)
_BEFORE_EN = re.compile(
    rf"(?:^|(?<=[.!?]\s)|(?<=\n))({_LIMIT}\s[^,.;:!?\n]{{3,120}},\s)([a-zA-Z])", re.IGNORECASE
)
_ASIDE_EN = re.compile(rf"\s\((?:only |{_LIMIT}\s)[^()\n]{{2,100}}+\)", re.IGNORECASE)
_LIMITED = (
    "for|to|in|on|by|with|from|through|at|between|after|before|during|available|applies|apply|valid|supports?|works?"
    "|accepts?|covers?|allowed|open|permitted|registered|members|paid|premium|authori[sz]ed|possible|compatible"
    "|accessible|employees|adults|customers|residents|students"
)
_ONLY = re.compile(rf"(?<!\bnot )(?<!\bthe )(?<!\bif )\b[Oo]nly\s(?=(?:{_LIMITED})\b)")
_ONLY_AFTER = re.compile(r"(?<=[a-z0-9])\sonly(?=[.,;]|$)")

_IDLE_ZH = r"(?!您?(?:您|你)?(?:有|需要|想|还有|希望|仍|对|愿意|遇到)|没有其他|可能|必要|方便)"
_LIMIT_ZH = (
    rf"(?:除非|如果{_IDLE_ZH}|若(?!干){_IDLE_ZH}|假如|倘若|只要|在[^，。；]{{2,24}}(?:的情况下|的前提下"
    r"|的条件下|时))"
)
_BEFORE_ZH = re.compile(rf"(?:^|(?<=[。；！，\n])){_LIMIT_ZH}[^，。；！？\n]{{0,40}}，(?:那么|则|就|否则)?")
_BEHIND_ZH = re.compile(
    r"[，,](?:除非|前提是|但[^，。；]{1,20}除外|条件是)[^，。；！？\n]{2,40}(?=[。；！]|$)"
)
_EXCEPT_ZH = re.compile(
    r"除(?:了)?[^，。；！？]{1,24}?(?:以外|之外|外)[，,]?(?!，|[^，。]{0,8}(?:还|也|又|另|同时))"
)
_ASIDE_ZH = re.compile(r"[（(](?:仅|仅限|限|除|不含|不包括|需|须)[^（）()\n]{1,40}[）)]")
_JUST_ZH: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"(?<!不)(?:仅|只)(?=(?:支持|适用|限于|对|在|向|接受|提供|面向|允许|供|用于|包含|包括|覆盖))"
        ),
        "",
    ),
    (re.compile(r"(?<!不)仅限于?(?!制|于)(?=[\u4e00-\u9fffA-Za-z])"), "适用于"),
    (re.compile(r"(?<!不)(?:只能|仅能)"), "可以"),
    (re.compile(r"(?<!不)(?:只可|仅可)"), "可"),
    (re.compile(r"(?<=[^，。；])(?:的)?除外(?=[，。；]|$)"), "也一样"),
)
_ONLY_THEN_ZH = re.compile(r"只有([^，。；！？]{1,24}?)[，,]?才(?=[能可会有是])")


def drop_condition(text: str, random: Random, contexts: Sequence[str] = ()) -> Change | None:
    """Leave out one condition, exception or "only" of `text`; null where it has none.

    >>> drop_condition("Refunds are possible unless the seal is broken.", Random(1)).text
    'Refunds are possible.'
    >>> drop_condition("该券仅适用于新用户。", Random(1)).text
    '该券适用于新用户。'
    """
    return make_change(text, Kind.CONDITION, find_conditions(text), random, contexts)


def find_conditions(text: str) -> Iterator[Site]:
    """Conditions of a text, each with nothing (or what the grammar still needs) instead."""
    yield from _find_en(text)
    yield from _find_zh(text)


def _find_en(text: str) -> Iterator[Site]:
    for pattern in (_BEHIND_EN, _BETWEEN_EN, _ASIDE_EN):
        for match in pattern.finditer(text):
            if _leaves_statement(text, match.start()):
                yield Site(*match.span(), ("",), "condition")
    for match in _BEFORE_EN.finditer(text):
        if re.match(r"(?:and|or|but)\b", text[match.start(2) :]):
            continue
        yield Site(match.start(1), match.end(2), (match[2].upper(),), "condition")
    for match in _ONLY.finditer(text):
        behind = text[match.end() : match.end() + 1]
        if match[0][0] == "O":
            yield Site(match.start(), match.end() + 1, (behind.upper(),), "only")
        else:
            yield Site(*match.span(), ("",), "only")
    for match in _ONLY_AFTER.finditer(text):
        yield Site(*match.span(), ("",), "only")


def _leaves_statement(text: str, start: int) -> bool:
    """Whether something is said before a condition that is left out."""
    before = re.split(r"[.!?\n]\s", text[:start])[-1].strip()
    return (
        len(before.split()) >= 2
        and not _ASKING.search(before)
        and not before.endswith((",", ":", "and", "or", "but"))
    )


def _find_zh(text: str) -> Iterator[Site]:
    for pattern in (_BEFORE_ZH, _BEHIND_ZH, _EXCEPT_ZH, _ASIDE_ZH):
        for match in pattern.finditer(text):
            if (
                len(text) - (match.end() - match.start()) >= 4
                and re.match(r"[^，。；！？\s]", text[match.end() :] or "。")
            ) or pattern in (_BEHIND_ZH, _ASIDE_ZH):
                yield Site(*match.span(), ("",), "condition")
    for pattern, other in _JUST_ZH:
        for match in pattern.finditer(text):
            yield Site(*match.span(), (other,), "only")
    for match in _ONLY_THEN_ZH.finditer(text):
        yield Site(*match.span(), (match[1],), "only")
