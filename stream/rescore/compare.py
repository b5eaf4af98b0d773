"""How the rescored period differs from what was said of it then: computed from the tables."""

from __future__ import annotations

from typing import Any, Final

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import MEASURES, measured
from stream.rescore.items import CONDITION, Period

_NOW: Final = {name: measured(name) for name in MEASURES}
_THEN: Final = {name: measured(f"serving_{name}") for name in MEASURES}
_WHERE: Final = f"role = 'rescore' AND scorer_version = {{scorer:String}} AND {CONDITION}"


def compare(client: ClickHouse, period: Period, scorer: str) -> dict[str, Any]:
    """Agreement with the stored verdicts, where they moved to, and the mean of each score then and now.

    All runs of this scorer over the period count, not the last alone. Raises SinkError.
    """
    parameters = {**period.parameters, "scorer": scorer}
    parts = [
        "count() AS compared",
        "countIf(same_failure) AS same",
        f"countIf(({_NOW['hallucination']} >= 0.5) = ({_THEN['hallucination']} >= 0.5)) AS same_side",
        "uniqExact(serving_version) AS versions",
    ]
    for name in MEASURES:
        both = f"{_NOW[name]} IS NOT NULL AND {_THEN[name]} IS NOT NULL"
        parts += [
            f"countIf({both}) AS {name}_n",
            f"sumIf({_NOW[name]}, {both}) AS {name}_now",
            f"sumIf({_THEN[name]}, {both}) AS {name}_then",
        ]
    (total,) = client.query(f"SELECT {', '.join(parts)} FROM score_comparison WHERE {_WHERE}", parameters)
    moved = client.query(
        "SELECT serving_failure AS before, failure AS now, count() AS traces FROM score_comparison "
        f"WHERE {_WHERE} AND NOT same_failure GROUP BY before, now ORDER BY traces DESC, before, now",
        parameters,
    )
    return {
        "compared": total["compared"],
        "agreement": _share(total["same"], total["compared"]),
        "hallucination_agreement": _share(total["same_side"], total["hallucination_n"]),
        "moved": {f"{one['before']} → {one['now']}": one["traces"] for one in moved},
        "scores": {name: _change(total, name) for name in MEASURES if total[f"{name}_n"]},
    }


def _change(total: dict[str, Any], name: str) -> dict[str, Any]:
    count = total[f"{name}_n"]
    then, now = total[f"{name}_then"] / count, total[f"{name}_now"] / count
    return {
        "compared": count,
        "mean_stored": round(then, 4),
        "mean_rescored": round(now, 4),
        "mean_change": round(now - then, 4),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


__all__ = ["compare"]
