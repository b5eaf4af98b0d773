"""Another name of the same kind from the same contexts: RK3588 → RK3568, 买方律师 → 买方会计, Paris → Rome.

A name is never taken for a part of itself (Obama, Barack Obama), for its abbreviation, or for one that a
context lists beside it ("Windows, Linux and macOS"), for which the statement may hold as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from judges.corruption.change import Change, Kind, Site, make_change
from judges.corruption.entities import Entity, find_entities, group_of
from judges.corruption.sentences import sentence_around

_LISTED = re.compile(
    r"(?:(?<!\s)\s++)?(?:[,，、/&;；]|and|or|和|与|及|或|以及|,\s*+and|,\s*+or"
    r"|[”》」\"]\s*+[、,和与]?\s*+[“《「\"])\s*+"
)
_WORDS = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")


def swap_entity(text: str, random: Random, contexts: Sequence[str] = ()) -> Change | None:
    """Put another name in the place of one in `text`; null where no other of its kind is known.

    The other comes from `contexts` (or elsewhere in the text) where they have one; names of closed groups
    (cities, colours, roles) may come from the group.

    >>> swap_entity("The RK3588 has 8 cores.", Random(1), ["The RK3568 has 4 cores."]).text
    'The RK3568 has 8 cores.'
    """
    sites = list(find_swaps(text, contexts))
    borrowed = [site for site in sites if site.manner == "borrowed"]
    return make_change(text, Kind.ENTITY, borrowed, random, contexts) or make_change(
        text, Kind.ENTITY, sites, random, contexts
    )


def find_swaps(text: str, contexts: Sequence[str]) -> Iterator[Site]:
    """The names of a text, with others of their kind for each."""
    there = [entity for context in contexts for entity in find_entities(context)]
    here = find_entities(text, {entity.text for entity in there})
    known: dict[str, list[str]] = {}
    for entity in [*here, *there]:
        names = known.setdefault(entity.kind, [])
        if entity.text not in names:
            names.append(entity.text)
    for entity in here:
        others = [n for n in known[entity.kind] if _may_replace(text, entity, n, contexts)]
        if others:
            yield Site(entity.start, entity.end, tuple(others), "borrowed")
        others = [n for n in group_of(entity) if _may_replace(text, entity, n, contexts)]
        if others:
            yield Site(entity.start, entity.end, tuple(others), "made")


def are_same_name(left: str, right: str) -> bool:
    """Whether two names may be one thing: equal, one part of the other, or its initials.

    >>> are_same_name("Barack Obama", "Obama"), are_same_name("World Health Organization", "WHO")
    (True, True)
    >>> are_same_name("北京大学", "清华大学")
    False
    """
    first, second = left.casefold(), right.casefold()
    if first in second or second in first:
        return True
    if _initials(left) == second or _initials(right) == first:
        return True
    words, others = set(_WORDS.findall(first)), set(_WORDS.findall(second))
    if first.isascii() and second.isascii():
        return words <= others or others <= words or first.rstrip("s") == second.rstrip("s")
    return words <= others or others <= words


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split() if word[:1].isupper()).casefold()


def _may_replace(text: str, entity: Entity, other: str, contexts: Sequence[str]) -> bool:
    if are_same_name(entity.text, other):
        return False
    begin, end = sentence_around(text, entity.start, entity.end)
    if other in text[begin:end]:
        return False
    return not any(_stand_in_one_list(context, entity.text, other) for context in contexts)


def _stand_in_one_list(context: str, left: str, right: str) -> bool:
    """Whether only names and list marks stand between two names somewhere in a context."""
    for first, second in ((left, right), (right, left)):
        start = context.find(first)
        while start >= 0:
            end = start + len(first)
            at = context.find(second, end, end + 80 + len(second))
            if at >= 0 and _is_list(context[end:at]):
                return True
            start = context.find(first, end)
    return False


def _is_list(between: str) -> bool:
    if not between.strip():
        return True
    pieces = _LISTED.split(between)
    if len(pieces) < 2:
        return False
    return all(not p.strip() or p.strip()[:1].isupper() or len(p.strip()) <= 6 for p in pieces)
