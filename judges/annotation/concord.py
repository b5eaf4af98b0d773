"""How far annotators agree, live: Cohen's kappa of each two, Krippendorff's alpha of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from judges.agreement.alpha import krippendorff_alpha
from judges.agreement.figure import Figure, Gap
from judges.agreement.measure import measure_pairs
from judges.agreement.pairs import pair_up
from judges.annotation.votes import DECIDING, Vote
from schemas.annotation import ItemRole
from schemas.taxonomy import FAILURES, HEALTHY

VALUES: Final[Mapping[str, tuple[Hashable, ...]]] = {
    "failure": (HEALTHY, *(failure.value for failure in FAILURES)),
    "hallucination": (False, True),
    "should_refuse": (False, True),
}
LEAST: Final = 2
"""Cases that two must share, for a kappa: it is shown while it grows, with its interval."""
RESAMPLES: Final = 400
"""A page shows it every few seconds: fewer than for a calibration."""
MOST_PAIRS: Final = 10


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two annotators, over the cases that both labelled."""

    first: str
    second: str
    n: int
    kappa: Figure
    raw: Figure

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as JSON takes them."""
        return {
            "first": self.first,
            "second": self.second,
            "n": self.n,
            "kappa": self.kappa.as_dict(),
            "raw": self.raw.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class Concord:
    """Agreement in one question. `kappa` is that of the two who share most cases."""

    measure: str
    alpha: Figure
    kappa: Figure
    pairs: tuple[PairAgreement, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as JSON takes them."""
        return {
            "measure": self.measure,
            "alpha": self.alpha.as_dict(),
            "kappa": self.kappa.as_dict(),
            "pairs": [pair.as_dict() for pair in self.pairs],
        }


def measure_concord(votes: Mapping[str, Sequence[Vote]], measure: str = "failure") -> Concord:
    """Agreement in `failure`, `hallucination` or `should_refuse` over the votes of each case.

    Skips and arbitrations are no votes. Raises KeyError for another measure.
    """
    values = VALUES[measure]
    said = {item: _said(of, measure) for item, of in sorted(votes.items())}
    said = {item: of for item, of in said.items() if len(of) > 1}
    shared = Counter(pair for of in said.values() for pair in combinations(sorted(of), 2))
    busiest = sorted(shared.items(), key=lambda one: (-one[1], one[0]))[:MOST_PAIRS]
    pairs = tuple(_pair(first, second, said, values) for (first, second), _ in busiest)
    alpha = krippendorff_alpha(
        [list(of.values()) for of in said.values()], values, resamples=RESAMPLES, least=LEAST
    )
    kappa = pairs[0].kappa if pairs else Figure(None, n=0, reason=Gap.NO_ITEMS)
    return Concord(measure, alpha, kappa, pairs)


def measure_all(votes: Mapping[str, Sequence[Vote]]) -> dict[str, Concord]:
    """Agreement in everything that annotators must not contradict each other in."""
    return {measure: measure_concord(votes, measure) for measure in DECIDING}


def _said(votes: Sequence[Vote], measure: str) -> dict[str, Hashable]:
    found: dict[str, Hashable] = {}
    for vote in votes:
        if vote.said is None or vote.role is not ItemRole.VOTE:
            continue
        value = vote.said.is_hallucination if measure == "hallucination" else getattr(vote.said, measure)
        if value is not None:
            found[vote.annotator] = value
    return found


def _pair(
    first: str, second: str, said: Mapping[str, Mapping[str, Hashable]], values: Sequence[Hashable]
) -> PairAgreement:
    both = [of for of in said.values() if first in of and second in of]
    pairs = pair_up([of[first] for of in both], [of[second] for of in both], values)
    found = measure_pairs(pairs, resamples=RESAMPLES, least=LEAST)
    return PairAgreement(first, second, found.n, found.kappa, found.raw)


__all__ = ["LEAST", "VALUES", "Concord", "PairAgreement", "measure_all", "measure_concord"]
