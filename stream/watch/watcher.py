"""All that the watch knows: what came, what is usual, what changed, which incidents are open.

No clock, no store: whoever owns it hands in traces and moments, and acts on what it says.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from stream.watch.bins import BIN_S, Bin, bins_of
from stream.watch.changes import Changes, Tuning
from stream.watch.episodes import Episodes, Rules, Turn
from stream.watch.excess import cells_of
from stream.watch.explain import Explanation, explain
from stream.watch.naming import carrier, overlap, summarise
from stream.watch.novelty import Novelty
from stream.watch.onset import Onset, find_onset
from stream.watch.records import COLUMNS, Batch, Finding, Floats, Incident, Mark, Measure, SegmentKey
from stream.watch.targets import Targets
from stream.watch.windows import RateNow, rates_of

_REPLAY_BIN_S: Final = 60.0
_CHOOSE_EVERY_S: Final = 60.0
_YOUNG_S: Final = 600.0
"""So long after the first trace, who is watched is chosen at each look."""
_REMEMBERED_S: Final = 2 * 3_600.0
_REMEMBERED_COMBOS: Final = 300_000
_BEFORE_S: Final = 3_600.0
"""An incident's excess is measured against so long before its onset, at most."""
_SETTLING_S: Final = 120.0
_SAME_CAUSE_S: Final = 300.0
"""Bets that rose so long before an incident's onset, or later, on traffic that it touched, rose by it."""
_EXPLAIN_EVERY_S: Final = 60.0
"""An incident is explained at each look at first, then now and then."""
_DATED_S: Final = 600.0
"""Of traffic before the first guess at an onset, to date it by."""
_LEAST_BEFORE: Final = 30.0
_NOTHING: Final[Floats] = np.zeros((0, 0, 0))


@dataclass(slots=True, frozen=True)
class Unusual:
    """A period and segment that nothing is to be learned from: an incident that is known."""

    segment: SegmentKey
    since: float
    until: float


