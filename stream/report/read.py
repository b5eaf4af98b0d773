"""What a comparison of releases is made from: sums by stratum, out of table `traces`. Raises SinkError."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

_SCORES: Final = (Measure.HALLUCINATION, Measure.FAITHFULNESS)
"""Numbers that may be null. All others are yes or no: always there, and their own squares."""


def _of_conversation() -> Iterator[str]:
    """By measure: traces that were measured (n), sum of badness (y), sum of its squares (q)."""
    for number, measure in enumerate(Measure):
        bad = BADNESS[measure]
        if measure in _SCORES:
            yield f"count({bad}) AS n{number}, sum(toFloat64({bad})) AS y{number}"
            yield f"sum(toFloat64({bad}) * ({bad})) AS q{number}"
        else:
            yield f"traces AS n{number}, countIf({bad}) AS y{number}, y{number} AS q{number}"


def _of_stratum() -> Iterator[str]:
    """By measure: the six sums, in the order of N to N2."""
    for number, _ in enumerate(Measure):
        n, y, q = (f"{letter}{number}" for letter in "nyq")
        terms = (n, y, q, f"{y} * {y}", f"{y} * {n}", f"{n} * {n}")
        summed = ", ".join(f"sum(toFloat64(ifNull({term}, 0)))" for term in terms)
        yield f"[{summed}] AS m{number}"


_STRATUM: Final = ", ".join(STRATA)
_SUMS: Final = f"""
SELECT value, {_STRATUM}, toUnixTimestamp64Milli(min(first_at)) AS first_ms,
    toUnixTimestamp64Milli(max(last_at)) AS last_ms, sum(traces) AS traces_sum,
    {", ".join(_of_stratum())}
FROM
(
    SELECT COLUMN AS value, {_STRATUM}, min(timestamp) AS first_at, max(timestamp) AS last_at,
        count() AS traces, {", ".join(_of_conversation())}
    FROM traces FINAL
    WHERE {CONDITION} AND COLUMN IN ({{a:String}}, {{b:String}})
    GROUP BY value, {_STRATUM}, cityHash64(if(conversation_id = '', trace_id, conversation_id))
)
GROUP BY value, {_STRATUM}
ORDER BY value, {_STRATUM}
"""
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
        sums[row["value"]][stratum] = np.array([row[f"m{number}"] for number, _ in enumerate(Measure)])
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
