"""Has a segment changed? One bet for each segment and measure, against what its traffic usually does."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stream.watch.betting import BUCKETS, Bets
from stream.watch.bins import BIN_S, COVERAGES, MEASURES, Bin
from stream.watch.measures import ALERTED
from stream.watch.naming import Share
from stream.watch.places import Strata, Watched
from stream.watch.quantiles import normal_quantile
from stream.watch.rates import score_interval
from stream.watch.records import Finding, Floats, Measure, SegmentKey
from stream.watch.tally import Tally
from stream.watch.usual import Usual

CALM: Final = 8.0
"""Evidence from which on nothing is learned: Ville's bound says that chance gets there once in 3,000."""
_RECENT_S: Final = 120.0
_HYSTERESIS: Final = 0.25
"""Of the rise: what may be left of it for the last minutes to count as usual."""
_SLOPE: Final = 0.17
"""How far the mean of p moves with the rate: by the difference of p between bad and good answers."""
_PROBABILITIES: Final = (Measure.HALLUCINATION, Measure.FAITHFULNESS)
_WIDE_SHARE: Final = 0.5
"""Of all false incidents, what all traffic and whole apps may have; the many small segments have the rest."""
_MAIN_SHARE: Final = 0.3
"""Of a segment's, what hallucination may have; the other measures share the rest."""
N, SUM, SQUARES, COMPARED, EXPECTED = range(5)
"""What is tallied by measure and segment: measured traces, sums of badness and squares; of those that were
compared, how many, and the sum of what is usual for them."""


@dataclass(slots=True, frozen=True)
class Tuning:
    """When something is a finding."""

    max_segments: int = 60
    max_strata: int = 120
    segment_min_traces: float = 30.0
    false_incidents_s: float = 30 * 86_400.0
    min_traces: float = 30.0
    guard: float = 0.003
    """Of a rate."""
    page_change: float = 0.05

    def threshold(self, measure: Measure, alike: int, *, wide: bool) -> float:
        """Of the logarithm of wealth: a bet reaches it by chance once in exp(threshold) bins on average
        (Shin, Ramdas and Rinaldo 2023), so that all bets together do once in the time that is wanted.

        What may be false is spent unevenly, on what matters to most: `wide`, all traffic and whole apps,
        against their parts, and hallucination against the rest. `alike`: how many segments share the same.
        """
        of_segment = (_WIDE_SHARE if wide else 1.0 - _WIDE_SHARE) / max(alike, 1)
        others = (1.0 - _MAIN_SHARE) / (len(ALERTED) - 1)
        share = of_segment * (_MAIN_SHARE if measure is Measure.HALLUCINATION else others)
        return math.log(max(1.0, self.false_incidents_s / BIN_S) / share)


