"""Calibration that knows that labels err, and how often they do.

Where a model is as sure as it gets, labels still disagree with it now and then: whoever gave them lapsed.
The chance of a label 1 is modelled as

    P(1 | z) = a + (1 - a - b) · σ(slope · z + intercept)

with `a` the share of plain negatives that are labelled 1 and `b` that of plain positives labelled 0: the
logistic with lapses of psychophysics (Wichmann & Hill 2001), which is also the likelihood under
class-conditional label noise (Natarajan et al. 2013). Calibrating by slope and intercept then gives the
chance of the truth, not of the label, and `a` and `b` say how far the labels can be trusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from judges.distilled.measuring.units import Floats

MOST: Final = 0.45
"""Beyond this a label says next to nothing."""
_PRIOR: Final = 8.0
"""Beta(1, 8) of either lapse: rare, unless the labels say otherwise. Worth nine labels."""
_PULL: Final = 0.3
"""Ridge of slope and intercept towards 1 and 0: what few labels do not say stays as it was."""
MOST_SHIFT: Final = 15.0
_STEPS: Final = 100


@dataclass(frozen=True, slots=True)
class Lapses:
    """The fitted curve. `loss` is the penalised negative log-likelihood, to compare fits by."""

    slope: float
    intercept: float
    false_alarms: float
    """Share of plain negatives that are labelled 1."""
    misses: float
    """Share of plain positives that are labelled 0."""
    loss: float


def fit_lapses(
    logits: Floats,
    labels: Floats,
    weights: Floats,
    most: tuple[float, float] = (MOST, MOST),
    least_slope: float = 0.05,
    shift: float = MOST_SHIFT,
) -> Lapses:
    """Fit the curve to out-of-sample logits: false alarms and misses up to `most`, no slope below
    `least_slope`, no intercept beyond `shift`.

    Weights are brought to a mean of one. What few labels do not determine is left near slope 1, intercept
    0 and few lapses. Fisher scoring with Levenberg's damping, from a few starts; deterministic.
    """
    data = (np.clip(logits, -15.0, 15.0), labels, weights / max(float(weights.mean()), 1e-12))
    low = np.array([least_slope, -shift, 1e-4, 1e-4])
    high = np.array([10.0, shift, *most])
    starts = [(1.0, at, lapse, lapse) for at in (0.0, -1.5) for lapse in (0.02, 0.2)]
    found = [_descend(np.clip(np.array(start), low, high), low, high, *data) for start in starts]
    best, loss = min(found, key=lambda pair: pair[1])
    slope, intercept, false_alarms, misses = best.tolist()
    return Lapses(slope, intercept, false_alarms, misses, loss)


def _descend(at: Floats, low: Floats, high: Floats, z: Floats, y: Floats, w: Floats) -> tuple[Floats, float]:
    """The parameters at the nearest minimum, and the loss there."""
    damping = 1e-3
    loss, gradient, curvature = _look(at, z, y, w)
    for _ in range(_STEPS):
        free = ~((at <= low) & (gradient > 0) | (at >= high) & (gradient < 0))
        if not free.any():
            break
        inner = curvature[np.ix_(free, free)]
        step = np.zeros(4)
        step[free] = np.linalg.solve(inner + damping * np.diag(np.diag(inner)), -gradient[free])
        there = np.clip(at + step, low, high)
        new_loss, new_gradient, new_curvature = _look(there, z, y, w)
        if new_loss < loss:
            settled = loss - new_loss < 1e-7
            at, loss, gradient, curvature = there, new_loss, new_gradient, new_curvature
            damping = max(damping / 4, 1e-9)
            if settled:
                break
        elif damping > 1e8:
            break
        else:
            damping *= 8
    return at, loss


def _look(at: Floats, z: Floats, y: Floats, w: Floats) -> tuple[float, Floats, Floats]:
    """Penalised negative log-likelihood, its gradient, and the expected curvature."""
    slope, intercept, a, b = at.tolist()
    s = 1.0 / (1.0 + np.exp(-(slope * z + intercept)))
    span = 1.0 - a - b
    p = np.clip(a + span * s, 1e-9, 1 - 1e-9)
    steep = span * s * (1 - s)
    by = np.stack([steep * z, steep, 1 - s, -s])
    rare = _PRIOR - 1.0
    loss = -float(np.sum(w * (y * np.log(p) + (1 - y) * np.log(1 - p))))
    loss += _PULL * ((slope - 1.0) ** 2 + intercept**2) - rare * float(np.log(1 - a) + np.log(1 - b))
    gradient = by @ (w * (p - y) / (p * (1 - p)))
    gradient += [2 * _PULL * (slope - 1.0), 2 * _PULL * intercept, rare / (1 - a), rare / (1 - b)]
    curvature = (by * (w / (p * (1 - p)))) @ by.T
    curvature += np.diag([2 * _PULL, 2 * _PULL, rare / (1 - a) ** 2, rare / (1 - b) ** 2])
    return loss, gradient, curvature


__all__ = ["MOST", "Lapses", "fit_lapses"]
