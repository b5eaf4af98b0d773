"""What enters the queue, what is merged, and what leaves: near-duplicates first, then quotas, then the cap.

    filled = choose(evidence, known, Limits(cap=500))

The same evidence in another order, with the same queue, gives the same.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from judges.annotation.alike import Kinds, Shingles, shingles
from judges.annotation.order import Standing, priority, vary
from judges.annotation.policy import Evidence, Worth, weigh

MOST_IDS: Final = 100
"""Ids of near-duplicates that are kept beside their count."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much the queue holds. Shares are of the cap."""

    cap: int = 500
    per_turn: int = 100
    stage_share: float = 0.4
    class_share: float = 0.25
    control_share: float = 0.1
    half_life_s: float = 3 * 86_400.0


@dataclass(frozen=True, slots=True)
class Known:
    """A case that is in the queue, or was of late."""

    standing: Standing
    trace_id: str
    app: str = ""
    question: str = ""
    is_open: bool = True
    withdrawn: bool = False
    duplicate_ids: tuple[str, ...] = ()


@dataclass(slots=True)
class Chosen:
    """A case that enters. `alike`: the other traces that it stands for."""

    item_id: str
    evidence: Evidence
    worth: Worth
    cluster: str
    alike: list[str] = field(default_factory=list)

    @property
    def is_control(self) -> bool:
        """Whether chance drew it."""
        return self.evidence.control is not None

    @property
    def standing(self) -> Standing:
        """As far as the order goes."""
        one = self.evidence
        return Standing(
            self.item_id, self.worth.value, 0.0, one.stage, one.failure, self.cluster, self.is_control
        )


@dataclass(slots=True)
class Filled:
    """What one turn comes to."""

    enter: list[Chosen] = field(default_factory=list)
    merged: dict[str, list[str]] = field(default_factory=dict)
    """By the id of a case that was there: traces that say nearly the same."""
    leave: list[str] = field(default_factory=list)
    """Cases that others crowd out."""
    left_out: int = 0
    """Candidates for which there was no room."""


def choose(evidence: Iterable[Evidence], known: Sequence[Known], limits: Limits) -> Filled:
    """Weigh all, merge what is nearly the same, and let in what there is room for.

    A control enters whatever it is like: what chance drew must not be thinned out. What a person has begun
    leaves for nobody.
    """
    filled = Filled()
    chosen = _merge(_weighed(evidence, known), known, filled)
    room = _Room(known, limits)
    for control in sorted((one for one in chosen if one.is_control), key=lambda one: one.item_id):
        room.take_control(control, filled)
    others = {one.item_id: one for one in chosen if not one.is_control}
    taken = [one.standing for one in known if one.is_open and not one.standing.control]
    for standing in vary([one.standing for one in others.values()], taken):
        if len(filled.enter) < limits.per_turn and room.take(standing, filled):
            filled.enter.append(others[standing.item_id])
        else:
            filled.left_out += 1
    return filled


def controls_wanted(others: int, controls: int, limits: Limits) -> float:
    """How many controls should join, for their share to hold among so many open cases of each sort.

    It may be a part of one, for a turn that sees little: the share holds over many turns. There is always
    some chance, so that what no policy speaks for is looked at too.
    """
    wanted = others * limits.control_share / (1.0 - limits.control_share) - controls
    return max(wanted, limits.control_share)


def item_id_of(trace_id: str) -> str:
    """The id of a trace's case: always the same, and in the order of chance."""
    return sha256(f"annotation:{trace_id}".encode()).hexdigest()[:20]


def _weighed(evidence: Iterable[Evidence], known: Sequence[Known]) -> list[tuple[Evidence, Worth, Shingles]]:
    """What some policy speaks for, each trace once and none that is known; the most valuable first."""
    had = {one.trace_id for one in known} | {trace for one in known for trace in one.duplicate_ids}
    found: dict[str, tuple[Evidence, Worth, Shingles]] = {}
    for one in evidence:
        worth = weigh(one) if one.trace_id not in had else None
        better = found.get(one.trace_id)
        if worth is not None and (better is None or _rank(one, worth) < _rank(better[0], better[1])):
            found[one.trace_id] = (one, worth, shingles(one.question))
    return sorted(found.values(), key=lambda each: _rank(each[0], each[1]))


