"""What a comparison of releases is made from: sums by stratum, out of table `traces`. Raises SinkError."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from sinks.clickhouse.client import ClickHouse
from stream.report.compare import STRATA, Arms, Stratum, arms_of
from stream.rescore.items import CONDITION, Period
from stream.watch.records import RELEASE_PARTS, Floats, Measure

BADNESS: Final[Mapping[Measure, str]] = {
    Measure.HALLUCINATION: "hallucination",
    Measure.FAITHFULNESS: "1 - faithfulness",
    Measure.REFUSAL: "refusal",
    Measure.CORRECT_REFUSAL: "refusal AND quadrant = 'honest'",
    Measure.OVER_REFUSAL: "failure = 'over_refusal'",
    Measure.SYSTEM_ERROR: "failure = 'system_error'",
    Measure.REWRITE_FAILURE: "failure = 'rewrite_failure'",
    Measure.EMPTY_RECALL: "failure = 'empty_recall'",
    Measure.POOR_RETRIEVAL: "failure = 'poor_retrieval'",
}
"""As stream/watch/measures.py has it, for the engine."""

_STRATUM: Final = ", ".join(STRATA)
_BAD: Final = ", ".join(f"toNullable(toFloat64({BADNESS[measure]}))" for measure in Measure)
_TRACES: Final = f"""
    SELECT COLUMN AS value, {_STRATUM}, timestamp, [{_BAD}] AS bad,
        if(conversation_id = '', trace_id, conversation_id) AS conversation
    FROM traces FINAL
    WHERE {CONDITION} AND COLUMN IN ({{a:String}}, {{b:String}})
"""
_CONVERSATIONS: Final = f"""
    SELECT value, {_STRATUM}, min(timestamp) AS first_at, max(timestamp) AS last_at, count() AS traces,
        sumForEach(arrayMap(v -> toFloat64(isNotNull(v)), bad)) AS n,
        sumForEach(arrayMap(v -> ifNull(v, 0.), bad)) AS y,
        sumForEach(arrayMap(v -> ifNull(v * v, 0.), bad)) AS q
    FROM ({_TRACES})
    GROUP BY value, {_STRATUM}, conversation
"""
_SUMS: Final = f"""
SELECT value, {_STRATUM}, toUnixTimestamp64Milli(min(first_at)) AS first_ms,
    toUnixTimestamp64Milli(max(last_at)) AS last_ms, sum(traces) AS traces_sum,
    sumForEach(n) AS sum_n, sumForEach(y) AS sum_y, sumForEach(q) AS sum_q,
    sumForEach(arrayMap(v -> v * v, y)) AS y_squared,
    sumForEach(arrayMap((v, w) -> v * w, y, n)) AS y_times_n,
    sumForEach(arrayMap(v -> v * v, n)) AS n_squared
FROM ({_CONVERSATIONS})
GROUP BY value, {_STRATUM}
ORDER BY value, {_STRATUM}
"""
_SUM_COLUMNS: Final = ("sum_n", "sum_y", "sum_q", "y_squared", "y_times_n", "n_squared")
"""In the order of N to N2."""
_VALUES: Final = f"""
SELECT COLUMN AS value, count() AS traces FROM traces FINAL
WHERE {CONDITION} AND COLUMN != '' GROUP BY value ORDER BY traces DESC, value LIMIT 10
"""


@dataclass(slots=True)
class Release:
    """What is stored of one release in the period."""

    value: str
    traces: int = 0
    first: datetime | None = None
    last: datetime | None = None
    mix: dict[Stratum, int] = field(default_factory=dict)
    """Traces by stratum, measured or not."""


@dataclass(slots=True, frozen=True)
class Found:
    """Both releases, and their sums."""

    a: Release
    b: Release
    arms: Arms


def read_releases(client: ClickHouse, part: str, a: str, b: str, period: Period) -> Found:
    """Traces of a period whose release part (of RELEASE_PARTS) has the one or the other value."""
    rows = client.query(_of_part(_SUMS, part), {**period.parameters, "a": a, "b": b})
    releases = {a: Release(a), b: Release(b)}
    sums: dict[str, dict[Stratum, Floats]] = {a: {}, b: {}}
    for row in rows:
        stratum = tuple(str(row[column]) for column in STRATA)
        sums[row["value"]][stratum] = np.array([row[name] for name in _SUM_COLUMNS], dtype=np.float64).T
        _add(releases[row["value"]], stratum, row)
    return Found(releases[a], releases[b], arms_of(sums[a], sums[b]))


def read_values(client: ClickHouse, part: str, period: Period) -> dict[str, int]:
    """The busiest values of a release part, and how many traces each has."""
    rows = client.query(_of_part(_VALUES, part), period.parameters)
    return {str(row["value"]): int(row["traces"]) for row in rows}


def _of_part(sql: str, part: str) -> str:
    if part not in RELEASE_PARTS:
        raise ValueError(f"{part!r} is no part of a release")
    return sql.replace("COLUMN", f"release_{part}")


def _add(release: Release, stratum: Stratum, row: Mapping[str, Any]) -> None:
    first, last = (datetime.fromtimestamp(row[name] / 1000, UTC) for name in ("first_ms", "last_ms"))
    release.traces += int(row["traces_sum"])
    release.mix[stratum] = int(row["traces_sum"])
    release.first = min(first, release.first or first)
    release.last = max(last, release.last or last)


__all__ = ["BADNESS", "Found", "Release", "read_releases", "read_values"]
