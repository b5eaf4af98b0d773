"""Where between yes and no an answer begins to be hallucinated: fitted, since the model is biased."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

_RIDGE: Final = 0.05
_STEPS: Final = 60
_TINY: Final = 1e-9


@dataclass(slots=True, frozen=True)
class Boundary:
    """P(hallucination) = 1 / (1 + exp(steepness · (odds − threshold))), of the weakest claim's log-odds.

    A steepness of 0 says nothing about anything: 0.5 for all.
    """

    threshold: float
    steepness: float
    fitted_on: int = 0

    def hallucination(self, odds: float) -> float:
        """The probability, 0 to 1."""
        return 1.0 / (1.0 + math.exp(min(max(self.steepness * (odds - self.threshold), -50.0), 50.0)))


def fit_boundary(odds: Sequence[float], hallucinated: Sequence[bool]) -> Boundary:
    """Logistic regression on one number, both classes weighing the same, shrunk a little towards nothing.

    Where odds do not fall with hallucination, the model has no idea, and the boundary says so.
    Raises ValueError where one of the classes is missing.
    """
    x, y = np.asarray(odds, np.float64), np.asarray(hallucinated, np.float64)
    bad, good = y.sum(), (1 - y).sum()
    if not bad or not good:
        raise ValueError("a boundary needs examples on both sides")
    middle, width = float(x.mean()), float(x.std())
    if width < _TINY:
        return Boundary(middle, 0.0, len(x))
    z = (x - middle) / width
    weights = np.where(y > 0, 0.5 / bad, 0.5 / good)
    design = np.stack([np.ones_like(z), z], axis=1)
    beta = np.zeros(2)
    for _ in range(_STEPS):  # Newton's method: the ridge keeps it finite where classes do not overlap
        p = 1 / (1 + np.exp(-design @ beta))
        gradient = design.T @ (weights * (y - p)) - _RIDGE * np.array([0.0, beta[1]])
        curvature = design.T @ (design * (weights * p * (1 - p))[:, None]) + _RIDGE * np.diag([_TINY, 1.0])
        step = np.linalg.solve(curvature, gradient)
        beta += step
        if float(np.abs(step).max()) < 1e-10:
            break
    if beta[1] >= -_TINY:
        return Boundary(middle, 0.0, len(x))
    return Boundary(middle - float(beta[0] / beta[1]) * width, float(-beta[1]) / width, len(x))


__all__ = ["Boundary", "fit_boundary"]