class Watcher:
    """Takes traces in, in the order of their coming; see the module."""

    def __init__(
        self,
        tuning: Tuning,
        rules: Rules,
        targets: Targets,
        late_s: float,
        new_id: Callable[[], str],
    ) -> None:
        self.changes = Changes(tuning)
        self.episodes = Episodes(rules, self._carrier, new_id)
        self.novelty = Novelty()
        self.marks: list[Mark] = []
        self.scorer_version = ""
        self._targets = targets
        self._late_s = late_s
        self._unusual: Sequence[Unusual] = ()
        self._bins: deque[Bin] = deque()
        self._combos = 0
        self._first: float | None = None
        self.newest = 0.0
        self._chosen = 0.0
        self._explained_at: dict[str, float] = {}

    def know(self, marks: Iterable[Mark], unusual: Iterable[Unusual]) -> None:
        """Releases and incidents of the past."""
        self.marks = list(marks)
        self.novelty.learn(self.marks)
        self._unusual = tuple(unusual)

    def learn_from(self, batch: Batch) -> list[Mark]:
        """Traces of the past, from which it is learned what is usual; nothing is found in them."""
        self._take(batch, _REPLAY_BIN_S, bet=False)
        return self._novel(batch)

    def fit(self) -> None:
        """Fit what is usual to the past."""
        self.changes.learn()

    def watch(self, batch: Batch) -> tuple[list[Mark], int]:
        """Traces of now: releases first seen in them, and how many came too late to prove anything."""
        in_time = batch.timestamp >= self.newest - self._late_s
        if not in_time.all():
            batch = batch.take(in_time)
        self._take(batch, BIN_S, bet=True)
        return self._novel(batch), int((~in_time).sum())

    def turn(self, now: float) -> Turn:
        """What is to be said now: incidents opened, changed, over; each with its explanation."""
        if now - self._chosen >= _CHOOSE_EVERY_S or now - (self._first or now) < _YOUNG_S:
            self.changes.choose(now, [segment for segment, _ in self.episodes.held])
            self._chosen = now
        turn = self.episodes.turn(self.findings(now), now)
        for incident, accepted in turn.ended:
            self._end(incident, accepted, now)
        turn.changed = [self._explained(incident, now) for incident in turn.changed]
        states = {incident.incident_id: incident for incident in turn.changed}
        turn.news = [(event, states[incident.incident_id]) for event, incident in turn.news]
        return turn

    def findings(self, now: float) -> list[Finding]:
        """Whatever fires now, and the state of what did."""
        held = self.episodes.held
        return [*self.changes.findings(now, held), *self._targets.findings(self.changes, now, held)]

    def rates(self, at: float, window_s: int) -> Iterator[RateNow]:
        """Rates over a window that ends at this moment."""
        return rates_of(self.changes, at, window_s, self.scorer_version)

    def _take(self, batch: Batch, width_s: float, *, bet: bool) -> None:
        if not len(batch):
            return
        bins = list(bins_of(batch, width_s))
        self.changes.count(bins)
        if self._first is None:
            self._first = bins[0].at
            self.changes.choose(bins[0].at)
        for one in bins:
            self.changes.observe(one, bet=bet, unusual=self._unusual_at(one.at))
            self._remember(one)
        self.newest = max(self.newest, float(batch.timestamp[-1]))
        self.scorer_version = str(batch.scorer_version[-1])

    def _unusual_at(self, at: float) -> Collection[SegmentKey]:
        return [one.segment for one in self._unusual if one.since <= at <= one.until]

    def _remember(self, one: Bin) -> None:
        self._bins.append(replace(one, counts=_NOTHING))
        self._combos += len(one.combos)
        while self._bins[0].at < one.at - _REMEMBERED_S or self._combos > _REMEMBERED_COMBOS:
            self._combos -= len(self._bins.popleft().combos)

    def _novel(self, batch: Batch) -> list[Mark]:
        marks = self.novelty.look(batch)
        self.marks += marks
        return marks

    def _carrier(self, finding: Finding) -> SegmentKey:
        """The watched segment that carries what was found; named by whose traffic it is, if it can be."""
        found = self._explanation(finding.segment, finding.measure, finding.onset)
        parts = dict(found.carried_by.parts)
        app = {"app": parts["app"]} if "app" in parts else {}
        for column in (*COLUMNS[1:], "app"):
            if column in parts:
                named = SegmentKey.of(**(app | {column: parts[column]}))
                if self.changes.watched.place(named) is not None:
                    return named
        return carrier(
            self.changes.shares(finding.measure, finding.onset, finding.at + BIN_S), finding.segment
        )

    def _explanation(self, segment: SegmentKey, measure: Measure, onset: float) -> Explanation:
        """What carries a change, within the app where it is one app's."""
        before = [one for one in self._bins if onset - _BEFORE_S <= one.at < onset]
        since = [one for one in self._bins if one.at >= onset]
        app = segment.value("app")
        within = SegmentKey.of(app=app) if app else SegmentKey()
        return explain(
            cells_of(before, measure), cells_of(since, measure), within, measure, onset, self.marks
        )

    def _dated(self, carried: SegmentKey, measure: Measure, rough: float) -> Onset | None:
        """When it began where it began, and how sure that is; null where too little is known of before."""
        traffic = SegmentKey(tuple(part for part in carried.parts if not part[0].startswith("release_")))
        near = [one for one in self._bins if one.at >= rough - _DATED_S]
        at = np.array([one.at for one in near])
        cells = [cells_of([one], measure).within(traffic) for one in near]
        sums = np.array([one.sums.sum(axis=0) for one in cells]).reshape(-1, 3)
        before = sums[at < rough].sum(axis=0)
        if before[0] < _LEAST_BEFORE:
            return None
        return find_onset(at, sums, float(before[1] / before[0]), BIN_S)

    def _end(self, incident: Incident, accepted: bool, now: float) -> None:
        """Begin anew with every bet that rose by it: what was won then must not tell of it again."""
        self._explained_at.pop(incident.incident_id, None)
        own = {(incident.segment, incident.measure)} | self.episodes.let_go(incident.incident_id)
        if accepted:
            for segment, measure in own:
                self.changes.accept(segment, measure, now)
        since, others = incident.onset - _SAME_CAUSE_S, self.episodes.held
        for segment, measure in own | self.changes.risen(since):
            if overlap(segment, incident.segment) and (segment, measure) not in others:
                self.changes.restart(segment, measure, now)

    def _explained(self, incident: Incident, now: float) -> Incident:
        """With what carries the change and what was released then, as long as it is open."""
        settled = now - incident.detected_at > _SETTLING_S
        fresh = now - self._explained_at.get(incident.incident_id, 0.0) < _EXPLAIN_EVERY_S
        if incident.status != "open" or (settled and fresh):
            return incident
        self._explained_at[incident.incident_id] = now
        found = self._explanation(incident.segment, incident.measure, incident.onset)
        carried = found.carried_by if found.share > 0 else incident.segment
        absorbed = sorted(
            f"{measure.value} {segment.text}"
            for segment, measure in self.episodes.absorbed_by(incident.incident_id)
        )
        dated = self._dated(carried, incident.measure, incident.onset)
        onset = incident.onset if settled or dated is None else dated.at
        facts: dict[str, Any] = {**found.facts(), "absorbed": absorbed, "onset": dated and dated.facts()}
        explained = replace(
            incident,
            onset=onset,
            explained_by=carried,
            release=found.releases[0].text if found.releases else "",
            summary=summarise(
                incident.measure, incident.segment, incident.baseline, incident.value, found.releases
            ),
            explanation=facts,
        )
        self.episodes.update(explained)
        return explained


__all__ = ["Unusual", "Watcher"]
