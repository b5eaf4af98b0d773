"""Where groups of different languages ask about the same thing, as far as that shows without a model.

Two groups meet by what both languages write alike: names and words in Latin script, longer numbers, and
terms of the glossary. Each group is described by those alone, weighted by how rare they are among groups; two
groups of different languages that are each other's nearest, and like enough, are one gap. A gap has at most
one group of a language, so that a word that many groups share cannot chain them together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from judges.clustering.grouping import Group
from judges.clustering.index import Floats, Index
from judges.clustering.terms import Terms

Embed = Callable[[Sequence[str]], Floats]
"""Texts to vectors, one a row, of one length."""

MEETS: Final = 0.5
"""Cosine of what two groups have in common with other languages, from which they meet."""
TELLING: Final = 0.5
"""Weight that the terms two groups share must have together: a price, or an order, is not enough."""
NEAR: Final = 0.6
"""The same of two vectors that a model made."""
_USUAL: Final = 1 / 3
"""Share of a group's texts from which a term describes it."""


@dataclass(slots=True, frozen=True)
class Met:
    """One gap: groups of different languages, and the terms that brought them together."""

    groups: tuple[Group, ...]
    by: tuple[str, ...] = ()


def meet(
    groups: Sequence[Group], terms: Sequence[Terms], shown: Sequence[str] = (), embed: Embed | None = None
) -> list[Met]:
    """Every group in one gap. `shown`: the typical text of each group, for `embed`."""
    described = _describe(groups, terms)
    index = Index(described)
    pairs = sorted(
        pair
        for pair in _nearest(groups, [index.likeness(vector) for vector in index.vectors], MEETS)
        if _shared_weight(described[pair[1]], described[pair[2]]) >= TELLING
    )
    if embed is not None and len(groups) > 1:
        pairs += sorted(_nearest(groups, list(_cosines(embed(shown))), NEAR))
    gap_of = list(range(len(groups)))
    members = {number: [number] for number in gap_of}
    for _, one, other in pairs:
        into, gone = sorted((gap_of[one], gap_of[other]))
        if into == gone or _languages(groups, members[into]) & _languages(groups, members[gone]):
            continue
        members[into] += members.pop(gone)
        for number in members[into]:
            gap_of[number] = into
    return [
        Met(tuple(groups[number] for number in numbers), _why([index.vectors[number] for number in numbers]))
        for numbers in members.values()
    ]


def _describe(groups: Sequence[Group], terms: Sequence[Terms]) -> list[dict[str, float]]:
    """Of each group, the terms that many of its texts have and that groups of another language have too."""
    usual = []
    for group in groups:
        found = Counter(term for number in group.members for term in terms[number].abroad)
        usual.append({term: n / len(group.members) for term, n in found.items()})
    languages: dict[str, set[str]] = {}
    for group, shares in zip(groups, usual, strict=True):
        for term in shares:
            languages.setdefault(term, set()).add(group.language)
    return [
        {
            term: share * _weight(term, group, terms)
            for term, share in shares.items()
            if share >= _USUAL and (term.startswith("=") or len(languages[term]) > 1)
        }
        for group, shares in zip(groups, usual, strict=True)
    ]


def _shared_weight(one: dict[str, float], other: dict[str, float]) -> float:
    return sum(min(weight, other[term]) for term, weight in one.items() if term in other)


def _weight(term: str, group: Group, terms: Sequence[Terms]) -> float:
    return max(terms[number].weights.get(term, 0.0) for number in group.members)


def _nearest(
    groups: Sequence[Group], likeness: Sequence[Floats], least: float
) -> Iterator[tuple[float, int, int]]:
    """Pairs of different languages, each the other's nearest in its language: negative likeness, numbers."""
    by_language: dict[str, list[int]] = {}
    for number, group in enumerate(groups):
        by_language.setdefault(group.language, []).append(number)
    for one, own in enumerate(groups):
        for language, numbers in by_language.items():
            if language <= own.language:
                continue
            other = _best(likeness[one], numbers)
            if likeness[one][other] >= least and _best(likeness[other], by_language[own.language]) == one:
                yield -round(float(likeness[one][other]), 9), one, other


def _best(likeness: Floats, numbers: Sequence[int]) -> int:
    return numbers[int(np.round(likeness[numbers], 9).argmax())]


def _cosines(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.asarray(vectors, dtype=np.float64) / np.where(lengths > 0, lengths, 1.0)
    return np.asarray(unit @ unit.T)


def _languages(groups: Sequence[Group], numbers: Sequence[int]) -> set[str]:
    return {groups[number].language for number in numbers}


def _why(vectors: Sequence[dict[str, float]]) -> tuple[str, ...]:
    """Terms that more than one of the groups has, the weightiest first."""
    total: dict[str, float] = {}
    for term, n in Counter(term for vector in vectors for term in vector).items():
        if n > 1:
            total[term] = sum(vector.get(term, 0.0) for vector in vectors)
    return tuple(sorted(total, key=lambda term: (-total[term], term)))


__all__ = ["MEETS", "NEAR", "Embed", "Met", "meet"]
