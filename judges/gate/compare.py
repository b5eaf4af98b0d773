"""One layer, metric by metric and stratum by stratum: now, in the baseline, and how the pairs differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from judges.gate.baseline import Baseline
from judges.gate.collapse import LOST, Fall, fall_of, noise_of, upper_tail
from judges.gate.finding import ALL, Stratum
from judges.gate.metrics import Layer, metrics_of
from judges.gate.noise import Floats, Limit, interval, least_lost, limit_of, statistic
from judges.gate.result import CaseResult
from judges.gate.suite import FALSE_ALARMS, Suite

_LAYERS: Final = len(Layer)
DROP_ALPHA: Final = 0.6 * FALSE_ALARMS / _LAYERS
"""A layer's share of the false alarms, for drops. The rest is for a second look at the retrieval, when the
judges have been asked, and for collapses."""
COLLAPSE_ALPHA: Final = 0.2 * FALSE_ALARMS / _LAYERS
_USUAL: Final = 3.3
"""What the limit comes to where many cases moved: for saying what would be seen where few did."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The same cases in the baseline and now."""

    cases: tuple[str, ...]
    before: float
    after: float
    low: float
    high: float
    """The drop lies between these, for all metrics and strata of the layer together."""
    chance: float
    """That noise makes a drop as great somewhere in the layer."""
    lost: tuple[str, ...]
    """Cases that dropped by half a point of 0..1 or more, worst first."""
    gained: int
    visible: int | None
    """How many lost cases would be seen; null where even all would not."""
    fall: Fall

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
    falls: int
    """How many strata and metrics are looked at for a collapse."""


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
    falls = sum(len(cases) >= suite.collapse.least_cases for _, _, cases in columns)
    pairings = {
        (name, stratum): _pairing(suite, name, pairs[name], cases, limit, falls)
        for name, stratum, cases in columns
    }
    rows = [
        row
        for name in names
        for stratum, group in strata
        if (row := _row(name, stratum, group, pairings.get((name, stratum)))) is not None
    ]
    return Compared(tuple(rows), falls)


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
    return limit_of(drops, DROP_ALPHA)


def _pairing(
    suite: Suite, name: str, pairs: Mapping[str, Pair], cases: Sequence[str], limit: Limit, falls: int
) -> Pairing:
    before, after = (np.array(side) for side in zip(*(pairs[one] for one in cases), strict=True))
    drops: Floats = before - after
    low, high = interval(drops, limit.value)
    everywhere = np.array([one - other for one, other in pairs.values()])
    noise = noise_of(everywhere, suite.collapse.noise)
    return Pairing(
        cases=tuple(cases),
        before=float(before.mean()),
        after=float(after.mean()),
        low=low,
        high=high,
        chance=limit.chance(statistic(drops)),
        lost=_worst(cases, drops, lambda drop: drop >= LOST),
        gained=int((drops <= -LOST).sum()),
        visible=_visible(suite, name, len(cases), limit, noise, falls),
        fall=fall_of(before, after, noise),
    )


def _visible(suite: Suite, name: str, cases: int, limit: Limit, noise: float, falls: int) -> int | None:
    """How many lost cases would be a finding, none gained: as a drop, or as a collapse."""
    seen = least_lost(cases, max(limit.value, _USUAL), suite.drop.of(name))
    if cases < suite.collapse.least_cases:
        return seen
    most_left = math.ceil((1 - suite.collapse.left) * cases)
    collapsed = next(
        (
            lost
            for lost in range(most_left, cases + 1)
            if upper_tail(cases, noise, lost) * falls <= COLLAPSE_ALPHA
        ),
        None,
    )
    return min((one for one in (seen, collapsed) if one is not None), default=None)


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


__all__ = ["COLLAPSE_ALPHA", "DROP_ALPHA", "Compared", "Pairing", "Row", "compare", "strata_of"]
