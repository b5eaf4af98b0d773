"""From findings to incidents: one for each cause, told once, ended when all is as usual again. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from stream.watch.naming import overlap, related
from stream.watch.records import Finding, Incident, Kind, Measure, SegmentKey

Event = Literal["opened", "changed", "reminder", "resolved"]

_SAME_CAUSE_S: Final = 300.0
"""Onsets so close in related segments have one cause, whatever is measured."""
_SETTLING_S: Final = 120.0
"""An incident's onset may still be corrected so long after it was found."""
_ORDER: Final = (
    Measure.SYSTEM_ERROR,
    Measure.EMPTY_RECALL,
    Measure.POOR_RETRIEVAL,
    Measure.REWRITE_FAILURE,
    Measure.HALLUCINATION,
    Measure.OVER_REFUSAL,
    Measure.FAITHFULNESS,
    Measure.REFUSAL,
    Measure.CORRECT_REFUSAL,
)
"""Of several that change at once: causes before what follows from them."""
_FAMILIES: Final = ({Measure.HALLUCINATION, Measure.FAITHFULNESS}, {Measure.REFUSAL, Measure.OVER_REFUSAL})
"""Two ways to measure the same thing."""

Key = tuple[SegmentKey, Measure]


@dataclass(slots=True, frozen=True)
class Rules:
    """When an incident ends, and when it is told of again."""

    resolve_after_s: float = 300.0
    renotify_s: float = 14_400.0
    accept_s: float = 86_400.0


@dataclass(slots=True)
class Turn:
    """What one look changed."""

    changed: list[Incident] = field(default_factory=list)
    """New states, to be stored."""
    news: list[tuple[Event, Incident]] = field(default_factory=list)
    """What is to be told."""
    ended: list[tuple[Incident, bool]] = field(default_factory=list)
    """Incidents that are over; whether what they changed is taken for usual from now on."""