class Changes:
    """Takes bins in, in order of time, and says at any time what changed."""

    def __init__(self, tuning: Tuning) -> None:
        self._tuning = tuning
        segments, strata = tuning.max_segments, tuning.max_strata
        self.watched = Watched(segments, tuning.segment_min_traces)
        self._strata = Strata(strata)
        self._usual = {measure: Usual(strata, segments) for measure in ALERTED}
        self._bets = {measure: Bets(segments) for measure in ALERTED}
        self._touched = np.zeros((segments, strata), dtype=np.bool_)
        self.tally = Tally((len(MEASURES), segments, 5))
        self.traffic = Tally((segments, len(COVERAGES)))
        """Traces by segment and coverage."""

    def choose(self, at: float, pinned: Collection[SegmentKey] = ()) -> None:
        """Choose anew which segments are watched."""
        places = self.watched.choose(pinned)
        for place in places:
            for measure in ALERTED:
                self._usual[measure].forget_segment(place)
                self._bets[measure].restart(self._only(place), at)
            self.tally.clear((slice(None), place))
            self.traffic.clear((place,))
        if places:
            self._touched = self._strata.touched_by(self.watched.keys)

    def count(self, bins: Iterable[Bin]) -> None:
        """Count traffic, before it is chosen who is watched, and before it is observed."""
        for one in bins:
            self.watched.count(one)

    def observe(self, one: Bin, *, bet: bool = True, unusual: Collection[SegmentKey] = ()) -> None:
        """Take in a bin. `bet` false: only learn what is usual from it (of a past that was judged before).
        `unusual`: segments that nothing is to be learned from now."""
        members = self.watched.members(one.combos)
        places, given = self._strata.places(one)
        if given:
            for measure in ALERTED:
                for place in given:
                    self._usual[measure].forget_stratum(place)
            self._touched = self._strata.touched_by(self.watched.keys)
        unlearned = np.asarray(self._strata.touched_by(list(unusual)).any(axis=0))
        sums = np.zeros((len(MEASURES), len(self.watched.keys), 5))
        for number, measure in enumerate(MEASURES):
            sums[number, :, : SQUARES + 1] = members @ one.sums[number]
            if measure in self._usual:
                compared = self._observe(measure, one, one.counts[number], members, places, unlearned, bet)
                sums[number, :, COMPARED:] = compared
        self.tally.add(one.at, sums)
        self.traffic.add(one.at, members @ one.coverage)

    def _observe(
        self,
        measure: Measure,
        one: Bin,
        counts: Floats,
        members: Floats,
        places: NDArray[np.intp],
        unlearned: NDArray[np.bool_],
        bet: bool,
    ) -> Floats:
        """Bet and learn; returns traces compared and the sum of what is usual for them, by segment."""
        usual = self._usual[measure]
        placed = places >= 0
        by_stratum = np.zeros((len(self._strata.keys), BUCKETS))
        np.add.at(by_stratum, places[placed], counts[placed])
        mean, margin, known = usual.mean(one.at)
        comparable = placed & known[places]
        traces = np.where(comparable, counts.sum(axis=1), 0.0)
        n = members @ traces
        expected = members @ (traces * mean[places])
        if bet:
            against = expected / np.maximum(n, 1.0) + self._guard(measure, members, traces, margin[places], n)
            chosen = np.where(comparable[:, None], counts, 0.0)
            against = np.clip(np.where(n > 0, against, 0.5), 0.0, 1.0)
            self._bets[measure].observe(members @ chosen, against, usual.effect, one.at)
        hot = self._bets[measure].evidence >= CALM
        calm = np.concatenate([~(hot @ self._touched | unlearned), ~hot])
        usual.add(one.at, by_stratum, members @ counts, calm, learn=bet)
        return np.stack([n, expected], axis=1)

    def _guard(self, measure: Measure, members: Floats, traces: Floats, margin: Floats, n: Floats) -> Floats:
        """What the mean may be above the usual without its meaning anything, by segment."""
        share = members * traces / np.maximum(n, 1.0)[:, None]
        uncertain = np.sqrt((share * share) @ (margin * margin))
        least = self._tuning.guard * (_SLOPE if measure in _PROBABILITIES else 1.0)
        return np.asarray(np.maximum(self._usual[measure].guard, least) + uncertain)

    def learn(self) -> None:
        """Fit what is usual to all that was taken in."""
        for usual in self._usual.values():
            usual.learn()

    def restart(self, segment: SegmentKey, measure: Measure, at: float) -> None:
        """Begin a bet anew: its incident is over."""
        place = self.watched.place(segment)
        if place is not None and measure in self._bets:
            self._bets[measure].restart(self._only(place), at)

    def risen(self, since: float) -> set[tuple[SegmentKey, Measure]]:
        """Segments and measures whose evidence began to rise then or later, and is no chance."""
        return {
            (segment, measure)
            for measure, bets in self._bets.items()
            for segment, evidence, onset in zip(self.watched.keys, bets.evidence, bets.onset, strict=True)
            if segment is not None and evidence >= CALM and onset >= since
        }

    def accept(self, segment: SegmentKey, measure: Measure, at: float) -> None:
        """What this segment does now is taken for usual from here on: learn it anew."""
        if measure in self._usual:
            for place in np.flatnonzero(self._strata.touched_by([segment])[0]):
                self._usual[measure].forget_stratum(int(place))
            self.restart(segment, measure, at)

    def shares(self, measure: Measure, since: float, until: float) -> list[Share]:
        """What each watched segment did in a period, against what is usual for its traffic."""
        sums = self.tally.total(since, until)[MEASURES.index(measure)]
        return [
            Share(key, float(n), float(total / n), float(expected / compared))
            for key, (n, total, _, compared, expected) in zip(self.watched.keys, sums, strict=True)
            if key is not None and n > 0 and compared > 0
        ]

    def effect(self, measure: Measure, place: int) -> float:
        """How much more a mean moves than independent traces would have it (refusals stand for the rest)."""
        return float(self._usual[measure if measure in self._usual else Measure.REFUSAL].effect[place])

    def evidence(self, measure: Measure, place: int) -> float | None:
        """Of the bet in this place; null where none is made."""
        return float(self._bets[measure].evidence[place]) if measure in self._bets else None

    def threshold(self, segment: SegmentKey, measure: Measure) -> float:
        """The evidence from which on there is a finding, with so many segments as are watched now."""
        wide = _is_wide(segment)
        alike = sum(key is not None and _is_wide(key) == wide for key in self.watched.keys)
        return self._tuning.threshold(measure, alike, wide=wide)

    def findings(self, at: float, held: Collection[tuple[SegmentKey, Measure]] = ()) -> Iterator[Finding]:
        """Whatever fires, and the state of those that did (`held`)."""
        for measure, bets in self._bets.items():
            evidence, onset = bets.evidence, bets.onset
            for place, segment in enumerate(self.watched.keys):
                if segment is None:
                    continue
                fires = evidence[place] >= CALM and evidence[place] >= self.threshold(segment, measure)
                if fires or (segment, measure) in held:
                    yield self._finding(
                        measure, place, segment, at, float(onset[place]), float(evidence[place])
                    )

    def _finding(
        self, measure: Measure, place: int, segment: SegmentKey, at: float, onset: float, evidence: float
    ) -> Finding:
        number = MEASURES.index(measure)
        since = self.tally.total(onset, at + BIN_S, (number, place))
        recent = self.tally.total(at - _RECENT_S, at + BIN_S, (number, place))
        effect = float(self._usual[measure].effect[place])
        value, low, high = interval_of(since, effect)
        usual = float(since[EXPECTED] / since[COMPARED]) if since[COMPARED] else None
        rise = value - (usual or 0.0)
        threshold = self.threshold(segment, measure)
        fires = evidence >= threshold and since[N] >= self._tuning.min_traces
        return Finding(
            segment=segment,
            measure=measure,
            kind="change",
            at=at,
            onset=onset,
            evidence=evidence,
            threshold=threshold,
            firing=bool(fires),
            calm=_is_calm(recent, rise, self._tuning.guard, evidence),
            baseline=usual,
            value=value,
            low=low,
            high=high,
            traces=round(since[N]),
            severity="page" if rise >= self._tuning.page_change else "ticket",
        )

    def _only(self, place: int) -> NDArray[np.bool_]:
        mask = np.zeros(len(self.watched.keys), dtype=np.bool_)
        mask[place] = True
        return mask


