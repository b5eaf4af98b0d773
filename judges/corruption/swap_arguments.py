"""Swap who and whom, what and when: "A before B" → "B before A", 甲高于乙 → 乙高于甲, "first A, then B" → …

Only around words that hold in one direction: A met B and B met A are one. Two figures that belong to two
names ("A has 4 and B has 8") change places as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

from judges.corruption.change import Change, Kind, Site, make_change
from judges.corruption.entities import Entity, find_entities
from judges.corruption.figures import value_of
from judges.corruption.sentences import split_sentences
from judges.corruption.swap_entity import are_same_name

_DIRECTED_EN = re.compile(
    r"\b(?:before|after|than|acquired|bought|sold|defeated|beat|preceded|followed|succeeded|replaced"
    r"|influenced|inspired|taught|employs|owns|controls|sued|invaded|led|leads|manages|reports to|wrote to"
    r"|depends on|outperforms|exceeds|includes|contains|belongs to|works for|created|founded|invented|wrote"
    r"|directed|produced|designed|hired|fired|killed|attacked|supplies|lent|is part of|was part of"
    r"|is located in|lies in|is the capital of|becomes?|became|turned into|requires)\b"
)
_DIRECTED_ZH = re.compile(
    r"比|早于|晚于|先于|高于|低于|大于|小于|优于|多于|少于|击败|战胜|收购|兼并|吞并|取代|接替|替代|隶属于"
    r"|属于|包含|包括|领导|起诉|位于|负责|管理|控股|入侵|创立|创办|发明|撰写|执导|导演|雇用|教过|师从|影响了"
    r"|之前|之后|以前|以后|依赖|汇报|供货|转让|写信|是[^，。]{0,12}的"
)
_SEQUENCES = (
    re.compile(r"\b(?:first|First),? ([^,.;:]{3,60}?),? (?:and )?then,? ([^,.;:]{3,60}+)(?=[.;,]|$)"),
    re.compile(r"先([^，。；、]{1,20}?)[，,]?(?:然后|之后)?再([^，。；、]{1,20}+)(?=[，。；]|$)"),
    re.compile(r"首先([^，。；]{2,20})[，；,](?:然后|其次|再)([^，。；]{2,20}+)(?=[，。；]|$)"),
    re.compile(r"从([^，。；至到]{1,6})[到至]([^，。；至到]{1,4})(?=[，。；的]|$)"),
    re.compile(r"\bfrom ([A-Z][a-z]+) to ([A-Z][a-z]+)\b"),
)
_FIGURE = re.compile(r"(?<![A-Za-z0-9_.,:/-])\d+(?:,\d{3})*(?:\.\d+)?(?![A-Za-z_\d:：/)）-])")
_APART = 48
"""Characters between two names that one relation still spans."""


def swap_arguments(text: str, random: Random, contexts: Sequence[str] = ()) -> Change | None:
    """Swap two parts of one statement of `text`; null where none is directed.

    >>> swap_arguments("Mercury was founded before Venus.", Random(1)).text
    'Venus was founded before Mercury.'
    >>> swap_arguments("请先关闭电源，再拔下插头。", Random(1)).text
    '请先拔下插头，再关闭电源。'
    """
    return make_change(text, Kind.ORDER, find_orders(text, contexts), random, contexts)


def find_orders(text: str, contexts: Sequence[str] = ()) -> Iterator[Site]:
    """Statements of a text whose parts can be swapped. A site spans both parts and what lies between."""
    known = {entity.text for context in contexts for entity in find_entities(context)}
    known |= _names_before_relation(text)
    entities = find_entities(text, known)
    for begin, end in split_sentences(text):
        if text[begin:end].rstrip().endswith(("?", "？")):
            continue
        inside = [e for e in entities if begin <= e.start and e.end <= end]
        yield from _swap_names(text, inside)
        yield from _swap_figures(text, begin, end, inside)
        for pattern in _SEQUENCES:
            for match in pattern.finditer(text, begin, end):
                if match[1].strip() != match[2].strip():
                    yield _swapped(text, match.span(1), match.span(2), "sequence")


def _names_before_relation(text: str) -> set[str]:
    """Capitalised words that open a sentence and are followed by another name's relation."""
    pattern = re.compile(
        r"(?:^|(?<=[.!?] ))([A-Z][a-z]{2,})(?= (?:was|is|were|has|had|[a-z]+ed|[a-z]+s|wrote|beat|led)\b)"
    )
    stop = {
        "This",
        "That",
        "The",
        "There",
        "These",
        "Those",
        "Here",
        "What",
        "Which",
        "Who",
        "She",
        "They",
        "Everyone",
        "Nobody",
        "Each",
    }
    return {match[1] for match in pattern.finditer(text)} - stop


def _swap_names(text: str, entities: Sequence[Entity]) -> Iterator[Site]:
    for left, right in pairwise(entities):
        if left.kind != right.kind or are_same_name(left.text, right.text):
            continue
        if right.start - left.end <= _APART and _is_directed(text, left, right):
            yield _swapped(text, (left.start, left.end), (right.start, right.end), "names")


def _is_directed(text: str, left: Entity, right: Entity) -> bool:
    before, between = text[max(0, left.start - 5) : left.start], text[left.end : right.start]
    if before.endswith(("from ", "From ", "从", "由")) and between.strip() in ("to", "到", "至", "抵达"):
        return True
    behind = text[right.end : right.end + 2]
    return bool(_DIRECTED_EN.search(between) or _DIRECTED_ZH.search(between + behind))


def _swap_figures(text: str, begin: int, end: int, entities: Sequence[Entity]) -> Iterator[Site]:
    """Two figures with a name (or a comma and what follows it) before each."""
    figures = list(_FIGURE.finditer(text, begin, end))
    for left, right in pairwise(figures):
        between = text[left.end() : right.start()]
        named = any(left.end() <= e.start and e.end <= right.start() for e in entities)
        before = any(e.end <= left.start() for e in entities)
        if not named or not before or set(between) & set("()（）") or value_of(left[0]) == value_of(right[0]):
            continue
        if len(left[0]) == len(right[0]) == 4 or _unit(text, left.end()) != _unit(text, right.end()):
            continue
        if len(between) <= _APART:
            yield _swapped(text, left.span(), right.span(), "figures")


def _unit(text: str, end: int) -> str:
    match = re.match(r"\s?([A-Za-z%°]+|[\u4e00-\u9fff]|)", text[end:])
    unit = match[1].lower() if match else ""
    return "" if unit in ("and", "while", "but") else unit


def _swapped(text: str, left: tuple[int, int], right: tuple[int, int], manner: str) -> Site:
    first, between, second = text[slice(*left)], text[left[1] : right[0]], text[slice(*right)]
    return Site(left[0], right[1], (second + between + first,), manner)
