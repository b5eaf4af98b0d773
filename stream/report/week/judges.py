"""What judges did in a week: what they cost, how far they agree with the scorer, and with people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from judges.intervals import wilson
from sinks.clickhouse.client import ClickHouse
from stream.report.week.records import Judges, Kappa, Same, Spent
from stream.rescore.items import CONDITION, Period

_SPENT: Final = f"""
SELECT judge, model, countIf(error IS NULL) AS judged,
    countIf(error IS NOT NULL AND error != 'over_budget') AS failed,
    countIf(error = 'over_budget') AS over_budget, sum(ifNull(v.cost_usd, 0)) AS cost_usd,
    countIf(error IS NULL AND v.cost_usd IS NULL) AS without_price, sum(ifNull(v.calls, 0)) AS calls
FROM verdicts AS v FINAL WHERE role = 'verdict' AND {CONDITION}
GROUP BY judge, model ORDER BY judge, model
"""
_SAME: Final = f"""
SELECT judge, model, count() AS n, sum(weight) AS weights, sum(weight * weight) AS squares,
    sumIf(weight, failure = scored_failure) AS same
FROM weighted_verdicts WHERE failure != '' AND {CONDITION}
GROUP BY judge, model ORDER BY judge, model
"""
_KAPPAS: Final = """
SELECT judge, model, measure, language, n, kappa, low, high, calibrated, reason,
    toUnixTimestamp64Milli(at) / 1000 AS at
FROM judge_calibration FINAL WHERE at < {until:DateTime64(3, 'UTC')}
ORDER BY at DESC LIMIT 1 BY judge, model, rubric, measure, language
"""


def read_judges(client: ClickHouse, period: Period) -> Judges:
    """What the judges did in a period. Raises SinkError."""
    spent = client.query(_SPENT, period.parameters)
    same = client.query(_SAME, period.parameters)
    kappas = client.query(_KAPPAS, {"until": period.parameters["until"]})
    return Judges(
        tuple(Spent(**row) for row in spent),
        tuple(_same(row) for row in same),
        tuple(sorted((_kappa(row) for row in kappas), key=_order)),
    )


def _same(row: Mapping[str, Any]) -> Same:
    """Kish's effective number of verdicts (1965) stands for their number."""
    share = min(1.0, float(row["same"]) / float(row["weights"]))
    effective = float(row["weights"]) ** 2 / float(row["squares"])
    return Same(
        str(row["judge"]), str(row["model"]), share, wilson(share * effective, effective), int(row["n"])
    )


def _kappa(row: Mapping[str, Any]) -> Kappa:
    bounds = {name: None if row[name] is None else float(row[name]) for name in ("low", "high")}
    return Kappa(
        judge=str(row["judge"]), model=str(row["model"]), measure=str(row["measure"]),
        language=str(row["language"]), value=None if row["kappa"] is None else float(row["kappa"]),
        n=int(row["n"]), calibrated=bool(row["calibrated"]), at=float(row["at"]), **bounds,
    )  # fmt: skip


def _order(kappa: Kappa) -> tuple[str, str, str, str]:
    return kappa.judge, kappa.model, kappa.measure, kappa.language


__all__ = ["read_judges"]