class Episodes:
    """Incidents that are open, and what belongs to each."""

    def __init__(
        self, rules: Rules, name: Callable[[Finding], SegmentKey], new_id: Callable[[], str]
    ) -> None:
        self._rules = rules
        self._name = name
        self._new_id = new_id
        self.open: dict[str, Incident] = {}
        self._absorbed: dict[str, set[Key]] = {}

    def take_up(self, incidents: Iterable[Incident], absorbed: Mapping[str, set[Key]]) -> None:
        """Go on with incidents that were open when somebody else stopped."""
        for incident in incidents:
            self.open[incident.incident_id] = incident
            self._absorbed[incident.incident_id] = set(absorbed.get(incident.incident_id, ()))

    @property
    def held(self) -> set[Key]:
        """Segments and measures whose state is wanted although they may not fire."""
        keys = {(one.segment, one.measure) for one in self.open.values()}
        return keys.union(*(self._absorbed[one] for one in self.open))

    def turn(self, findings: Iterable[Finding], now: float) -> Turn:
        """Take the findings of one look in."""
        turn = Turn()
        found = sorted(findings, key=lambda finding: (_ORDER.index(finding.measure), -finding.evidence))
        own = {(finding.segment, finding.measure, finding.kind): finding for finding in found}
        for incident in list(self.open.values()):
            self._follow(incident, own.get((incident.segment, incident.measure, incident.kind)), now, turn)
        known = self.held
        over = [incident.segment for incident, _ in turn.ended]
        for finding in found:
            if any(overlap(finding.segment, segment) for segment in over):
                continue  # its evidence is of what just ended; whatever still holds will rise again
            if finding.firing and not finding.calm and (finding.segment, finding.measure) not in known:
                self._place(finding, now, turn, own)
                known = self.held
        return turn

    def told(self, incident_id: str, at: float) -> Incident | None:
        """It was told to somebody: the state to store, where it is still open."""
        incident = self.open.get(incident_id)
        if incident is not None:
            incident = replace(incident, notifications=incident.notifications + 1, notified_at=at)
            self.open[incident_id] = incident
        return incident

    def absorbed_by(self, incident_id: str) -> set[Key]:
        """What else the same cause changed."""
        return set(self._absorbed.get(incident_id, ()))

    def let_go(self, incident_id: str) -> set[Key]:
        """Forget an incident that is over; returns what belonged to it."""
        return self._absorbed.pop(incident_id, set())

    def update(self, incident: Incident) -> None:
        """Somebody added to an open incident: its explanation, its cases."""
        if incident.incident_id in self.open:
            self.open[incident.incident_id] = incident

    def _follow(self, incident: Incident, finding: Finding | None, now: float, turn: Turn) -> None:
        calm = finding is None or finding.calm
        since = (incident.calm_since or now) if calm else None
        after = replace(incident, updated_at=now, calm_since=since)
        if finding is not None and not finding.calm:
            after = _renewed(after, finding)
        if incident.severity == "ticket" and after.severity == "page":
            turn.news.append(("changed", after))
        accepted = now - incident.detected_at >= self._rules.accept_s
        if accepted or (since is not None and now - since >= self._rules.resolve_after_s):
            after = replace(after, status="resolved", resolved_at=now if accepted else since)
            del self.open[incident.incident_id]
            turn.news.append(("resolved", after))
            turn.ended.append((after, accepted))
        else:
            self.open[incident.incident_id] = after
            if after.notified_at is not None and now - after.notified_at >= self._rules.renotify_s:
                turn.news.append(("reminder", after))
        turn.changed.append(after)

    def _place(
        self,
        finding: Finding,
        now: float,
        turn: Turn,
        own: Mapping[tuple[SegmentKey, Measure, Kind], Finding],
    ) -> None:
        """Into the incident that it is part of, or into one of its own."""
        for parent in self.open.values():
            if _one_cause(parent, finding):
                self._absorb(parent, finding, now, turn)
                return
        segment = self._name(finding) if finding.kind == "change" else finding.segment
        named = own.get((segment, finding.measure, finding.kind), finding)
        incident = _opened(named, segment, self._new_id(), now)
        self.open[incident.incident_id] = incident
        self._absorbed[incident.incident_id] = set()
        turn.changed.append(incident)
        turn.news.append(("opened", incident))
        if segment != finding.segment:
            self._absorb(incident, finding, now, turn)

    def _absorb(self, parent: Incident, finding: Finding, now: float, turn: Turn) -> None:
        held = self._absorbed[parent.incident_id]
        child = _opened(finding, finding.segment, f"{parent.incident_id}-{len(held) + 1}", now)
        held.add((finding.segment, finding.measure))
        turn.changed.append(replace(child, status="absorbed", parent=parent.incident_id))


def _one_cause(incident: Incident, finding: Finding) -> bool:
    if not related(incident.segment, finding.segment):
        return False
    if abs(incident.onset - finding.onset) <= _SAME_CAUSE_S:
        return True
    alike = any({incident.measure, finding.measure} <= family for family in _FAMILIES)
    return alike or incident.measure == finding.measure


def _opened(finding: Finding, segment: SegmentKey, incident_id: str, now: float) -> Incident:
    return _renewed(
        Incident(
            incident_id=incident_id,
            status="open",
            severity=finding.severity,
            kind=finding.kind,
            measure=finding.measure,
            segment=segment,
            onset=finding.onset,
            detected_at=now,
            updated_at=now,
        ),
        finding,
    )


def _renewed(incident: Incident, finding: Finding) -> Incident:
    """With what is known now. Severity only rises: who was woken is not told that it was a ticket."""
    settling = finding.at - incident.detected_at <= _SETTLING_S
    return replace(
        incident,
        severity="page" if "page" in (incident.severity, finding.severity) else "ticket",
        onset=finding.onset if settling else incident.onset,
        baseline=finding.baseline,
        value=finding.value,
        low=finding.low,
        high=finding.high,
        traces=finding.traces,
        evidence=finding.evidence,
    )


__all__ = ["Episodes", "Event", "Rules", "Turn"]
