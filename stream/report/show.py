"""A comparison of releases as one JSON object, faithfulness the right way up; and what its page needs too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from stream.report.compare import Comparison, Mean, is_comparable, is_worse
from stream.report.read import Found, Release
from stream.rescore.items import Period
from stream.watch.measures import told
from stream.watch.records import Measure

SHIFT: Final = 0.02
"""Of the traffic: a change of the mix that is told."""
_MIX_ROWS: Final = 12


def facts(
    part: str, found: Found, comparisons: Sequence[Comparison], period: Period, margin: float
) -> dict[str, Any]:
    """The same as one JSON object. Faithfulness is told the right way up: less of it is worse."""
    return {
        "part": part,
        "a": _release_facts(found.a),
        "b": _release_facts(found.b),
        "since": period.since.isoformat(),
        "until": period.until.isoformat(),
        "app": period.app,
        "stratified_by": list(found.strata),
        "margin": margin,
        "worse": is_worse(comparisons),
        "comparable": is_comparable(comparisons),
        "measures": {one.measure.value: comparison_facts(one) for one in comparisons},
        "mix": [
            {"column": column, "value": value, "a": round(a, 4), "b": round(b, 4)}
            for column, value, a, b in shifts(found)
        ],
    }


def shifts(found: Found) -> list[tuple[str, str, float, float]]:
    """Column, value and its share in either release, where these differ enough; the greatest first."""
    rows = []
    for place, column in enumerate(found.strata):
        if column == "hour":
            continue  # two releases that share a day differ in it for no reason that anybody asks about
        shares = [_shares(release, place) for release in (found.a, found.b)]
        for value in sorted({*shares[0], *shares[1]}):
            a, b = (share.get(value, 0.0) for share in shares)
            if abs(a - b) >= SHIFT:
                rows.append((column, value, a, b))
    return sorted(rows, key=lambda row: -abs(row[2] - row[3]))[:_MIX_ROWS]


def _shares(release: Release, place: int) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for stratum, traces in release.mix.items():
        counts[stratum[place]] += traces
    return {value: n / release.traces for value, n in counts.items()} if release.traces else {}


def _release_facts(release: Release) -> dict[str, Any]:
    return {
        "value": release.value,
        "traces": release.traces,
        "first": release.first.isoformat() if release.first else None,
        "last": release.last.isoformat() if release.last else None,
    }


def comparison_facts(one: Comparison) -> dict[str, Any]:
    """One measure, faithfulness the right way up."""
    difference, low, high = told_difference(one)
    sign = sign_of(one.measure)
    surely = sorted(sign * v for v in (one.surely_low, one.surely_high) if v is not None)
    return {
        "verdict": one.verdict,
        "a": _mean_facts(one.measure, one.a),
        "b": _mean_facts(one.measure, one.b),
        "difference": _rounded(difference),
        "low": _rounded(low),
        "high": _rounded(high),
        "surely": [_rounded(v) for v in surely] or None,
        "by_mix": _rounded(None if one.by_mix is None else sign * one.by_mix),
        "level": one.level,
        "compared": [round(share, 4) for share in one.compared],
        "strata": one.strata,
    }


def _mean_facts(measure: Measure, mean: Mean | None) -> dict[str, Any] | None:
    if mean is None:
        return None
    low, high = sorted(told(measure, value) for value in (mean.low, mean.high))
    return {
        "value": _rounded(told(measure, mean.value)),
        "low": _rounded(low),
        "high": _rounded(high),
        "raw": _rounded(told(measure, mean.raw)),
        "traces": mean.traces,
    }


def told_difference(one: Comparison) -> tuple[float | None, float | None, float | None]:
    """Difference, low and high, as people are told; null where nothing could be compared."""
    if one.difference is None or one.low is None or one.high is None:
        return None, None, None
    sign = sign_of(one.measure)
    low, high = sorted((sign * one.low, sign * one.high))
    return sign * one.difference, low, high


def sign_of(measure: Measure) -> int:
    """-1 where less is worse."""
    return -1 if measure is Measure.FAITHFULNESS else 1


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)


__all__ = ["SHIFT", "comparison_facts", "facts", "shifts", "sign_of", "told_difference"]
