"""Calibration of the shipped scorer: one line a head and language, and how well it fits.

Platt's scaling on logits of forests that did not see the group. Every source counts alike. The line of
`trace` is then moved so that 0.5 is where to decide: a threshold at which F1, averaged over sources and
tasks, is as good as highest. Of several, the one that moves the line least, so that probabilities stay
honest and no alarm is raised that F1 does not need.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from sklearn.linear_model import LogisticRegression

from judges.distillation.table import Names
from judges.distilled.heads.calibration import ANY_LANGUAGE, Calibration
from judges.distilled.measuring.tokens import Bools, Ints
from judges.distilled.measuring.units import Floats

LANGUAGES: Final = ("en", "zh")
FEWEST: Final = 50
"""Rows of each label from which a language gets a line of its own."""
BINS: Final = 10
AS_GOOD: Final = 0.015
"""Mean F1 within this of the highest is as good: less than its standard error (about .016)."""
FEWEST_OF_PART: Final = 20
"""Rows from which a part has a say in where to decide."""


def fit_lines(logits: Floats, bad: Ints, source: Names, language: Names) -> dict[str, Calibration]:
    """A line for each language with enough labels, and one for the rest."""
    lines = {ANY_LANGUAGE: fit_line(logits, bad, source)}
    for name in LANGUAGES:
        mine = language == name
        if min(bad[mine].sum(), (1 - bad[mine]).sum()) >= FEWEST:
            lines[name] = fit_line(logits[mine], bad[mine], source[mine])
    return lines


def fit_line(logits: Floats, bad: Ints, source: Names) -> Calibration:
    """Platt's scaling in which every source weighs the same."""
    _, which, counts = np.unique(source, return_inverse=True, return_counts=True)
    model = LogisticRegression(C=1e6).fit(logits[:, None], bad, sample_weight=1.0 / counts[which])
    return Calibration.line(max(float(model.coef_[0, 0]), 1e-3), float(model.intercept_[0]))


def decide_at_half(
    lines: dict[str, Calibration], logits: Floats, bad: Ints, part: Names, language: Names
) -> dict[str, Calibration]:
    """The lines, each moved so that 0.5 decides with the highest mean F1 over the parts of its language."""
    moved = {}
    for name, line in lines.items():
        mine = (language == name) if name != ANY_LANGUAGE else np.ones(len(bad), dtype=np.bool_)
        calibrated = line.apply(logits[mine])
        shift = _best_threshold(calibrated, bad[mine], part[mine])
        moved[name] = Calibration(line.raw, line.calibrated - shift)
    return moved


def _best_threshold(calibrated: Floats, bad: Ints, part: Names) -> float:
    """The calibrated logit, as near to 0 as may be, from which calling an answer bad gives a mean F1 that is
    as good as the highest."""
    names, counts = np.unique(part, return_counts=True)
    parts = [part == name for name in names[counts >= min(FEWEST_OF_PART, counts.max())]]
    candidates = np.linspace(-2.5, 1.5, 81)
    means = np.array([np.mean([f1(calibrated[p] >= bar, bad[p]) for p in parts]) for bar in candidates])
    smooth = np.convolve(
        np.pad(means, 4, mode="edge"), np.ones(9) / 9, mode="valid"
    )  # one row's luck is none
    good = candidates[smooth >= smooth.max() - AS_GOOD]
    return float(good[np.abs(good).argmin()])


def f1(flagged: Bools, bad: Ints) -> float:
    """F1 of the flags; 0 where nothing is flagged and nothing is bad."""
    total = int(flagged.sum() + bad.sum())
    return 2.0 * float((flagged & (bad == 1)).sum()) / total if total else 0.0


def calibration_error(chances: Floats, bad: Ints) -> float:
    """Expected calibration error: mean gap between chance and truth over ten bins of equal width (Naeini et
    al. 2015)."""
    bins = np.minimum((chances * BINS).astype(np.int64), BINS - 1)
    gaps = np.bincount(bins, chances - bad, minlength=BINS)
    return float(np.abs(gaps).sum() / max(len(bad), 1))
