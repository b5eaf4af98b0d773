"""One layer, metric by metric and stratum by stratum: now, in the baseline, and how the pairs differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from judges.gate.baseline import Baseline
from judges.gate.finding import ALL, Stratum
from judges.gate.losses import LOST, Losses, losses_of, upper_tail
from judges.gate.metrics import Layer, metrics_of
from judges.gate.noise import Floats, Limit, interval, least_lost, limit_of, statistic
from judges.gate.result import CaseResult
from judges.gate.suite import FALSE_ALARMS, Suite

_LAYERS: Final = len(Layer)
_LOOKS: Final = _LAYERS + 1
"""The retrieval is looked at again once the judges have been asked."""
FLIP_ALPHA: Final = 0.6 * FALSE_ALARMS / _LOOKS
"""One look's share of the false alarms, for drops beyond what flipped signs make."""
LOSS_ALPHA: Final = 0.4 * FALSE_ALARMS / _LOOKS
"""The same for cases lost beyond the noise that is assumed."""
_MOST: Final = 0.8
_USUAL: Final = 3.3
"""What the limit comes to where many cases moved: for saying what would be seen where few did."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The same cases in the baseline and now."""

    drops: Mapping[str, float]
    """By case; below 0 it is better now."""
    before: float
    after: float
    low: float
    high: float
    """The drop lies between these, for all metrics and strata of the layer together."""
    statistic: float
    """T of the drops: how plain it is."""
    chance: float
    """That noise makes a drop as great somewhere in the layer."""
    lost: tuple[str, ...]
    """Cases that dropped by half a point of 0..1 or more, worst first."""
    gained: int
    visible: int | None
    """How many lost cases would be seen; null where even all would not."""
    losses: Losses

    def explains(self, other: Pairing) -> bool:
        """Whether most of what `other` lost was lost by cases of this."""
        lost = {case_id: drop for case_id, drop in other.drops.items() if drop > 0}
        own = sum(drop for case_id, drop in lost.items() if case_id in self.drops)
        return own >= _MOST * sum(lost.values())

    @property
    def drop(self) -> float:
        """How much worse it is now; below 0 it is better."""
        return self.before - self.after


@dataclass(frozen=True, slots=True)
class Row:
    """One metric in one stratum."""

    metric: str
    stratum: Stratum
    measured: int
    possible: int
    """Cases that allow it, measured or not."""
    value: float | None
    gaps: Mapping[str, int]
    """Why it was not measured, and how often."""
    pairing: Pairing | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """All rows of a layer."""

    rows: tuple[Row, ...]
    tests: int
    """How many metrics and strata share the chance of a false alarm."""


def strata_of(suite: Suite, results: Sequence[CaseResult]) -> list[tuple[Stratum, list[CaseResult]]]:
    """All cases, then every stratum that is neither empty nor all of them."""
    found = [(ALL, list(results))]
    for by in suite.suite.strata:
        groups: dict[str, list[CaseResult]] = {}
        for one in results:
            if one.strata.get(by):
                groups.setdefault(one.strata[by], []).append(one)
        found += [
            (Stratum(by, value), group)
            for value, group in sorted(groups.items())
            if len(group) < len(results)
        ]
    return found


def compare(suite: Suite, layer: Layer, results: Sequence[CaseResult], baseline: Baseline | None) -> Compared:
    """The rows of a layer: each metric that any case allows, in every stratum that has such a case."""
    names = [metric.name for metric in metrics_of(layer)]
    strata = strata_of(suite, results)
    pairs = {name: _pairs(name, results, baseline) for name in names} if baseline else {}
    columns = [
        (name, stratum, [one.case_id for one in group if one.case_id in pairs[name]])
        for name in pairs
        for stratum, group in strata
    ]
    columns = [(name, stratum, cases) for name, stratum, cases in columns if cases]
    limit = _limit(results, pairs, columns)
    tests = len(columns)
    pairings = {
        (name, stratum): _pairing(suite, name, pairs[name], cases, limit, tests)
        for name, stratum, cases in columns
    }
    rows = [
        row
        for name in names
        for stratum, group in strata
        if (row := _row(name, stratum, group, pairings.get((name, stratum)))) is not None
    ]
    return Compared(tuple(rows), tests)


Pair = tuple[float, float]


def _pairs(name: str, results: Sequence[CaseResult], baseline: Baseline | None) -> dict[str, Pair]:
    """Before and after, by case, where both were measured."""
    past = baseline.cases if baseline else {}
    return {
        one.case_id: (past[one.case_id].values[name], one.values[name])
        for one in results
        if name in one.values and one.case_id in past and name in past[one.case_id].values
    }


def _limit(
    results: Sequence[CaseResult],
    pairs: Mapping[str, Mapping[str, Pair]],
    columns: Sequence[tuple[str, Stratum, list[str]]],
) -> Limit:
    at = {one.case_id: number for number, one in enumerate(results)}
    drops = np.zeros((len(results), len(columns)))
    for column, (name, _, cases) in enumerate(columns):
        for case_id in cases:
            before, after = pairs[name][case_id]
            drops[at[case_id], column] = before - after
    return limit_of(drops, FLIP_ALPHA)


def _pairing(
    suite: Suite, name: str, pairs: Mapping[str, Pair], cases: Sequence[str], limit: Limit, tests: int
) -> Pairing:
    before, after = (np.array(side) for side in zip(*(pairs[one] for one in cases), strict=True))
    drops: Floats = before - after
    low, high = interval(drops, limit.value)
    everywhere = np.array([one - other for one, other in pairs.values()])
    losses = losses_of(before, after, everywhere, suite.noise.of(name), suite.drop.of(name))
    return Pairing(
        drops=dict(zip(cases, drops.tolist(), strict=True)),
        before=float(before.mean()),
        after=float(after.mean()),
        low=low,
        high=high,
        statistic=statistic(drops),
        chance=limit.chance(statistic(drops)),
        lost=_worst(cases, drops, lambda drop: drop >= LOST),
        gained=int((drops <= -LOST).sum()),
        visible=_visible(len(cases), limit, losses.rate, suite.drop.of(name), tests),
        losses=losses,
    )


def _visible(cases: int, limit: Limit, rate: float, allowed: float, tests: int) -> int | None:
    """How many lost cases would be a finding, none gained; null where even all would not."""
    seen = least_lost(cases, max(limit.value, _USUAL), allowed)
    most = cases + 1 if seen is None else seen
    by_loss = (lost for lost in range(1, most) if upper_tail(cases, rate, lost) * tests <= LOSS_ALPHA)
    return next(by_loss, seen)


def _worst(cases: Sequence[str], drops: Floats, counts: Callable[[float], bool]) -> tuple[str, ...]:
    order = sorted(range(len(cases)), key=lambda at: (-drops[at], cases[at]))
    return tuple(cases[at] for at in order if counts(float(drops[at])))


def _row(name: str, stratum: Stratum, group: Sequence[CaseResult], pairing: Pairing | None) -> Row | None:
    values = [one.values[name] for one in group if name in one.values]
    gaps: dict[str, int] = {}
    for one in group:
        if name in one.gaps:
            gaps[one.gaps[name]] = gaps.get(one.gaps[name], 0) + 1
    possible = len(values) + sum(gaps.values())
    if not possible:
        return None
    value = float(np.mean(values)) if values else None
    return Row(name, stratum, len(values), possible, value, gaps, pairing)


__all__ = ["FLIP_ALPHA", "LOSS_ALPHA", "Compared", "Pairing", "Row", "compare", "strata_of"]
