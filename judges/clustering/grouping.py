"""Groups of questions that share their words: average linkage, one language at a time. Deterministic.

Terms are weighted by how rare they are (Spärck Jones 1972), questions are compared by the cosine of what they
hold. A question joins the group whose members it is most like on average, if that is like enough; then groups
that are like each other on average are joined, and each question moves to where it fits best. Each step asks
an inverted index, so that ten thousand questions take seconds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from judges.clustering.index import Floats, Index, Ints
from judges.clustering.terms import Terms

ALIKE: Final = 0.32
"""Mean cosine from which a question belongs to a group, and groups belong together."""
ROUNDS: Final = 3


@dataclass(slots=True, frozen=True)
class Group:
    """Texts of one language about one thing."""

    language: str
    members: tuple[int, ...]
    """Numbers of texts, the most typical first."""
    terms: tuple[str, ...]
    """What they have in common, the weightiest first."""


@dataclass(slots=True)
class _Work:
    """Groups of one language while they come about. Labels count from 0; -1 is none yet."""

    index: Index
    labels: Ints
    sizes: Floats = field(default_factory=lambda: np.zeros(0))

    def best(self, vector: dict[str, float], itself: int | None = None) -> tuple[int, float]:
        """The group that a text is most like on average, and how much; not counting the text itself."""
        likeness = self.index.likeness(vector)
        sizes = self.sizes
        if itself is not None:
            likeness[itself] = 0.0
            if self.labels[itself] >= 0:
                sizes = sizes.copy()
                sizes[self.labels[itself]] -= 1
        grouped = self.labels >= 0
        sums = np.bincount(self.labels[grouped], weights=likeness[grouped], minlength=len(sizes))
        means = sums / np.maximum(sizes, 1.0)
        if not len(means):
            return -1, 0.0
        place = int(means.argmax())
        return place, float(means[place])


def group_texts(terms: Sequence[Terms], counts: Sequence[int]) -> list[Group]:
    """Every text in one group, one without a term in its own. `counts`: how often each was asked."""
    by_language: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(terms):
        by_language[one.language].append(number)
    return [
        group
        for language, numbers in sorted(by_language.items())
        for group in _of_language(
            language, numbers, [terms[n] for n in numbers], [counts[n] for n in numbers]
        )
    ]


def _of_language(
    language: str, numbers: Sequence[int], terms: Sequence[Terms], counts: Sequence[int]
) -> list[Group]:
    index = Index([one.weights for one in terms])
    work = _Work(index, np.full(len(terms), -1, dtype=np.int64))
    order = sorted(range(len(terms)), key=lambda n: -counts[n])  # stable: texts come sorted
    _join_first(work, order)
    for _ in range(ROUNDS):
        joined = _join_groups(work)
        moved = _move(work, order)
        if not joined and not moved:
            break
    return [_group(language, members, numbers, work.index) for members in _members(work.labels)]


def _join_first(work: _Work, order: Sequence[int]) -> None:
    sizes: list[float] = []
    for number in order:
        work.sizes = np.array(sizes)
        place, likeness = work.best(work.index.vectors[number])
        if likeness < ALIKE:
            place = len(sizes)
            sizes.append(0.0)
        sizes[place] += 1
        work.labels[number] = place
    work.sizes = np.array(sizes)


def _join_groups(work: _Work) -> bool:
    """Join each group to the one it is most like, smaller ones first. Whether any was."""
    members = {label: list(texts) for label, texts in enumerate(_members(work.labels))}
    _renumber(work)
    joined = False
    for label in sorted(members, key=lambda label: (len(members[label]), label)):
        own = members[label]
        likeness = work.index.likeness(work.index.summed(own))
        sums = np.bincount(work.labels, weights=likeness, minlength=len(work.sizes))
        means = sums / np.maximum(work.sizes, 1.0) / len(own)
        means[label] = 0.0
        place = int(means.argmax())
        if means[place] >= ALIKE:
            work.labels[own] = place
            work.sizes[place] += work.sizes[label]
            work.sizes[label] = 0.0
            members[place] += own
            members[label] = []
            joined = True
    return joined


def _move(work: _Work, order: Sequence[int]) -> bool:
    """Let each text move to the group it is most like, or leave one that it is not like. Whether any did."""
    _renumber(work)
    moved = False
    for number in order:
        label = int(work.labels[number])
        place, likeness = work.best(work.index.vectors[number], itself=number)
        if likeness < ALIKE:
            if work.sizes[label] == 1:
                continue
            place = len(work.sizes)
            work.sizes = np.append(work.sizes, 0.0)
        if place != label:
            work.sizes[label] -= 1
            work.sizes[place] += 1
            work.labels[number] = place
            moved = True
    return moved


def _renumber(work: _Work) -> None:
    """Labels without gaps, in order of the first text of each."""
    for label, members in enumerate(_members(work.labels)):
        work.labels[members] = label
    work.sizes = np.bincount(work.labels).astype(np.float64)


def _members(labels: Ints) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for number, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(number)
    return list(groups.values())


def _group(language: str, members: Sequence[int], numbers: Sequence[int], index: Index) -> Group:
    total = index.summed(members)
    typical = sorted(
        members,
        key=lambda n: -sum(weight * total[term] for term, weight in index.vectors[n].items()),
    )
    found = Counter(term for n in members for term in index.vectors[n])
    shared = [term for term in total if 2 * found[term] >= len(members)]
    shared.sort(key=lambda term: (-total[term], term))
    return Group(
        language,
        tuple(numbers[n] for n in typical),
        tuple(shared),
    )


__all__ = ["ALIKE", "Group", "group_texts"]
