"""Tiny weights for tests: one tree a head."""

from __future__ import annotations

from typing import Any

import numpy as np

from judges.distilled.heads.calibration import ANY_LANGUAGE, Calibration
from judges.distilled.heads.forest import Forest
from judges.distilled.heads.weights import Manifest, Weights


def make_stump(*, column: int = 0, threshold: float = 0.5, low: float = -1.0, high: float = 1.0) -> Forest:
    """One tree of one question: `low` up to the threshold, `high` above."""
    return Forest(
        feature=np.array([column, -1, -1], dtype=np.int16),
        threshold=np.array([threshold, 0.0, 0.0], dtype=np.float32),
        left=np.array([1, 0, 0], dtype=np.int32),
        value=np.array([0.0, low, high], dtype=np.float32),
        root=np.zeros(1, dtype=np.int32),
    )


def make_weights(
    *, version: str = "tiny", threshold: float = 0.5, arrays: dict[str, np.ndarray[Any, Any]] | None = None
) -> Weights:
    """A claim is bad where its first column (the share that some chunk holds) is low; so is its answer."""
    return Weights(
        manifest=Manifest(version=version, made_at="2026-01-01T00:00:00Z", seed=0),
        forests={"claim": make_stump(threshold=threshold, low=2.0, high=-2.0), "trace": make_stump()},
        calibration={
            "claim": {ANY_LANGUAGE: Calibration.line(1.0, 0.0)},
            "trace": {ANY_LANGUAGE: Calibration.line(2.0, 0.0), "zh": Calibration.line(3.0, 0.5)},
        },
        arrays=arrays or {},
    )
