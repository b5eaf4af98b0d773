"""Weighted terms of texts as unit vectors, with an inverted index: which texts are like one, and how much."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


UNSEEN: Final = 20
"""Texts beyond those at hand that rarity is reckoned with: what three of three say, not everybody says."""


class Index:
    """Texts by number, from 0. Similarity is the cosine, 0..1."""

    def __init__(self, weighted: Sequence[Mapping[str, float]]) -> None:
        """`weighted`: of each text, its terms and what they weigh; rarity is reckoned in here."""
        self.size = len(weighted)
        found = Counter(term for terms in weighted for term in terms)
        self.rarity = {term: math.sqrt(math.log((self.size + UNSEEN) / n)) for term, n in found.items()}
        """Root of the logarithm of one in how many texts holds a term; never 0. The root, since a word that
        one text alone has says nothing of others, and would drown what they share."""
        self.vectors = [
            _unit({t: w * self.rarity[t] for t, w in sorted(terms.items())}) for terms in weighted
        ]
        rows: dict[str, tuple[list[int], list[float]]] = {}
        for number, vector in enumerate(self.vectors):
            for term, weight in vector.items():
                texts, weights = rows.setdefault(term, ([], []))
                texts.append(number)
                weights.append(weight)
        self._rows: dict[str, tuple[Ints, Floats]] = {
            term: (np.array(texts, dtype=np.int64), np.array(weights))
            for term, (texts, weights) in rows.items()
        }

    def likeness(self, vector: Mapping[str, float]) -> Floats:
        """Dot product of a vector with each text."""
        sums = np.zeros(self.size)
        for term, weight in vector.items():
            row = self._rows.get(term)
            if row is not None:
                sums[row[0]] += weight * row[1]
        return sums

    def summed(self, members: Sequence[int]) -> dict[str, float]:
        """Of some texts, the sum of their vectors."""
        total: dict[str, float] = {}
        for number in members:
            for term, weight in self.vectors[number].items():
                total[term] = total.get(term, 0.0) + weight
        return total


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(weight * weight for weight in vector.values()))
    return {term: weight / length for term, weight in vector.items()} if length else {}


__all__ = ["Floats", "Index", "Ints"]
