"""Sums by stratum, out of table `traces`: what rates, their intervals and comparisons are made from.

One query, whatever is compared: each conversation is summed up first, since its turns share their fate.
Raises SinkError.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import measured
from stream.report.compare import Stratum
from stream.report.strata import FINEST
from stream.watch.records import Floats, Measure

BADNESS: Final[Mapping[Measure, str]] = {
    Measure.HALLUCINATION: measured("hallucination"),
    Measure.FAITHFULNESS: f"1 - {measured('faithfulness')}",
    Measure.REFUSAL: "refusal",
    Measure.CORRECT_REFUSAL: "refusal AND quadrant = 'honest'",
    Measure.OVER_REFUSAL: "failure = 'over_refusal'",
    Measure.SYSTEM_ERROR: "failure = 'system_error'",
    Measure.REWRITE_FAILURE: "failure = 'rewrite_failure'",
    Measure.EMPTY_RECALL: "failure = 'empty_recall'",
    Measure.POOR_RETRIEVAL: "failure = 'poor_retrieval'",
}
"""As stream/watch/measures.py has it, for the engine."""

_COLUMNS: Final = tuple(column for column in FINEST if column != "hour")
_SCORES: Final = (Measure.HALLUCINATION, Measure.FAITHFULNESS)
"""Numbers that may be null. All others are yes or no: always there, and their own squares."""

Sums = dict[str, dict[Stratum, Floats]]
"""By value (of what is compared) and stratum: measures × the six sums of `compare.N` to `compare.N2`."""


@dataclass(slots=True)
class Found:
    """What one value has in all."""

    traces: int = 0
    first: datetime | None = None
    last: datetime | None = None
    mix: dict[Stratum, int] = field(default_factory=dict)
    """Traces by stratum, measured or not."""


def read_sums(
    client: ClickHouse, value: str, where: str, parameters: Mapping[str, Any]
) -> tuple[Sums, dict[str, Found]]:
    """By the value of an expression of SQL (ours, never of others), at the finest strata."""
    columns = ", ".join(_COLUMNS)
    strata = ", ".join(FINEST)
    sql = f"""
SELECT value, {strata}, toUnixTimestamp64Milli(min(first_at)) AS first_ms,
    toUnixTimestamp64Milli(max(last_at)) AS last_ms, sum(traces) AS traces_sum,
    {", ".join(_of_stratum())}
FROM
(
    SELECT {value} AS value, {columns}, toString(toHour(min(timestamp), 'UTC')) AS hour,
        min(timestamp) AS first_at, max(timestamp) AS last_at,
        count() AS traces, {", ".join(_of_conversation())}
    FROM traces FINAL
    WHERE {where}
    GROUP BY value, {columns}, cityHash64(if(conversation_id = '', trace_id, conversation_id))
)
GROUP BY value, {strata}
ORDER BY value, {strata}
"""
    sums: Sums = {}
    found: dict[str, Found] = {}
    for row in client.query(sql, parameters):
        stratum = tuple(str(row[column]) for column in FINEST)
        own = sums.setdefault(str(row["value"]), {})
        own[stratum] = np.array([row[f"m{number}"] for number, _ in enumerate(Measure)])
        _add(found.setdefault(str(row["value"]), Found()), stratum, row)
    return sums, found


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


def _add(found: Found, stratum: Stratum, row: Mapping[str, Any]) -> None:
    first, last = (datetime.fromtimestamp(row[name] / 1000, UTC) for name in ("first_ms", "last_ms"))
    found.traces += int(row["traces_sum"])
    found.mix[stratum] = found.mix.get(stratum, 0) + int(row["traces_sum"])
    found.first = min(first, found.first or first)
    found.last = max(last, found.last or last)


__all__ = ["BADNESS", "Found", "Sums", "read_sums"]
