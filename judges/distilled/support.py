"""How well the chunks support a claim: the first scorer's rules, and why a claim failed.

Support is a logistic curve over weighted coverage, and loses for each thing that coverage cannot see: a
number or a name that no chunk has, a negation on one side alone, an opposite word, words of two
statements put together into a third.
"""

from __future__ import annotations

import numpy as np

from judges.distilled.measuring.features import Features
from judges.distilled.measuring.tokens import Bools
from judges.distilled.measuring.units import Floats

BASE = -2.0
COVERED = {"any": 1.2, "chunk": 1.7, "window": 0.8}
RUNS = 0.5
"""Logits for full coverage of a claim anywhere, in one chunk, in one window, and of its word pairs."""

LOSSES = {
    "number not in any chunk": 3.2,
    "number from another chunk": 0.5,
    "number said of something else": 0.8,
    "name not in any chunk": 0.6,
    "negation differs": 2.9,
    "opposite word": 1.4,
    "parts of different statements": 2.5,
    "right words in the wrong place": 0.8,
}
"""Logits lost by each fault, once per fault (twice at most)."""

SUPPORTED = 0.5
"""A claim with at least this support counts as supported."""


def score_support(features: Features) -> tuple[Floats, list[str]]:
    """Support of every claim (0..1), and the reason of the largest loss ("" where it is supported)."""
    n = features.part.claims
    g, c = features.cover, features.claims
    runs = np.divide(c["runs2_seen"], c["runs2"], out=np.ones(n), where=c["runs2"] > 0)
    logit = BASE + COVERED["any"] * g.any[:n] + COVERED["chunk"] * g.chunk[:n]
    logit += COVERED["window"] * g.window[:n] + RUNS * runs
    losses = list_losses(features)
    support = 1.0 / (1.0 + np.exp(losses.sum(axis=0) - logit))
    support[g.total[:n] <= 0] = 1.0  # function words only: nothing is claimed
    return support, _name_worst(losses, support < SUPPORTED)


def list_losses(features: Features) -> Floats:
    """What each fault costs each claim: shape (faults, claims), logits, in the order of `LOSSES`."""
    c = features.claims
    faults = (
        np.minimum(c["numbers_unknown"], 2),
        np.minimum(c["numbers_far"], 1),
        np.minimum(c["numbers_contradicted"], 1),
        np.minimum(c["names_unknown"], 2),
        _flipped(features),
        np.minimum(c["opposites"], 1),
        _recombined(features),
        c["displaced"],
    )
    return np.stack([w * f for w, f in zip(LOSSES.values(), faults, strict=True)])


def measure_faults(features: Features) -> dict[str, Floats]:
    """For each claim: logits lost by all faults together, and whether it negates or recombines."""
    losses = list_losses(features)
    names = list(LOSSES)
    return {
        "faults": losses.sum(axis=0),
        "negation_differs": losses[names.index("negation differs")],
        "recombined": losses[names.index("parts of different statements")],
    }


def name_reasons(features: Features, unsupported: Bools) -> list[str]:
    """The fault that costs each unsupported claim most; "" for the others."""
    return _name_worst(list_losses(features), unsupported)


def _name_worst(losses: Floats, unsupported: Bools) -> list[str]:
    names = list(LOSSES)
    worst = losses.argmax(axis=0).tolist()
    lost = losses.max(axis=0).tolist()
    return [
        "" if not bad else names[w] if loss > 0 else "content not in any chunk"
        for bad, w, loss in zip(unsupported.tolist(), worst, lost, strict=True)
    ]


def _flipped(features: Features) -> Bools:
    """One side negates, neither the best clause nor its sentence does (or the other way round), and
    otherwise they say the same."""
    n = features.part.claims
    g, c = features.cover, features.claims
    short = c["tokens"] <= 30
    alike = (g.clause[:n] >= 0.6) & short
    negates = c["negations"] > 0
    flipped: Bools = (
        alike & (negates != (c["clause_negations"] > 0)) & (negates != (c["window_negations"] > 0))
    )
    return flipped


def _recombined(features: Features) -> Bools:
    """Every word stands in one sentence, but no single clause of it says so, and the wording breaks."""
    n = features.part.claims
    g, c = features.cover, features.claims
    broken = c["runs4_seen"] < c["runs4"]
    copied = np.divide(c["runs3_seen"], c["runs3"], out=np.zeros(n), where=c["runs3"] > 0) >= 0.85
    short = c["tokens"] <= 16
    return (g.window[:n] >= 0.97) & (g.clause[:n] <= 0.75) & broken & copied & short