def interval_of(sums: Floats, effect: float, level: float = 0.95) -> tuple[float, float, float]:
    """Mean with Wilson's interval, at the variance that is seen, from tallied sums; 0, 0 and 1 of nothing."""
    n = float(sums[N])
    if n <= 0:
        return 0.0, 0.0, 1.0
    value = min(max(float(sums[SUM]) / n, 0.0), 1.0)
    variance = max(float(sums[SQUARES]) / n - value * value, 0.0)
    independent = n / effect
    found = score_interval(
        value, variance / independent, independent, normal_quantile((1 + level) / 2), level
    )
    return value, found.low, found.high


def _is_wide(segment: SegmentKey) -> bool:
    """All traffic, or all of an app."""
    return all(column == "app" for column, _ in segment.parts)


def _is_calm(recent: Floats, rise: float, guard: float, evidence: float) -> bool:
    if evidence < CALM or recent[N] < 1:
        return True
    if recent[COMPARED] < 1:
        return False
    above = recent[SUM] / recent[N] - recent[EXPECTED] / recent[COMPARED]
    return bool(above <= max(guard, _HYSTERESIS * rise))


__all__ = ["CALM", "COMPARED", "EXPECTED", "SQUARES", "SUM", "Changes", "N", "Tuning", "interval_of"]
