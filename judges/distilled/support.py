"""How well the chunks support a claim: the first scorer's rules, and why a claim failed.

Support starts from weighted coverage and loses for each thing that coverage cannot see: a number or a
name that no chunk has, a negation the chunk does not have (or the claim lacks), an opposite word, a
run of words that leaves the chunk's own wording where the content changes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from judges.distilled.features import Features
from judges.distilled.units import Floats

UNKNOWN_NUMBER = 0.45
UNKNOWN_NAME = 0.22
FLIPPED = 0.4
OPPOSITE = 0.35
SUPPORTED = 0.5
"""A claim with at least this support counts as supported."""

LITTLE_WEIGHT = 8.0
"""Nats of content below which a claim is too short for coverage to be even."""


def score_support(features: Features) -> tuple[Floats, list[str]]:
    """Support of every claim (0..1), and the reason of the largest loss ("" where there is none)."""
    n = len(features.claim_case)
    g, c = features.groups, features.claims
    covered = 0.25 * g.any[:n] + 0.30 * g.chunk[:n] + 0.30 * g.pair[:n] + 0.15 * g.window[:n]
    runs = np.divide(c["two_seen"], c["two_all"], out=np.ones(n), where=c["two_all"] > 0)
    base = np.clip(0.85 * covered + 0.15 * runs, 0.0, 1.0)
    losses = {
        "content not in any chunk": np.zeros(n),
        "number not in any chunk": UNKNOWN_NUMBER * np.minimum(c["numbers_unknown"], 2),
        "number from elsewhere": 0.12 * np.minimum(c["numbers_far"], 1),
        "name not in any chunk": UNKNOWN_NAME * np.minimum(c["names_unknown"], 3),
        "negation differs": FLIPPED * _flipped(features),
        "opposite word": OPPOSITE * np.minimum(c["opposites"], 1),
        "parts of different statements": 0.3 * _recombined(features),
    }
    stacked = np.stack(list(losses.values()))
    support = np.clip(base - stacked.sum(axis=0), 0.0, 1.0)
    support[g.total[:n] <= 0] = 1.0  # function words only: nothing is claimed
    reasons = list(losses)
    worst = stacked.argmax(axis=0)
    return support, [
        "" if s >= SUPPORTED else reasons[w] for s, w in zip(support.tolist(), worst.tolist(), strict=True)
    ]


def _flipped(features: Features) -> npt.NDArray[np.bool_]:
    """One side negates, the other does not, and otherwise they say the same."""
    n = len(features.claim_case)
    g, c = features.groups, features.claims
    short = c["tokens"] <= 30
    alike = (g.clause[:n] >= 0.6) & short
    return alike & ((c["negations"] > 0) != (c["clause_negations"] > 0))


def _recombined(features: Features) -> npt.NDArray[np.bool_]:
    """Every word stands in one sentence, but no single clause of it says so, and the wording breaks."""
    n = len(features.claim_case)
    g, c = features.groups, features.claims
    broken = c["four_seen"] < c["four_all"]
    copied = np.divide(c["three_seen"], c["three_all"], out=np.zeros(n), where=c["three_all"] > 0) >= 0.85
    short = c["tokens"] <= 16
    return (g.window[:n] >= 0.97) & (g.clause[:n] <= 0.75) & broken & copied & short
