"""Boosted regression trees, evaluated for a whole batch at once with numpy alone.

The trees are fitted elsewhere (see `judges.distillation`) and travel as plain arrays: nothing is
unpickled, nothing is compiled, and a batch costs one pass over the levels of all trees together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judges.distilled.units import Floats

Small = npt.NDArray[np.int16]


@dataclass(slots=True, frozen=True)
class Forest:
    """Trees side by side: arrays of shape (trees, nodes). A leaf points to itself.

    `feature` is the column that a node looks at, `threshold` the value up to which it goes to `left`,
    else to `right`; `value` is what a leaf adds to the score (logits). `depth` is that of the deepest.
    """

    feature: Small
    threshold: npt.NDArray[np.float32]
    left: Small
    right: Small
    value: npt.NDArray[np.float32]
    depth: int

    def score(self, rows: npt.NDArray[np.float32]) -> Floats:
        """The sum over all trees for each row. `rows`: shape (rows, features), no NaN."""
        trees = len(self.feature)
        total = np.zeros(len(rows))
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = rows[start : start + _ROWS_AT_ONCE]
            node = np.zeros((len(part), trees), dtype=np.int64)
            base = np.arange(trees) * self.feature.shape[1]
            line = np.arange(len(part))[:, None] * part.shape[1]
            flat = part.ravel()
            for _ in range(self.depth):
                at = base + node
                seen = flat[line + self.feature.ravel()[at]]
                node = np.where(
                    seen <= self.threshold.ravel()[at], self.left.ravel()[at], self.right.ravel()[at]
                )
            total[start : start + _ROWS_AT_ONCE] = self.value.ravel()[base + node].sum(axis=1)
        return total

    def arrays(self, name: str) -> dict[str, npt.NDArray[np.generic]]:
        """What to store, under names that begin with `name`."""
        return {f"{name}.{part}": getattr(self, part) for part in _PARTS} | {
            f"{name}.depth": np.int64(self.depth)
        }

    @classmethod
    def restore(cls, stored: Mapping[str, npt.NDArray[np.generic]], name: str) -> Forest:
        """A forest from what `arrays` gave. Raises KeyError where a part is missing."""
        parts = {part: stored[f"{name}.{part}"] for part in _PARTS}
        return cls(**parts, depth=int(stored[f"{name}.depth"]))  # type: ignore[arg-type]


_PARTS = ("feature", "threshold", "left", "right", "value")
_ROWS_AT_ONCE = 512
"""Rows times trees is what is in memory: 512 × 150 nodes of 8 bytes stay in the cache."""


def logistic(logits: Floats) -> Floats:
    """Logits to probabilities, 0..1."""
    return 1.0 / (1.0 + np.exp(-logits))


__all__ = ["Forest", "logistic"]