def _rank(evidence: Evidence, worth: Worth) -> tuple[bool, float, str]:
    return (evidence.control is None, -worth.value, evidence.trace_id)


def _merge(
    weighed: list[tuple[Evidence, Worth, Shingles]], known: Sequence[Known], filled: Filled
) -> list[Chosen]:
    kinds = Kinds()
    there: dict[tuple[str, str, str], str] = {}
    for one in known:
        standing = one.standing
        kinds.add(standing.cluster or standing.item_id, shingles(one.question))
        if not (standing.control or one.withdrawn):
            cluster = standing.cluster or standing.item_id
            there.setdefault((one.app, cluster, standing.failure), standing.item_id)
    chosen: dict[str, Chosen] = {}
    for evidence, worth, text in weighed:
        item_id = item_id_of(evidence.trace_id)
        cluster = kinds.find(text) or item_id
        if cluster == item_id:
            kinds.add(cluster, text)
        key = (evidence.app, cluster, evidence.failure)
        same = there.get(key) if evidence.control is None else None
        if same is None:
            chosen[item_id] = Chosen(item_id, evidence, worth, cluster)
            if evidence.control is None:
                there[key] = item_id
        elif same in chosen:
            chosen[same].alike.append(evidence.trace_id)
        else:
            filled.merged.setdefault(same, []).append(evidence.trace_id)
    return list(chosen.values())


class _Room:
    """Room by stage, by class and in all. Whoever is worth more takes the place of whoever is worth least."""

    def __init__(self, known: Sequence[Known], limits: Limits) -> None:
        self._limits = limits
        self._stage_room = max(1, round(limits.cap * limits.stage_share))
        self._class_room = max(1, round(limits.cap * limits.class_share))
        self._control_room = max(1, round(limits.cap * limits.control_share))
        inside = [one.standing for one in known if one.is_open and not one.withdrawn]
        self._controls = sorted(
            (one for one in inside if one.control), key=lambda one: (-one.age_s, one.item_id)
        )
        self._stages: Counter[str] = Counter()
        self._classes: Counter[tuple[str, str]] = Counter()
        self._least: dict[tuple[str, str], list[tuple[float, Standing]]] = defaultdict(list)
        for one in inside:
            if not one.control:
                self._add(one, priority(one, limits.half_life_s))
        for heap in self._least.values():
            heap.sort(key=lambda pair: (pair[0], pair[1].item_id))

    def take_control(self, one: Chosen, filled: Filled) -> None:
        """Let it in; the oldest of too many leaves."""
        filled.enter.append(one)
        self._controls.append(one.standing)
        if len(self._controls) > self._control_room:
            old = next((old for old in self._controls if not old.votes and old is not one.standing), None)
            if old is not None and old.item_id != one.item_id:
                self._controls.remove(old)
                self._leave(old, filled)

    def take(self, one: Standing, filled: Filled) -> bool:
        """Let it in if there is room, or somebody worth less to leave for it."""
        key = (one.stage, one.failure)
        if self._classes[key] >= self._class_room:
            among = [key]
        elif self._stages[one.stage] >= self._stage_room:
            among = [other for other in self._least if other[0] == one.stage]
        elif sum(self._stages.values()) >= self._limits.cap - len(self._controls):
            among = list(self._least)
        else:
            self._add(one, math.inf)
            return True
        least = min(
            (self._least[other][0] for other in among if self._least[other]),
            key=lambda pair: (pair[0], pair[1].item_id),
            default=None,
        )
        if least is None or least[0] >= one.value:
            return False
        gone = least[1]
        self._least[gone.stage, gone.failure].pop(0)
        self._stages[gone.stage] -= 1
        self._classes[gone.stage, gone.failure] -= 1
        self._leave(gone, filled)
        self._add(one, math.inf)
        return True

    def _add(self, one: Standing, worth: float) -> None:
        """Count it in. `worth` infinite, or a vote: it does not leave in this turn."""
        self._stages[one.stage] += 1
        self._classes[one.stage, one.failure] += 1
        if not one.votes and worth < math.inf:
            self._least[one.stage, one.failure].append((worth, one))

    @staticmethod
    def _leave(one: Standing, filled: Filled) -> None:
        filled.leave.append(one.item_id)


__all__ = ["MOST_IDS", "Chosen", "Filled", "Known", "Limits", "choose", "controls_wanted", "item_id_of"]
