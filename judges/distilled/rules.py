"""The first scorer: deterministic rules over the shared features. The baseline of every learned one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judges.distilled.assemble import Judgement, assemble_scores
from judges.distilled.measuring.batch import read_case, split_cases
from judges.distilled.measuring.features import Features, measure
from judges.distilled.measuring.units import Floats
from judges.distilled.support import score_support
from judges.distilled.undisturbed import undisturbed
from schemas.scored import Scores
from schemas.trace import Trace

VERSION = "rules-1"

INTERCEPT, OF_WEAKEST, OF_MEAN = 3.1, -4.5, -1.6
"""Logits of a hallucination: the weakest claim decides, the mean support of all eases it."""


class RuleScorer:
    """Scores by rules alone. Thread-safe: it keeps no state between batches."""

    version = VERSION

    @undisturbed()
    def score(self, batch: Sequence[Trace]) -> list[Scores]:
        """One `Scores` a trace, in order."""
        scores: list[Scores] = []
        for cases in split_cases([read_case(t) for t in batch]):
            features = measure(cases)
            scores += assemble_scores(features, judge_claims(features), VERSION)
        return scores


def judge_claims(features: Features) -> Judgement:
    """Support by the rules, and what it means for each answer."""
    support, reasons = score_support(features)
    return Judgement(support, reasons, estimate_hallucination(features, support))


def estimate_hallucination(features: Features, support: Floats) -> Floats:
    """Chance that at least one claim of each case is unsupported (0..1), from the support of all."""
    owner, cases = features.part.claim_case, len(features.part.cases)
    weakest = np.ones(cases)
    np.minimum.at(weakest, owner, support)
    mean = np.bincount(owner, support, minlength=cases) / np.maximum(np.diff(features.part.claim_first), 1)
    strain = INTERCEPT + OF_WEAKEST * weakest + OF_MEAN * mean
    chance: Floats = 1.0 / (1.0 + np.exp(-strain))
    return chance
