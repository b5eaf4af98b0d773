"""A comparison of releases for people (Markdown) and for scripts (JSON), faithfulness the right way up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from stream.report.compare import LEAST, Comparison, Mean, is_comparable, is_worse
from stream.report.read import Found, Release
from stream.rescore.items import Period
from stream.terminal import printable
from stream.watch.measures import ALERTED, told
from stream.watch.records import Measure

_SHIFT: Final = 0.02
"""Of the traffic: a change of the mix that is told."""
_MIX_ROWS: Final = 12


def markdown(part: str, found: Found, comparisons: Sequence[Comparison], period: Period) -> str:
    """The report, a page."""
    lines = [
        f"# Release of {part}: {printable(found.a.value)} → {printable(found.b.value)}",
        "",
        _verdict_line(found, comparisons),
        "",
        *(_release_line(release) for release in (found.a, found.b)),
        f"- period: {period.since:%F %T} to {period.until:%F %T} UTC, app: {printable(period.app or 'all')}",
        "",
        f"| measure | {_cell(found.a.value)} | {_cell(found.b.value)} | difference | by mix | verdict |",
        "|---|---|---|---|---|---|",
        *(_row(one) for one in comparisons),
        "",
        *_notes(found, comparisons),
        *_mix(found),
    ]
    return "\n".join(lines).rstrip() + "\n"


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
            for column, value, a, b in _shifts(found)
        ],
    }


def _verdict_line(found: Found, comparisons: Sequence[Comparison]) -> str:
    b = printable(found.b.value)
    if not is_comparable(comparisons):
        return f"**Not comparable**: see the verdicts; nothing can be said of {b}."
    said = {
        verdict: [_name(one.measure) for one in comparisons if one.verdict == verdict and _counts(one)]
        for verdict in ("worse", "better")
    }
    if said["worse"]:
        better = f"; better in {', '.join(said['better'])}" if said["better"] else ""
        return f"**{b} is clearly worse** in {', '.join(said['worse'])}{better}."
    if said["better"]:
        return f"**{b} is clearly better** in {', '.join(said['better'])}, and in nothing clearly worse."
    return f"**No clear difference**: {b} is in nothing clearly worse, and in nothing clearly better."


def _counts(one: Comparison) -> bool:
    return one.measure in ALERTED


def _release_line(release: Release) -> str:
    if release.first is None or release.last is None:
        return f"- {printable(release.value)}: no trace"
    when = f"{release.first:%F %T} to {release.last:%F %T}"
    return f"- {printable(release.value)}: {release.traces:,} traces, {when}"


def _row(one: Comparison) -> str:
    a, b = (_mean(one.measure, mean) for mean in (one.a, one.b))
    difference, low, high = _told_difference(one)
    interval = "" if difference is None or low is None or high is None else (
        f"{difference * 100:+.1f} points [{low * 100:+.1f}, {high * 100:+.1f}]"
    )  # fmt: skip
    mix = _sign(one.measure) * one.by_mix if one.by_mix is not None else None
    shown_mix = "" if mix is None else f"{mix * 100:+.1f}"
    bold = "**" if one.verdict == "worse" and _counts(one) else ""
    return f"| {_name(one.measure)} | {a} | {b} | {interval} | {shown_mix} | {bold}{one.verdict}{bold} |"


def _mean(measure: Measure, mean: Mean | None) -> str:
    if mean is None:
        return "–"
    low, high = sorted(told(measure, value) for value in (mean.low, mean.high))
    return f"{told(measure, mean.value):.1%} [{low:.1%}, {high:.1%}] of {mean.traces:,}"


def _notes(found: Found, comparisons: Sequence[Comparison]) -> Iterator[str]:
    level = comparisons[0].level
    yield (
        f"Rates are at the mix of {', '.join(found.strata[:-1])} that both have, under the same scorer, with "
        f"{level:.0%} intervals. A verdict holds for all measures together at {level:.0%}."
    )
    for release, number in ((found.a, 0), (found.b, 1)):
        left = 1 - min((one.compared[number] for one in comparisons if one.strata), default=0.0)
        if left >= _SHIFT:
            yield (
                f"\n{left:.0%} of the traces of {printable(release.value)} are of a kind that the other has "
                "none of: they are left out."
            )
    if _scorers(found.a).isdisjoint(_scorers(found.b)) and found.a.traces and found.b.traces:
        yield (
            "\nThe two were scored by different scorers, whose numbers cannot be compared: let both releases "
            "run under one scorer for a while."
        )
    if any(one.verdict == "too few traces" for one in comparisons):
        yield f"\nToo few: less than {LEAST:.0f} independent traces of one of the two."
    if _before(found.a, found.b) or _before(found.b, found.a):
        yield "\nThe two ran one after the other: whatever else changed in between is in the difference too."


def _before(one: Release, other: Release) -> bool:
    return bool(one.last and other.first and one.last < other.first)


def _scorers(release: Release) -> set[str]:
    return {stratum[-1] for stratum in release.mix}


def _mix(found: Found) -> Iterator[str]:
    rows = _shifts(found)
    if rows:
        yield "\n## The mix of traffic\n"
        yield f"| | {_cell(found.a.value)} | {_cell(found.b.value)} |\n|---|---|---|"
        for column, value, a, b in rows:
            yield f"| {column} {_cell(value) or '(none)'} | {a:.1%} | {b:.1%} |"


def _shifts(found: Found) -> list[tuple[str, str, float, float]]:
    """Column, value and its share in either release, where these differ enough; the greatest first."""
    rows = []
    for place, column in enumerate(found.strata):
        if column == "hour":
            continue  # two releases that share a day differ in it for no reason that anybody asks about
        shares = [_shares(release, place) for release in (found.a, found.b)]
        for value in sorted({*shares[0], *shares[1]}):
            a, b = (share.get(value, 0.0) for share in shares)
            if abs(a - b) >= _SHIFT:
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
    difference, low, high = _told_difference(one)
    sign = _sign(one.measure)
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


def _told_difference(one: Comparison) -> tuple[float | None, float | None, float | None]:
    if one.difference is None or one.low is None or one.high is None:
        return None, None, None
    sign = _sign(one.measure)
    low, high = sorted((sign * one.low, sign * one.high))
    return sign * one.difference, low, high


def _sign(measure: Measure) -> int:
    return -1 if measure is Measure.FAITHFULNESS else 1


def _name(measure: Measure) -> str:
    return measure.value.replace("_", " ")


def _cell(text: str) -> str:
    """Text of others in a cell of a table."""
    return printable(text).replace("|", "\\|")


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)


__all__ = ["comparison_facts", "facts", "markdown"]
