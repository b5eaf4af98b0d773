"""The weekly report as one JSON object: every rate with its interval and how many it is of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judges.intervals import wilson
from schemas.taxonomy import HEALTHY
from stream.report.compare import Mean, is_worse
from stream.report.figures import iso
from stream.report.gaps import gaps_facts
from stream.report.show import comparison_facts
from stream.report.week.budgets import spent_budgets
from stream.report.week.page import totals, unseen
from stream.report.week.records import DAYS, Judges, Week
from stream.report.week.where import Place, places
from stream.watch.measures import told
from stream.watch.records import Incident, Measure


def week_facts(week: Week) -> dict[str, Any]:
    """Faithfulness the right way up: less of it is worse."""
    this, before = totals(week)
    coverage: dict[str, int] = {}
    for one in week.counts:
        if one.day >= DAYS:
            coverage[one.coverage] = coverage.get(one.coverage, 0) + one.traces
    return {
        "since": week.since.isoformat(),
        "until": week.until.isoformat(),
        "app": week.app,
        "traces": this.total(),
        "traces_before": before.total(),
        "failed": _share(this.total() - this[HEALTHY], this.total()),
        "classes": {name: _share(n, this.total()) for name, n in sorted(this.items())},
        "measures": {measure.value: _mean(measure, mean) for measure, mean in week.measures.items()},
        "stratified_by": list(week.strata),
        "worse": is_worse(week.comparisons),
        "changes": {one.measure.value: comparison_facts(one) for one in week.comparisons},
        "days": [_day(week, day) for day in range(2 * DAYS)],
        "places": [_place(one) for one in places(week.counts)],
        "incidents": [_incident(one) for one in week.incidents],
        "releases": [
            {"at": iso(m.at), "app": m.app, "part": m.part, "value": m.value, "previous": m.previous,
             "source": m.source, "note": m.note}
            for m in week.marks if m.at >= week.since.timestamp()
        ],
        "budgets": [
            {"measure": one.measure.value, "app": one.app or None, "budget": one.budget,
             "rate": _mean(one.measure, one.mean), "burn": _rounded(one.burn), "low": _rounded(one.low),
             "high": _rounded(one.high)}
            for one in spent_budgets(week)
        ],
        "coverage": {name: _share(n, this.total()) for name, n in sorted(coverage.items())},
        "healthy_unseen": unseen(week),
        "dead_letters": dict(week.dead),
        "judges": _judges(week.judges),
        "gaps": gaps_facts(week.gaps, week.app),
    }  # fmt: skip


def _mean(measure: Measure, mean: Mean | None) -> dict[str, Any] | None:
    if mean is None:
        return None
    low, high = sorted(told(measure, value) for value in (mean.low, mean.high))
    return {
        "value": _rounded(told(measure, mean.value)), "low": _rounded(low), "high": _rounded(high),
        "n": mean.traces,
    }  # fmt: skip


def _day(week: Week, day: int) -> dict[str, Any]:
    own = [one for one in week.counts if one.day == day]
    means: Mapping[Measure, Mean | None] = week.days.get(day, {})
    classes: dict[str, int] = {}
    for one in own:
        classes[one.failure] = classes.get(one.failure, 0) + one.traces
    return {
        "since": iso(week.before.timestamp() + day * 86_400),
        "traces": sum(classes.values()),
        "classes": dict(sorted(classes.items())),
        "measures": {measure.value: _mean(measure, mean) for measure, mean in means.items()},
    }


def _place(one: Place) -> dict[str, Any]:
    return {
        "app": one.app, "tenant": one.tenant, "language": one.language,
        "failed": {"value": _rounded(one.failed), "low": _rounded(one.interval.low),
                   "high": _rounded(one.interval.high), "n": one.traces},
        "before": _rounded(one.before), "difference_low": _rounded(one.low),
        "difference_high": _rounded(one.high), "worse": one.worse, "classes": dict(one.mostly),
    }  # fmt: skip


def _incident(one: Incident) -> dict[str, Any]:
    values = {name: getattr(one, name) for name in ("baseline", "value", "low", "high")}
    shown = {name: None if v is None else _rounded(told(one.measure, v)) for name, v in values.items()}
    if one.measure is Measure.FAITHFULNESS:
        shown["low"], shown["high"] = shown["high"], shown["low"]
    return {
        "incident_id": one.incident_id, "status": one.status, "severity": one.severity, "kind": one.kind,
        "measure": one.measure.value, "segment": one.segment.text, "onset": iso(one.onset),
        "detected_at": iso(one.detected_at),
        "resolved_at": None if one.resolved_at is None else iso(one.resolved_at),
        **shown, "n": one.traces, "release": one.release, "cases": list(one.cases),
    }  # fmt: skip


def _judges(judges: Judges) -> dict[str, Any]:
    return {
        "cost_usd": round(sum(one.cost_usd for one in judges.spent), 6),
        "spent": [
            {"judge": one.judge, "model": one.model, "judged": one.judged, "failed": one.failed,
             "over_budget": one.over_budget, "cost_usd": round(one.cost_usd, 6),
             "without_price": one.without_price, "calls": one.calls}
            for one in judges.spent
        ],
        "same_class_as_scorer": [
            {"judge": one.judge, "model": one.model, "value": _rounded(one.value),
             "low": _rounded(one.interval.low), "high": _rounded(one.interval.high), "n": one.n}
            for one in judges.same
        ],
        "kappas": [
            {"judge": one.judge, "model": one.model, "measure": one.measure, "language": one.language or None,
             "value": _rounded(one.value), "low": _rounded(one.low), "high": _rounded(one.high), "n": one.n,
             "calibrated": one.calibrated, "at": iso(one.at)}
            for one in judges.kappas
        ],
    }  # fmt: skip


def _share(some: int, total: int) -> dict[str, Any]:
    if not total:
        return {"value": None, "low": None, "high": None, "count": some, "n": total}
    interval = wilson(some, total)
    return {
        "value": _rounded(some / total), "low": _rounded(interval.low), "high": _rounded(interval.high),
        "count": some, "n": total,
    }  # fmt: skip


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)


__all__ = ["week_facts"]
