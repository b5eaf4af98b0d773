"""Boosted regression trees, evaluated for a whole batch at once by one compiled loop.

The trees are fitted elsewhere (see `judges.distillation`) and travel as plain arrays: nothing is
unpickled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from judges.distilled.units import Floats

Rows = npt.NDArray[np.float32]
"""Feature vectors: shape (rows, features)."""

_PARTS = {"feature": np.int16, "threshold": np.float32, "left": np.int32, "value": np.float32}


@dataclass(slots=True, frozen=True)
class Forest:
    """Trees one after another in flat arrays, one entry a node.

    `feature` is the column that a node looks at, or -1 for a leaf; `threshold` the value up to which a
    row goes to node `left`, else to `left + 1`; `value` is what a leaf adds to the score (logits).
    `root` has the first node of each tree. `base` is added to every score.
    """

    feature: npt.NDArray[np.int16]
    threshold: npt.NDArray[np.float32]
    left: npt.NDArray[np.int32]
    value: npt.NDArray[np.float32]
    root: npt.NDArray[np.int32]
    base: float = 0.0

    def score(self, rows: Rows) -> Floats:
        """The sum over all trees for each row. `rows`: shape (rows, features); NaN goes right."""
        total = np.full(len(rows), self.base)
        _add_trees(rows, self.feature, self.threshold, self.left, self.value, self.root, total)
        return total

    @property
    def columns(self) -> int:
        """One more than the highest column that any node looks at."""
        return int(self.feature.max()) + 1 if len(self.feature) else 0

    def extend(self, other: Forest, weight: float = 1.0) -> Forest:
        """This forest with the trees of another appended, each worth `weight` of what it was."""
        shift = len(self.feature)
        return Forest(
            feature=np.concatenate([self.feature, other.feature]),
            threshold=np.concatenate([self.threshold, other.threshold]),
            left=np.concatenate([self.left, other.left + np.int32(shift)]),
            value=np.concatenate([self.value, other.value * np.float32(weight)]),
            root=np.concatenate([self.root, other.root + np.int32(shift)]),
            base=self.base + weight * other.base,
        )

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """What to store, under names that begin with `name`."""
        stored: dict[str, npt.NDArray[Any]] = {f"{name}.{part}": getattr(self, part) for part in _PARTS}
        return stored | {f"{name}.root": self.root, f"{name}.base": np.array([self.base])}

    @classmethod
    def restore(cls, stored: Mapping[str, npt.NDArray[Any]], name: str) -> Forest:
        """A forest from what `arrays` gave. Raises KeyError or ValueError where it is none."""
        parts = {part: stored[f"{name}.{part}"].astype(kind) for part, kind in _PARTS.items()}
        forest = cls(
            **parts, root=stored[f"{name}.root"].astype(np.int32), base=float(stored[f"{name}.base"][0])
        )
        forest._check(name)
        return forest

    def _check(self, name: str) -> None:
        """Every way down ends in a leaf: a child stands behind its parent, and inside the arrays."""
        nodes = len(self.feature)
        parts = (self.threshold, self.left, self.value)
        if any(part.shape != (nodes,) for part in parts):
            raise ValueError(f"the arrays of forest {name} differ in length")
        if not (np.isfinite(self.value).all() and np.isfinite(self.base)):
            raise ValueError(f"a leaf of forest {name} is no number")
        inner = np.flatnonzero(self.feature >= 0)
        left = self.left[inner]
        if (left <= inner).any() or (left + 1 >= nodes).any() or np.isnan(self.threshold[inner]).any():
            raise ValueError(f"a node of forest {name} leads nowhere")
        if len(self.root) and (self.root.min() < 0 or self.root.max() >= nodes):
            raise ValueError(f"a tree of forest {name} has no root")


@njit(cache=True, nogil=True)
def _add_trees(rows: Any, feature: Any, threshold: Any, left: Any, value: Any, root: Any, total: Any) -> None:
    """Add to each entry of `total` what the trees say of its row."""
    for i in range(rows.shape[0]):
        score = 0.0
        for tree in range(root.shape[0]):
            node = root[tree]
            column = feature[node]
            while column >= 0:
                node = left[node] if rows[i, column] <= threshold[node] else left[node] + 1
                column = feature[node]
            score += value[node]
        total[i] += score


def logistic(logits: Floats) -> Floats:
    """Logits to probabilities, 0..1."""
    probabilities: Floats = 1.0 / (1.0 + np.exp(-logits))
    return probabilities


__all__ = ["Forest", "Rows", "logistic"]
