"""Judges: how far each agrees with people, how far traces come on their way to them, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from console.figures import Figure, known, share
from console.queries.period import Period
from sinks.clickhouse.client import ClickHouse

STAGES: Final = ("seen", "eligible", "selected", "judged")
"""Each is part of the one before it."""
LEFT: Final = ("ineligible", "capped", "over_budget", "failed")
"""Where the others went."""

_AGREEMENT: Final = """
SELECT judge, model, rubric, rubric_version, measure, language, n, kappa, low, high, raw, ac1, traffic_kappa,
    reason, min_kappa, min_labels, calibrated, toUnixTimestamp64Milli(at) / 1000 AS at_s
FROM judge_calibration
ORDER BY at DESC, inserted_at DESC
LIMIT 1 BY judge, model, rubric, rubric_version, measure, language
"""
_FUNNEL: Final = """
SELECT stage, reason, sum(traces) AS traces, sum(expected) AS expected
FROM judge_funnel
WHERE minute >= toDateTime({since:UInt32}, 'UTC') AND minute < toDateTime({until:UInt32}, 'UTC')
GROUP BY stage, reason ORDER BY traces DESC
"""
_SPEND: Final = """
SELECT judge, any(model) AS model, count() AS asked, countIf(error IS NULL) AS judged,
    sum(cost_usd) AS cost, count(cost_usd) AS priced, sum(input_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens, sum(calls) AS calls, quantile(0.5)(latency_ms) AS latency_ms,
    avg(disagreement) AS disagreement
FROM verdicts FINAL
WHERE created_at >= toDateTime64({since:UInt32}, 3, 'UTC') AND created_at < toDateTime64({until:UInt32}, 3,
'UTC')
GROUP BY judge ORDER BY cost DESC, asked DESC, judge LIMIT 50
"""
_OVER_TIME: Final = """
SELECT intDiv(toUnixTimestamp(created_at), {step:UInt32}) * {step:UInt32} AS at, judge,
    count() AS verdicts, sum(cost_usd) AS cost
FROM verdicts FINAL
WHERE created_at >= toDateTime64({since:UInt32}, 3, 'UTC') AND created_at < toDateTime64({until:UInt32}, 3,
'UTC')
GROUP BY at, judge ORDER BY at, judge
"""
_PROBES: Final = """
SELECT judge, rubric, run, toUnixTimestamp64Milli(any(at)) / 1000 AS at_s, any(begins_baseline) AS baseline,
    countIf(error = '') AS answered, countIf(error = '' AND said = expected) AS hits, countIf(error != '') AS
    failed
FROM judge_probes FINAL
GROUP BY judge, rubric, run ORDER BY at_s DESC LIMIT 5 BY judge, rubric
"""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The newest measurement of a judge against people, in one measure and language (empty: all of them)."""

    measure: str
    language: str
    kappa: Figure
    raw: float | None
    traffic_kappa: float | None
    calibrated: bool
    reason: str
    min_kappa: float
    min_labels: int
    at: float


@dataclass(frozen=True, slots=True)
class JudgeStanding:
    """One judge under one rubric."""

    judge: str
    model: str
    rubric: str
    rubric_version: str
    agreements: tuple[Agreement, ...]


@dataclass(frozen=True, slots=True)
class Spent:
    """What a judge did in a period. Cost is null where no price was known."""

    judge: str
    model: str
    asked: int
    judged: int
    cost: float | None
    input_tokens: int
    output_tokens: int
    calls: int
    latency_ms: float | None
    disagreement: float | None

    @property
    def cost_per_thousand(self) -> float | None:
        """US dollars for a thousand verdicts."""
        return None if self.cost is None or not self.judged else 1_000 * self.cost / self.judged


@dataclass(frozen=True, slots=True)
class ProbeRun:
    """How many of the probes a judge got right, in one run of them."""

    judge: str
    rubric: str
    at: float
    baseline: bool
    right: Figure
    failed: int


@dataclass(frozen=True, slots=True)
class Funnel:
    """Traces by stage; and by reason, where they left."""

    stages: Mapping[str, int]
    left: tuple[tuple[str, str, int], ...]
    expected: float


@dataclass(frozen=True, slots=True)
class Judges:
    """All that the page shows."""

    standings: tuple[JudgeStanding, ...]
    funnel: Funnel
    spent: tuple[Spent, ...]
    over_time: tuple[tuple[float, str, int, float], ...]
    """Beginning of a step, judge, verdicts, cost."""
    probes: tuple[ProbeRun, ...]


def read_judges(client: ClickHouse, asked: Period) -> Judges:
    """Agreement and probes as they were measured last; the rest of the period. Raises SinkError."""
    parameters = asked.parameters
    bounds = {name: parameters[name] for name in ("since", "until")}
    return Judges(
        standings=_standings(client.query(_AGREEMENT)),
        funnel=_funnel(client.query(_FUNNEL, bounds)),
        spent=tuple(_spent(row) for row in client.query(_SPEND, bounds)),
        over_time=tuple(
            (float(row["at"]), str(row["judge"]), int(row["verdicts"]), float(row["cost"] or 0))
            for row in client.query(_OVER_TIME, parameters)
        ),
        probes=tuple(_probe(row) for row in client.query(_PROBES)),
    )


def _standings(rows: list[dict[str, Any]]) -> tuple[JudgeStanding, ...]:
    by_judge: dict[tuple[str, str, str, str], list[Agreement]] = {}
    for row in rows:
        key = (str(row["judge"]), str(row["model"]), str(row["rubric"]), str(row["rubric_version"]))
        by_judge.setdefault(key, []).append(_agreement(row))
    return tuple(
        JudgeStanding(*key, tuple(sorted(found, key=lambda a: (a.measure, a.language))))
        for key, found in sorted(by_judge.items())
    )


def _agreement(row: Mapping[str, Any]) -> Agreement:
    return Agreement(
        measure=str(row["measure"]),
        language=str(row["language"]),
        kappa=known(row["kappa"], row["low"], row["high"], float(row["n"])),
        raw=row["raw"],
        traffic_kappa=row["traffic_kappa"],
        calibrated=bool(row["calibrated"]),
        reason=str(row["reason"]),
        min_kappa=float(row["min_kappa"]),
        min_labels=int(row["min_labels"]),
        at=float(row["at_s"]),
    )


def _funnel(rows: list[dict[str, Any]]) -> Funnel:
    stages = dict.fromkeys(STAGES, 0)
    left = []
    for row in rows:
        stage, reason, traces = str(row["stage"]), str(row["reason"]), int(row["traces"])
        if stage in stages:
            stages[stage] += traces
        else:
            left.append((stage, reason, traces))
    order = {name: place for place, name in enumerate(LEFT)}
    left.sort(key=lambda one: (order.get(one[0], len(order)), -one[2]))
    return Funnel(stages, tuple(left), sum(float(row["expected"]) for row in rows))


def _spent(row: Mapping[str, Any]) -> Spent:
    latency, disagreement = row["latency_ms"], row["disagreement"]
    return Spent(
        judge=str(row["judge"]),
        model=str(row["model"]),
        asked=int(row["asked"]),
        judged=int(row["judged"]),
        cost=float(row["cost"]) if row["priced"] else None,
        input_tokens=int(row["input_tokens"] or 0),
        output_tokens=int(row["output_tokens"] or 0),
        calls=int(row["calls"] or 0),
        latency_ms=None if latency is None or latency != latency else float(latency),
        disagreement=None if disagreement is None or disagreement != disagreement else float(disagreement),
    )


def _probe(row: Mapping[str, Any]) -> ProbeRun:
    return ProbeRun(
        judge=str(row["judge"]),
        rubric=str(row["rubric"]),
        at=float(row["at_s"]),
        baseline=bool(row["baseline"]),
        right=share(float(row["hits"]), float(row["answered"])),
        failed=int(row["failed"]),
    )


__all__ = [
    "LEFT",
    "STAGES",
    "Agreement",
    "Funnel",
    "JudgeStanding",
    "Judges",
    "ProbeRun",
    "Spent",
    "read_judges",
]
