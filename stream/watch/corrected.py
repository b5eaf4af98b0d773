"""Rates that verdicts correct: the prediction-powered estimate, where judges are good enough. Pure.

A verdict counts where its judge is calibrated in the trace's language for this measure. A segment is
corrected only if that holds for nearly all of its traffic: of a language whose judge nobody has checked,
verdicts of another say nothing.

How often scorer and judge name the same failure class is a rate as well, of any judge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from schemas.taxonomy import Failure
from stream.watch.estimates import Estimate, estimate
from stream.watch.measures import badness, told
from stream.watch.records import Batch, Floats, Measure, Names, SegmentKey
from stream.watch.windows import LEVEL, RateNow

LEAST_JUDGED: Final = 20
"""Verdicts in a segment; with fewer, the cheap rate stands."""
_NEARLY_ALL: Final = 0.95
AGREEMENT: Final = "judged_agreement"
"""Share of the traffic on which scorer and judge name the same class, as far as it was judged."""
CORRECTED: Final[Mapping[str, str]] = {
    Measure.HALLUCINATION: "hallucination",
    Measure.FAITHFULNESS: "hallucination",
    Measure.OVER_REFUSAL: "failure",
    Measure.REWRITE_FAILURE: "failure",
    Measure.EMPTY_RECALL: "failure",
    Measure.POOR_RETRIEVAL: "failure",
    Measure.SYSTEM_ERROR: "failure",
}
"""What a verdict speaks of, and by which measure of agreement its judge is trusted there."""


@dataclass(slots=True, frozen=True)
class Said:
    """One verdict."""

    failure: str
    """`healthy` or a class of the taxonomy; empty where the judge did not say."""
    hallucination: float | None
    faithfulness: float | None


@dataclass(slots=True, frozen=True)
class Judged:
    """All traces of a window, and what one judge said of some of them."""

    batch: Batch
    probability: Floats
    """Of being chosen for judges; 0 where a trace could not be."""
    clusters: NDArray[np.intp]
    """Number of its conversation."""
    said: Names
    """`Said` of each trace that has a verdict, null of the others."""
    trusted: Mapping[str, Collection[str]]
    """By measure of agreement, the languages in which the judge is calibrated."""

    def within(self, segment: SegmentKey) -> Judged:
        """Those that lie in the segment."""
        inside = self.batch.within(segment)
        return replace(
            self,
            batch=self.batch.take(inside),
            probability=self.probability[inside],
            clusters=self.clusters[inside],
            said=self.said[inside],
        )

    @property
    def verdicts(self) -> int:
        """How many have one."""
        return int((self.said != None).sum())  # noqa: E711 - element by element


def correct(rates: Iterable[RateNow], judged: Judged) -> Iterator[RateNow]:
    """Rates of one window as verdicts correct them; as they are where those do not suffice. Both are kept.

    Of each segment with enough verdicts also their agreement with the scorer.
    """
    parts: dict[SegmentKey, Judged | None] = {}
    for rate in rates:
        if rate.segment not in parts:
            part = judged.within(rate.segment)
            parts = {rate.segment: part if part.verdicts >= LEAST_JUDGED else None}
            if part.verdicts >= LEAST_JUDGED:
                yield from _agreement(rate, part)
        inside = parts[rate.segment]
        yield rate if inside is None else _corrected(rate, inside)


def _corrected(rate: RateNow, judged: Judged) -> RateNow:
    agreement = CORRECTED.get(rate.measure)
    if agreement is None or not _trusted(judged.batch, judged.trusted.get(agreement, ())):
        return rate
    found = _estimate(Measure(rate.measure), judged)
    if found.n_judged < LEAST_JUDGED or found.value is None:
        return rate
    measure = Measure(rate.measure)
    ends = sorted((told(measure, found.low), told(measure, found.high)))
    return replace(
        rate,
        value=told(measure, found.value),
        low=ends[0],
        high=ends[1],
        method=found.method,
        judged=found.n_judged,
        effective_n=found.effective_n,
    )


def _agreement(rate: RateNow, judged: Judged) -> Iterator[RateNow]:
    """Of the segment and window of this rate; nothing where too few verdicts name a class."""
    pairs = zip(judged.said, judged.batch.failure, strict=True)
    same = [np.nan if said is None or not said.failure else float(said.failure == own) for said, own in pairs]
    verdicts = np.array(same, dtype=np.float64)
    verdicts[judged.probability <= 0] = np.nan
    found = estimate(verdicts, judged.probability, None, judged.clusters, level=LEVEL)
    if found.n_judged >= LEAST_JUDGED and found.value is not None:
        yield replace(
            rate,
            measure=AGREEMENT,
            measured=float(found.n_judged),
            not_measured={},
            value=found.value,
            low=found.low,
            high=found.high,
            effective_n=found.effective_n,
            cheap=(None, None, None),
            method=found.method,
            judged=found.n_judged,
            baseline=None,
            evidence=None,
            threshold=None,
        )


def _trusted(batch: Batch, languages: Collection[str]) -> bool:
    if not len(batch):
        return False
    return float(np.isin(batch.columns["language"], list(languages)).mean()) >= _NEARLY_ALL


def _estimate(measure: Measure, judged: Judged) -> Estimate:
    verdicts = np.array([_verdict(measure, said) for said in judged.said], dtype=np.float64)
    verdicts[judged.probability <= 0] = np.nan
    cheap = badness(judged.batch, measure)
    return estimate(verdicts, judged.probability, cheap, judged.clusters, level=LEVEL)


def _verdict(measure: Measure, said: Said | None) -> float:
    if said is None:
        return np.nan
    if measure is Measure.HALLUCINATION:
        return np.nan if said.hallucination is None else said.hallucination
    if measure is Measure.FAITHFULNESS:
        return np.nan if said.faithfulness is None else 1.0 - said.faithfulness
    return np.nan if not said.failure else float(said.failure == Failure(measure.value))


__all__ = ["AGREEMENT", "CORRECTED", "LEAST_JUDGED", "Judged", "Said", "correct"]
