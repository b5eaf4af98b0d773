"""Boosted regression trees, evaluated for a whole batch at once by one compiled loop.

The trees are fitted elsewhere (see `judges.distillation`) and travel as plain arrays: nothing is
unpickled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from judges.distilled.kernel.compiled import compiled
from judges.distilled.measuring.units import Floats

Rows = npt.NDArray[np.float32]
"""Feature vectors: shape (rows, features)."""

_PARTS = {"feature": np.int16, "threshold": np.float32, "left": np.int32, "value": np.float32}


@dataclass(slots=True, frozen=True)
class Forest:
    """Trees one after another in flat arrays, one entry a node.

    `feature` is the column that a node looks at, or -1 for a leaf; `threshold` the value up to which a
    row goes to node `left`, else to `left + 1`; `value` is what a leaf adds to the score (logits).
    `root` has the first node of each tree. `base` is added to every score, and so is what `slope` makes of
    the columns: one factor a column, for as many as it has (what the trees were fitted on top of).
    """

    feature: npt.NDArray[np.int16]
    threshold: npt.NDArray[np.float32]
    left: npt.NDArray[np.int32]
    value: npt.NDArray[np.float32]
    root: npt.NDArray[np.int32]
    base: float = 0.0
    slope: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, dtype=np.float32))

    def score(self, rows: Rows) -> Floats:
        """The sum over all trees for each row. `rows`: shape (rows, features); NaN goes right."""
        total = self.base + rows[:, : len(self.slope)].astype(np.float64) @ self.slope.astype(np.float64)
        _add_trees(rows, self.feature, self.threshold, self.left, self.value, self.root, total)
        return total

    @property
    def columns(self) -> int:
        """One more than the highest column that any node looks at."""
        return max(len(self.slope), int(self.feature.max()) + 1 if len(self.feature) else 0)

    def extend(self, other: Forest, weight: float = 1.0) -> Forest:
        """This forest with the trees of another appended, each worth `weight` of what it was."""
        shift = len(self.feature)
        slope = np.zeros(max(len(self.slope), len(other.slope)), dtype=np.float32)
        slope[: len(self.slope)] += self.slope
        slope[: len(other.slope)] += np.float32(weight) * other.slope
        return Forest(
            feature=np.concatenate([self.feature, other.feature]),
            threshold=np.concatenate([self.threshold, other.threshold]),
            left=np.concatenate([self.left, other.left + np.int32(shift)]),
            value=np.concatenate([self.value, other.value * np.float32(weight)]),
            root=np.concatenate([self.root, other.root + np.int32(shift)]),
            base=self.base + weight * other.base,
            slope=slope,
        )

    def scale(self, weight: float) -> Forest:
        """This forest with everything it says multiplied."""
        return replace(
            self,
            value=self.value * np.float32(weight),
            base=self.base * weight,
            slope=self.slope * np.float32(weight),
        )

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """What to store, under names that begin with `name`."""
        stored: dict[str, npt.NDArray[Any]] = {f"{name}.{part}": getattr(self, part) for part in _PARTS}
        rest = {"root": self.root, "base": np.array([self.base]), "slope": self.slope}
        return stored | {f"{name}.{part}": array for part, array in rest.items()}

    @classmethod
    def restore(cls, stored: Mapping[str, npt.NDArray[Any]], name: str) -> Forest:
        """A forest from what `arrays` gave. Raises KeyError or ValueError where it is none."""
        parts = {part: stored[f"{name}.{part}"].astype(kind) for part, kind in _PARTS.items()}
        forest = cls(
            **parts,
            root=stored[f"{name}.root"].astype(np.int32),
            base=float(stored[f"{name}.base"][0]),
            slope=stored[f"{name}.slope"].astype(np.float32),
        )
        forest._check(name)
        return forest

    def _check(self, name: str) -> None:
        """Every way down ends in a leaf: a child stands behind its parent, and inside the arrays."""
        nodes = len(self.feature)
        parts = (self.threshold, self.left, self.value)
        if any(part.shape != (nodes,) for part in parts):
            raise ValueError(f"the arrays of forest {name} differ in length")
        if not (np.isfinite(self.value).all() and np.isfinite(self.base) and np.isfinite(self.slope).all()):
            raise ValueError(f"a leaf of forest {name} is no number")
        inner = np.flatnonzero(self.feature >= 0)
        left = self.left[inner]
        if (left <= inner).any() or (left + 1 >= nodes).any() or np.isnan(self.threshold[inner]).any():
            raise ValueError(f"a node of forest {name} leads nowhere")
        if len(self.root) and (self.root.min() < 0 or self.root.max() >= nodes):
            raise ValueError(f"a tree of forest {name} has no root")


@compiled
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
