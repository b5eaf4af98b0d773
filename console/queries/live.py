"""What the page Live shows beside the rates: incidents that are open, the last failures, what could not be
read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from console.queries.incidents import Incident, open_incidents
from console.queries.period import Period
from console.queries.rates import Rates, read_rates
from console.queries.said import READ, shown
from console.queries.segment import COLUMNS, WITHIN, Segment
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import all_measured

_FAILED: Final = f"""
SELECT trace_id, toUnixTimestamp64Milli(timestamp) / 1000 AS at, failure, failure_confidence,
first_failed_stage,
    rule, app, tenant, language, release_prompt, {all_measured(("hallucination", "faithfulness"))},
    substringUTF8(coalesce(question, ''), 1, {READ}) AS asked,
    substringUTF8(coalesce(answer, ''), 1, {READ}) AS answered
FROM traces FINAL
WHERE timestamp >= toDateTime64({{since:UInt32}}, 3, 'UTC') AND timestamp < toDateTime64({{until:UInt32}}, 3,
'UTC')
    AND failure != 'healthy' AND ({{failure:String}} = '' OR failure = {{failure:String}}) AND {WITHIN}
ORDER BY timestamp DESC, trace_id
LIMIT {{most:UInt32}}
"""
_DEAD: Final = """
SELECT count() AS dead FROM dead_letters FINAL
WHERE died_at >= toDateTime64({since:UInt32}, 3, 'UTC') AND died_at < toDateTime64({until:UInt32}, 3, 'UTC')
"""
_VALUES: Final = """
SELECT {name} AS value, sum(traces) AS traces FROM minute_rates
WHERE minute >= toDateTime({{until:UInt32}}, 'UTC') - INTERVAL 7 DAY AND {name} != ''
GROUP BY value ORDER BY traces DESC, value LIMIT 200
"""
_NEWEST: Final = "SELECT toUnixTimestamp64Milli(max(scored_at)) / 1000 AS at FROM traces"


@dataclass(frozen=True, slots=True)
class Failed:
    """One trace that failed, in a line. `asked` and `answered` are its question and answer: cut, redacted."""

    trace_id: str
    at: float
    failure: str
    failure_confidence: float
    first_failed_stage: str
    rule: str
    app: str
    tenant: str
    language: str
    release_prompt: str
    hallucination: float | None
    faithfulness: float | None
    asked: str
    answered: str


@dataclass(frozen=True, slots=True)
class Live:
    """All that the page shows."""

    rates: Rates
    incidents: tuple[Incident, ...]
    failed: tuple[Failed, ...]
    dead: int
    newest: float | None
    """When the last trace was scored; null before the first one."""


def read_live(client: ClickHouse, asked: Period, part: Segment, *, failure: str = "", most: int = 20) -> Live:
    """`failure`: only cases of this class. Raises SinkError."""
    newest = client.query(_NEWEST)[0]["at"]
    return Live(
        rates=read_rates(client, asked, part),
        incidents=open_incidents(client),
        failed=read_failed(client, asked, part, failure=failure, most=most),
        dead=int(client.query(_DEAD, _bounds(asked))[0]["dead"]),
        newest=float(newest) or None,
    )


def read_failed(
    client: ClickHouse, asked: Period, part: Segment, *, failure: str = "", most: int = 20
) -> tuple[Failed, ...]:
    """The last failures of a period, the newest first. Raises SinkError."""
    parameters = _bounds(asked) | part.parameters | {"most": most, "failure": failure}
    return tuple(Failed(**_redacted(row)) for row in client.query(_FAILED, parameters))


def read_choices(client: ClickHouse, now: float) -> dict[str, list[str]]:
    """The values that each column of a segment had in the last week, the busiest first. Raises SinkError."""
    until = {"until": int(now) + 1}
    return {
        name: [str(row["value"]) for row in client.query(_VALUES.format(name=name), until)]
        for name in COLUMNS
    }


def _redacted(row: dict[str, Any]) -> dict[str, Any]:
    return row | {name: shown(row[name]) for name in ("asked", "answered")}


def _bounds(asked: Period) -> dict[str, Any]:
    return {name: asked.parameters[name] for name in ("since", "until")}


__all__ = ["Failed", "Live", "read_choices", "read_failed", "read_live"]
