"""The learned scorer: a forest judges every claim, a second one the whole answer, both calibrated."""

from __future__ import annotations

from collections.abc import Sequence

from judges.distilled.assemble import Judgement, assemble_scores
from judges.distilled.heads.apply import Learned
from judges.distilled.heads.calibration import calibrate
from judges.distilled.heads.vectors import claim_vectors, trace_vectors
from judges.distilled.heads.weights import Weights, WeightsRefused
from judges.distilled.measuring.batch import read_case, split_cases
from judges.distilled.measuring.features import Features, measure
from judges.distilled.support import SUPPORTED, name_reasons
from judges.distilled.undisturbed import undisturbed
from schemas.scored import Scores
from schemas.trace import Trace


class StudentScorer:
    """Scores by learned weights. Thread-safe: it keeps no state between batches."""

    def __init__(self, weights: Weights) -> None:
        """Raises `WeightsRefused` where a head is there in parts."""
        self._weights = weights
        try:
            self._learned = Learned.restore(weights)
        except (KeyError, ValueError) as error:
            raise WeightsRefused(
                f"{weights.manifest.version} holds half of a head ({error}): train it again."
            ) from error

    @property
    def version(self) -> str:
        """The version that the weights' manifest names."""
        return self._weights.manifest.version

    @undisturbed()
    def score(self, batch: Sequence[Trace]) -> list[Scores]:
        """One `Scores` a trace, in order."""
        scores: list[Scores] = []
        for cases in split_cases([read_case(t) for t in batch]):
            features = measure(cases)
            judgement = judge_claims(features, self._weights)
            found = assemble_scores(features, judgement, self.version)
            scores += self._learned.refine(features, found, judgement.support) if self._learned else found
        return scores


def judge_claims(features: Features, weights: Weights) -> Judgement:
    """Support of each claim and the chance of a hallucination in each answer, by learned weights."""
    part = features.part
    vectors = claim_vectors(features)
    claim_logits = weights.forests["claim"].score(vectors)
    trace_logits = weights.forests["trace"].score(trace_vectors(features, claim_logits, vectors))
    spoken = [case.language for case in part.cases]
    curves = weights.calibration
    bad = calibrate(curves.get("claim", {}), claim_logits, [spoken[i] for i in part.claim_case.tolist()])
    support = 1.0 - bad
    support[features.cover.total[: part.claims] <= 0] = 1.0  # function words only: nothing is claimed
    return Judgement(
        support=support,
        reasons=name_reasons(features, support < SUPPORTED),
        hallucination=calibrate(curves.get("trace", {}), trace_logits, spoken),
    )
