"""The rules of one layer: what was not measured, floors, drops, collapses, and what single cases demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from judges.gate.baseline import Baseline
from judges.gate.compare import LOSS_ALPHA, Compared, Pairing, Row
from judges.gate.finding import ALL, Finding, Kind, Stratum
from judges.gate.metrics import METRICS, Layer
from judges.gate.result import CaseResult, Check, Demand
from judges.gate.suite import Suite

_HALF: Final = 0.5
_NAMED: Final = 8
"""Cases that a sentence names."""


def find_unmeasured(suite: Suite, layer: Layer, compared: Compared) -> Iterator[Finding]:
    """Metrics that are wanted and were not measured on enough cases: that is never a pass."""
    rows = {(row.metric, row.stratum): row for row in compared.rows}
    for name in sorted(suite.demanded):
        if METRICS[name].layer is layer and (name, ALL) not in rows:
            yield _unmeasured(
                layer, name, ALL, f"{name} was measured on no case: no case of the set allows it."
            )
    for row in compared.rows:
        if row.metric not in suite.wanted:
            continue
        least = suite.suite.least_measured
        if row.stratum is not ALL:
            least = min(least, _HALF)  # of a small stratum one case may be a large share
        if row.measured < least * row.possible:
            why = ", ".join(f"{reason} {count:,}" for reason, count in sorted(row.gaps.items()))
            yield _unmeasured(
                layer,
                row.metric,
                row.stratum,
                f"{_named(row)} was measured on {row.measured:,} of {row.possible:,} cases only; {least:.0%} "
                f"are needed ({why}).",
            )
    for stratum, floors in _stratum_floors(suite):
        for name in floors:
            if METRICS[name].layer is layer and (name, stratum) not in rows:
                said = f"{name} of {stratum} has a floor, and no case of that kind was measured."
                yield _unmeasured(layer, name, stratum, said)


def find_in_rows(suite: Suite, layer: Layer, compared: Compared) -> Iterator[Finding]:
    """Floors, then drops and collapses. A drop that another stratum explains is told with that one."""
    stratum_floors = dict(_stratum_floors(suite))
    fallen: dict[str, list[tuple[Row, Pairing, Finding]]] = {}
    for row in compared.rows:
        own = stratum_floors.get(row.stratum, {})
        floor = suite.floors.get(row.metric) if row.stratum == ALL else own.get(row.metric)
        if floor is not None and row.value is not None and row.value < floor:
            numbers = {"value": row.value, "floor": floor, "cases": row.measured}
            now = f"{_named(row)} is {_points(row.value)} over {row.measured:,} cases"
            message = f"{now}; the floor is {floor:.3g}."
            yield Finding(Kind.FLOOR, layer, message, row.metric, row.stratum, (), numbers)
        pair = row.pairing
        if pair is not None:
            for finding in _find_in_pairs(suite, layer, row, pair, compared.tests):
                fallen.setdefault(row.metric, []).append((row, pair, finding))
    for found in fallen.values():
        yield from _told_once(found)


def _told_once(found: Sequence[tuple[Row, Pairing, Finding]]) -> Iterator[Finding]:
    """One finding for each stratum that no plainer one explains: the others are named with it."""
    left = sorted(found, key=lambda one: -one[1].drop * one[1].statistic)
    while left:
        (_, plainest, finding), *others = left
        same = [row for row, pair, _ in others if plainest.explains(pair)]
        left = [one for one in others if not plainest.explains(one[1])]
        also = f" The same is seen in: {', '.join(str(row.stratum) for row in same)}." if same else ""
        yield replace(finding, message=finding.message + also)


def _find_in_pairs(suite: Suite, layer: Layer, row: Row, pair: Pairing, tests: int) -> Iterator[Finding]:
    """A drop whose interval excludes what is allowed, or more lost cases than noise and allowance explain."""
    allowed, losses = suite.drop.of(row.metric), pair.losses
    by_interval = pair.low > allowed
    if not by_interval and (losses.chance * tests > LOSS_ALPHA or pair.drop <= allowed):
        return
    numbers = {
        "before": pair.before,
        "after": pair.after,
        "drop": pair.drop,
        "low": pair.low,
        "high": pair.high,
        "allowed": allowed,
        "cases": losses.cases,
        "lost": losses.lost,
        "gained": losses.gained,
        "chance": min(pair.chance, 1.0 if by_interval else losses.chance * tests),
    }
    collapsed = losses.kept <= suite.collapse.left
    fell = f"{_named(row)} {'collapsed' if collapsed else 'fell'} from {_points(pair.before)} to"
    interval = f" [{pair.low * 100:.1f}, {pair.high * 100:.1f}]" if by_interval else ""
    message = (
        f"{fell} {_points(pair.after)} over {losses.cases:,} cases: by {pair.drop * 100:.1f} points"
        f"{interval}, where {allowed * 100:g} are allowed; "
        f"{losses.lost:,} cases lost, {losses.gained:,} gained."
    )
    kind = Kind.COLLAPSE if collapsed else Kind.DROP
    yield Finding(kind, layer, message, row.metric, row.stratum, pair.lost, numbers)


def find_in_cases(
    suite: Suite, layer: Layer, results: Sequence[CaseResult], baseline: Baseline | None
) -> Iterator[Finding]:
    """What the golden set demands of single cases, and they do not hold: one finding for each demand."""
    found: dict[tuple[Demand, str], list[tuple[CaseResult, Check]]] = {}
    for one in results:
        for check in one.failed:
            if check.is_hard and check.layer is layer and not _is_known(suite, baseline, one, check):
                about = check.about if check.demand is Demand.MINIMUM else ""
                found.setdefault((check.demand, about), []).append((one, check))
    for (demand, about), cases in found.items():
        ids = tuple(one.case_id for one, _ in cases)
        yield Finding(Kind.DEMAND, layer, _demanded(demand, about, cases), about or demand.value, ALL, ids)


def _is_known(suite: Suite, baseline: Baseline | None, one: CaseResult, check: Check) -> bool:
    if suite.cases.known == "block" or baseline is None or one.case_id not in baseline.cases:
        return False
    return check.key in baseline.cases[one.case_id].failed


def _demanded(demand: Demand, about: str, cases: Sequence[tuple[CaseResult, Check]]) -> str:
    what = {
        Demand.SHOULD_REFUSE: "answer what they should refuse",
        Demand.MUST_CONTAIN: "lack what their answers must contain",
        Demand.MUST_NOT_CONTAIN: "contain what their answers must not",
        Demand.MINIMUM: f"miss their own minimum of {about}",
    }[demand]
    one, check = cases[0]
    text = f" {check.about!r}" if check.about and demand is not Demand.MINIMUM else ""
    number = "1 case does not hold" if len(cases) == 1 else f"{len(cases):,} cases do not hold"
    named = ", ".join(other.case_id for other, _ in cases[:_NAMED])
    more = f" and {len(cases) - _NAMED:,} more" if len(cases) > _NAMED else ""
    return f"{number}: they {what}: {named}{more}. The first: {one.case_id}{text}: {check.detail}."


def _stratum_floors(suite: Suite) -> Iterator[tuple[Stratum, dict[str, float]]]:
    for by, values in suite.stratum_floors.items():
        for value, floors in values.items():
            yield Stratum(by, value), floors


def _unmeasured(layer: Layer, name: str, stratum: Stratum, message: str) -> Finding:
    return Finding(Kind.NOT_MEASURED, layer, message, name, stratum)


def _named(row: Row) -> str:
    return row.metric if row.stratum == ALL else f"{row.metric} of {row.stratum}"


def _points(value: float) -> str:
    return f"{value:.3f}"


__all__ = ["find_in_cases", "find_in_rows", "find_unmeasured"]
