"""From a model's logit to a probability that means what it says: one rising curve a head and language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judges.distilled.measuring.units import Floats

ANY_LANGUAGE = "any"
"""The curve of a language that has none of its own."""


@dataclass(slots=True, frozen=True)
class Calibration:
    """A curve through knots, from raw logits to calibrated logits, carried on straight at both ends.

    `raw` rises strictly, `calibrated` never falls. Two knots are a line: Platt's scaling (Platt 1999)
    with any slope; more are an isotonic fit (Zadrozny & Elkan 2002), interpolated.
    """

    raw: npt.NDArray[np.float64]
    calibrated: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        """Raises ValueError where the knots are no rising curve."""
        if self.raw.ndim != 1 or self.raw.shape != self.calibrated.shape or len(self.raw) < 2:
            raise ValueError("a calibration needs at least two knots, and a value for each")
        if not (np.isfinite(self.raw).all() and np.isfinite(self.calibrated).all()):
            raise ValueError("a calibration's knots are numbers")
        if (np.diff(self.raw) <= 0).any() or (np.diff(self.calibrated) < 0).any():
            raise ValueError("a calibration rises: a higher logit never means a lower probability")

    def apply(self, logits: Floats) -> Floats:
        """Calibrated logits of raw ones."""
        inside = np.interp(logits, self.raw, self.calibrated)
        first, last = _slopes(self.raw, self.calibrated)
        below = np.minimum(logits - self.raw[0], 0.0) * first
        above = np.maximum(logits - self.raw[-1], 0.0) * last
        calibrated: Floats = inside + below + above
        return calibrated

    @classmethod
    def line(cls, slope: float, intercept: float) -> Calibration:
        """Platt's scaling: calibrated = slope · raw + intercept, slope ≥ 0."""
        raw = np.array([-1.0, 1.0])
        return cls(raw, slope * raw + intercept)


def _slopes(raw: Floats, calibrated: Floats) -> tuple[float, float]:
    """How steep the curve is at its first and its last knot."""
    first = (calibrated[1] - calibrated[0]) / (raw[1] - raw[0])
    last = (calibrated[-1] - calibrated[-2]) / (raw[-1] - raw[-2])
    return float(first), float(last)


def calibrate(curves: Mapping[str, Calibration], logits: Floats, languages: list[str | None]) -> Floats:
    """Probabilities (0..1) of `logits`, each by the curve of its language."""
    calibrated = curves[ANY_LANGUAGE].apply(logits) if ANY_LANGUAGE in curves else logits.copy()
    for language, curve in curves.items():
        mine = np.flatnonzero([spoken == language for spoken in languages])
        calibrated[mine] = curve.apply(logits[mine])
    return 1.0 / (1.0 + np.exp(-np.clip(calibrated, -60.0, 60.0)))
