"""Where English sentences can be negated, and where a negation can be taken away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.corruption.change import Site
from judges.corruption.verbs import PAST, PRESENT, third_person

_AUXILIARIES = "is are was were can could will would should must has have had do does did".split()
_AUX = re.compile(rf"(?<![\w'’-])({'|'.join(_AUXILIARIES)})(?= ([a-z]+|\d|[A-Z$€£]))")
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|unless|whether|once|until|as|than|so|what|why|how|where|here)\b[^,.;!?]*$",
    re.IGNORECASE,
)
_ALREADY = re.compile(
    r"\s+(?:not|n't|never|no|nothing|nobody|none|neither|hardly|rarely|seldom|only|just|also|either|to|of"
    r"|that|it|he|she|they|you|we|there|one|an?\s+number|often|usually|still not|currently not)\b"
)
_NOUN_BEFORE = re.compile(
    (
        r"\b(?:a|an|the|this|that|his|her|its|their|free|good|own|no|not|never|nor|neither|nothing|none"
        r"|hardly|to|what)\s+$"
    ),
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(
    r"\s+(?:(?:also|already|since|recently|always|long|now|all|both|just)\s+)?(?:been|had|become|come|gone"
    r"|grown|made|taken|given|won|lost|led|left|seen|shown|sold|sent|set|spent|held|kept|built|bought"
    r"|brought|found|met|put|run|said|written|won|known|begun|chosen|drawn|driven|fallen|risen|spoken|worn"
    r"|\w{2,}ed)\b"
)
_PLURAL_SUBJECT = re.compile(
    r"\b(?:[a-z]+(?<!s)s|they|we|you|I|people|children|both|men|women|who|which|and \w+)\s+$", re.IGNORECASE
)
_INFINITIVE = re.compile(
    r"\b(?:to|can|could|will|would|should|must|may|might|not|n't|do|does|did|and|or|let)\s+$"
)
_THERE = re.compile(r"\b([Tt]here (?:is|are|was|were|will be)) (?:an?|some|any|several|many|two|three)\s")
_DETERMINER = (
    r"the|an?|all|any|both|each|every|his|her|its|their|your|our|this|that|these|those|up to|only|about|over"
    r"|most|more|several|many|one|two|three|\d|[A-Z$€£]"
)
_PREPOSITION = r"in|on|at|to|for|with|by|from|after|before|within|until|between|under|as"
_OBJECT = (
    rf"(?=\s+(?:{_DETERMINER}|{_PREPOSITION}|[a-z]+s\b|[a-z]+ing\b"
    r"|[a-z]+ (?:and|or|with|for|to|in|on|from)\b|[a-z]+[.,;]))"
)
_PRESENT = re.compile(rf"(?<=[A-Za-z0-9)\"”] )({'|'.join(PRESENT)})\b{_OBJECT}")
_PAST = re.compile(rf"(?<=[A-Za-z0-9)\"”] )({'|'.join(PAST)})\b(?=\s+(?:{_DETERMINER}))")
_MOVED = re.compile(
    r"(?<=[A-Za-z0-9)\"”] )(died|lived|moved|rose|fell|arrived|went|came|began|grew|retired|resigned|happened"
    rf"|occurred|appeared|lasted|worked)\b(?=\s+(?:{_PREPOSITION})\b)"
)
"""Past forms that need no object, and that are no participles of a passive (*the dishes offered in …*)."""
_NO_SUBJECT = re.compile(
    r"\b(?:is|are|was|were|be|been|being|has|have|had|not|n't|never|of|the|an?|its|his|her|their|as|when|if"
    r"|to|and|or|by|with|in|"
    r"for|on|at|from|this|these|more|most|all|no|can|will)\s+$|,\s+$",
    re.IGNORECASE,
)

_NOT = re.compile(
    r"\b(is|are|was|were|could|would|should|must|has|have|had|does|do|did|can|will)(?: not"
    r"|n['’]t)\b(?! (?:only|just|least|necessarily|all|until|even|yet|to mention|always|every)\b)"
    r"|\b(?P<cannot>cannot|can['’]t|won['’]t)\b(?! (?:only|just|always|all)\b)"
)
_WORDS = (
    (re.compile(r"\bnever\b(?! (?:mind|before))"), "always", "affirmed"),
    (re.compile(r"\bno longer\b"), "still", "affirmed"),
    (re.compile(r"\b(?:un|not )able to\b"), "able to", "affirmed"),
    (re.compile(r"\bfail(?:s|ed)? to (?=[a-z])"), "", "affirmed"),
    (
        re.compile(r"\bwithout (?=(?:an?|the|any|his|her|its|their|your)\b)(?!(?:any )?(?:doubt|question))"),
        "with ",
        "affirmed",
    ),
    (re.compile(r"\b(?<=is )no\b(?= (?:need|limit|fee|charge|way|difference)\b)"), "a", "affirmed"),
    (re.compile(r"\balways\b"), "never", "negated"),
    (re.compile(r"\b(?<!not )able to\b"), "unable to", "negated"),
    (re.compile(r"\b(?<=[a-z] )with (?=(?:an?|the) )"), "without ", "negated"),
)
_IMPERATIVE = re.compile(r"(?:^|(?<=[.!?] )|(?<=\n))(Do not|Don['’]t|Never) ([a-z]+)")


def find_negated_en(text: str) -> Iterator[Site]:
    """Negations that can be taken away.

    >>> [s.options for s in find_negated_en("It cannot swim.")]
    [('can',)]
    """
    for match in _IMPERATIVE.finditer(text):
        if match[2] not in ("be", "you", "we", "they", "i"):
            yield Site(match.start(), match.end(), (match[2].capitalize(),), "affirmed")
    imperatives = [m.start() for m in _IMPERATIVE.finditer(text)]
    for match in _NOT.finditer(text):
        if match.start() in imperatives or _in_condition(text, match.start()):
            continue
        if match["cannot"]:
            yield Site(*match.span(), ("can" if match["cannot"].startswith("can") else "will",), "affirmed")
        elif match[1] == "do":
            yield Site(match.start(), match.end() + len(_gap(text, match.end())), ("",), "affirmed")
        elif match[1] in ("does", "did"):
            yield _without_do(text, match)
        else:
            yield Site(*match.span(), (match[1],), "affirmed")
    yield from _find_words(text, "affirmed")


def find_affirmed_en(text: str) -> Iterator[Site]:
    """Verbs that can be negated.

    >>> [s.options for s in find_affirmed_en("She won the prize.")]
    [('did not win',)]
    """
    for match in _THERE.finditer(text):
        yield Site(match.end(1), match.end() - 1, (" no",), "negated")
    for match in _AUX.finditer(text):
        if _may_negate(text, match):
            yield _negate_auxiliary(text, match)
    for match in _PRESENT.finditer(text):
        if _has_subject(text, match.start()):
            yield Site(*match.span(1), (f"does not {PRESENT[match[1]]}",), "negated")
    for pattern in (_PAST, _MOVED):
        for match in pattern.finditer(text):
            if _has_subject(text, match.start()):
                yield Site(*match.span(1), (f"did not {PAST[match[1]]}",), "negated")
    yield from _find_words(text, "negated")


def _find_words(text: str, manner: str) -> Iterator[Site]:
    for pattern, other, direction in _WORDS:
        if direction == manner:
            for match in pattern.finditer(text):
                yield Site(*match.span(), (other,), manner)


def _gap(text: str, end: int) -> str:
    return " " if text[end : end + 1] == " " else ""


def _without_do(text: str, match: re.Match[str]) -> Site:
    """does not support → supports; did not win → did win."""
    verb = re.match(r" ([a-z]+)\b", text[match.end() :])
    if match[1] == "did" or verb is None:
        return Site(*match.span(), (match[1],), "affirmed")
    return Site(match.start(), match.end() + verb.end(), (third_person(verb[1]),), "affirmed")


def _in_condition(text: str, start: int) -> bool:
    return _CONDITION.search(text[max(0, start - 60) : start]) is not None


def _has_subject(text: str, start: int) -> bool:
    before = text[max(0, start - 40) : start]
    return not _NO_SUBJECT.search(before) and not _in_condition(text, start)


def _may_negate(text: str, match: re.Match[str]) -> bool:
    start, end = match.span(1)
    before, verb = text[max(0, start - 40) : start], match[1]
    if _ALREADY.match(text, end) or _NOUN_BEFORE.search(before) or _in_condition(text, start):
        return False
    if not before.strip() or before.rstrip()[-1:] in ".!?\n:—":
        return False  # an inversion, or no subject
    if verb in ("do", "does", "did") or (verb == "have" and _INFINITIVE.search(before)):
        return False
    if verb == "have" and not _PARTICIPLE.match(text, end):
        return _PLURAL_SUBJECT.search(before) is not None
    return True


def _negate_auxiliary(text: str, match: re.Match[str]) -> Site:
    start, end = match.span(1)
    verb = match[1]
    if verb in ("has", "have", "had") and not _PARTICIPLE.match(text, end):
        helper = {"has": "does", "have": "do", "had": "did"}[verb]
        return Site(start, end, (f"{helper} not have",), "negated")
    return Site(start, end, ("cannot" if verb == "can" else f"{verb} not",), "negated")
