"""Where Chinese sentences can be negated, and where a negation can be taken away.

Chinese verbs carry no ending that tells them from nouns, so each verb comes with what must not stand
beside it: 会 is a verb in 会自动续费 and none in 会员 or 社会.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.corruption.bank import read_bank
from judges.corruption.change import Site

_BLOCKED = frozenset("不没未无莫非勿别仅只")
_ASKS = re.compile(r"(?:如果|若|假如|要是|倘若|一旦|是否|能否|可否|除非|即使|只有)[^，。；！？,;!?]*$")


def _read_rules(section: str) -> Iterator[tuple[str, str]]:
    for line in read_bank("negations_zh")[section]:
        pattern, _, other = line.partition(" =>")
        yield pattern, other.strip()


def _read_verbs() -> Iterator[tuple[re.Pattern[str], str]]:
    for rule, negated in _read_rules("affirmed"):
        match = _RULE.fullmatch(rule)
        if match is None:
            raise ValueError(f"a rule is written `before<verb>behind`, not {rule!r}")
        before, verb, behind = match.groups()
        yield re.compile(rf"(?<![{before}]){verb}(?!{behind})"), negated


_RULE = re.compile(r"^([^<>]++)<([^<>]++)>(.+)")
_AFFIRM = tuple(_read_verbs())
_REMOVALS = tuple((re.compile(pattern), other) for pattern, other in _read_rules("taken away"))


def find_negated_zh(text: str) -> Iterator[Site]:
    """Negations that can be taken away.

    >>> [s.options for s in find_negated_zh("本机无法联网。")]
    [('可以',)]
    """
    for pattern, other in _REMOVALS:
        for match in pattern.finditer(text):
            if not _in_condition(text, match.start()):
                yield Site(*match.span(), (other,), "affirmed")


def find_affirmed_zh(text: str) -> Iterator[Site]:
    """Verbs that can be negated.

    >>> [s.options for s in find_affirmed_zh("会员会自动续费。")]
    [('不会',)]
    """
    for pattern, negated in _AFFIRM:
        for match in pattern.finditer(text):
            before = text[max(0, match.start() - 1) : match.start()]
            if before not in _BLOCKED and not _in_condition(text, match.start()):
                yield Site(*match.span(), (negated,), "negated")


def _in_condition(text: str, start: int) -> bool:
    return _ASKS.search(text[max(0, start - 40) : start]) is not None
