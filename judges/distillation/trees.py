"""Boosted trees fitted on top of what another model says, as a `Forest`. The one place that fits them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import lightgbm
import numpy as np
import numpy.typing as npt

from judges.distilled.heads.forest import Forest, Rows
from judges.distilled.measuring.units import Floats


@dataclass(frozen=True, slots=True)
class Boost:
    """How to fit. `monotone`: for each column 1 (more means a higher logit), -1, or 0 (free)."""

    rounds: int
    leaves: int
    rate: float = 0.05
    rows_a_leaf: int = 30
    ridge: float = 5.0
    columns_share: float = 1.0
    """Share of the columns that each tree may use, drawn anew for each."""
    rows_share: float = 1.0
    """The same of the rows."""
    monotone: tuple[int, ...] = ()
    chances: bool = False
    """Whether the labels are chances (0..1); else they are 0 or 1."""


def fit_boost(rows: Rows, labels: Floats, weights: Floats, start: Floats, how: Boost, seed: int) -> Forest:
    """Trees that, added to the logits `start`, fit binary `labels` (log loss). The same for the same seed.

    `rows`: shape (n, features), no NaN. Weights are brought to a mean of one, so that what a leaf needs
    does not depend on their scale.
    """
    data = lightgbm.Dataset(
        rows,
        labels,
        weight=weights / max(float(weights.mean()), 1e-12),
        init_score=start,
        free_raw_data=False,
    )
    model = lightgbm.train(_settings(how, rows.shape[1], seed), data, num_boost_round=how.rounds)
    return read_trees(model.dump_model()["tree_info"])


def read_trees(trees: list[dict[str, Any]]) -> Forest:
    """A forest of LightGBM's trees, as its `dump_model` describes them."""
    nodes: list[tuple[int, float, int, float]] = []
    roots = []
    for tree in trees:
        roots.append(len(nodes))
        nodes.append((-1, 0.0, 0, 0.0))
        waiting = [(tree["tree_structure"], len(nodes) - 1)]
        while waiting:
            node, at = waiting.pop()
            if "split_feature" not in node:
                nodes[at] = (-1, 0.0, 0, float(node["leaf_value"]))
                continue
            left = len(nodes)
            nodes += [(-1, 0.0, 0, 0.0)] * 2
            nodes[at] = (int(node["split_feature"]), float(node["threshold"]), left, 0.0)
            waiting += [(node["left_child"], left), (node["right_child"], left + 1)]
    feature, threshold, left_child, value = zip(*nodes, strict=True) if nodes else ((), (), (), ())
    return Forest(
        feature=np.array(feature, dtype=np.int16),
        threshold=_round_down(np.array(threshold, dtype=np.float64)),
        left=np.array(left_child, dtype=np.int32),
        value=np.array(value, dtype=np.float32),
        root=np.array(roots, dtype=np.int32),
    )


def _settings(how: Boost, columns: int, seed: int) -> dict[str, Any]:
    return {
        "objective": "cross_entropy" if how.chances else "binary",
        "boost_from_average": False,
        "learning_rate": how.rate,
        "num_leaves": how.leaves,
        "min_data_in_leaf": how.rows_a_leaf,
        "lambda_l2": how.ridge,
        "monotone_constraints": list(how.monotone) or [0] * columns,
        "feature_fraction": how.columns_share,
        "bagging_fraction": how.rows_share,
        "bagging_freq": int(how.rows_share < 1.0),
        "use_missing": False,
        "seed": seed,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbose": -1,
    }


def _round_down(thresholds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """The largest 32-bit number up to each: a 32-bit value is on the same side of both."""
    near = thresholds.astype(np.float32)
    return np.where(near > thresholds, np.nextafter(near, np.float32(-np.inf)), near).astype(np.float32)


__all__ = ["Boost", "fit_boost", "read_trees"]
