"""Two raters over the same items, as codes, with what each item weighs and which conversation it is of."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

_NOTHING = 1e-12
"""A chance of disagreement below this is none: rounding, not data."""


@dataclass(slots=True, frozen=True)
class Pairs:
    """Items that both rated. `first[i]` and `second[i]` are indices into `classes`; weights are positive."""

    classes: tuple[Hashable, ...]
    first: Codes
    second: Codes
    clusters: Codes
    weights: Floats

    def __len__(self) -> int:
        return len(self.first)

    def table(self) -> Floats:
        """The confusion, weighted: rows are the first rater's classes, columns the second's. (k, k)."""
        return np.asarray(self.tables_by_cluster().sum(axis=0))

    def counts(self) -> Codes:
        """The confusion in whole items, whatever they weigh. (k, k)."""
        size = len(self.classes)
        flat = np.bincount(self.first * size + self.second, minlength=size * size)
        return flat.reshape(size, size).astype(np.int64)

    def tables_by_cluster(self) -> Floats:
        """The weighted confusion of each conversation, for resampling. (clusters, k, k)."""
        size = len(self.classes)
        count = int(self.clusters.max()) + 1 if len(self) else 0
        flat = (self.clusters * size + self.first) * size + self.second
        summed = np.bincount(flat, weights=self.weights, minlength=count * size * size)
        return summed.astype(np.float64).reshape(count, size, size)


def pair_up(
    first: Sequence[Hashable | None],
    second: Sequence[Hashable | None],
    classes: Sequence[Hashable],
    *,
    clusters: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
) -> Pairs:
    """The items that both rated (neither is null), as codes into `classes`, whose order is their rank.

    `clusters`: the conversation of each item; without them each item is its own. `weights`: how many items
    of the traffic each stands for; 1 without them. Raises ValueError for a rating that is none of the
    classes, a weight that is not positive and finite, or sequences of different lengths.
    """
    codes = {name: index for index, name in enumerate(classes)}
    if len(codes) != len(classes):
        raise ValueError("a class is named twice")
    groups: dict[Hashable, int] = {}
    kept: list[tuple[int, int, int, float]] = []
    for number, (one, other, cluster, weight) in enumerate(
        zip(
            first,
            second,
            range(len(first)) if clusters is None else clusters,
            [1.0] * len(first) if weights is None else weights,
            strict=True,
        )
    ):
        if one is None or other is None:
            continue
        for said in (one, other):
            if said not in codes:
                raise ValueError(f"item {number}: {said!r} is none of the classes")
        if not (np.isfinite(weight) and weight > 0):
            raise ValueError(f"item {number}: a weight must be positive, not {weight}")
        kept.append((codes[one], codes[other], groups.setdefault(cluster, len(groups)), float(weight)))
    columns = np.array(kept, dtype=np.float64).reshape(len(kept), 4).T
    left, right, group = (column.astype(np.int64) for column in columns[:3])
    return Pairs(tuple(classes), left, right, group, columns[3].copy())


def quotient(above: Floats, below: Floats) -> Floats:
    """Element by element; NaN where nothing is divided by."""
    above, below = np.broadcast_arrays(np.asarray(above, np.float64), np.asarray(below, np.float64))
    out = np.full(above.shape, np.nan)
    np.divide(above, below, out=out, where=np.abs(below) > _NOTHING)
    return out


__all__ = ["Codes", "Floats", "Pairs", "pair_up", "quotient"]
