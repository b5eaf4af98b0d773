"""What the filler asks of the tables: candidates, chance draws, crowds of questions, and the queue as it is.

Rows are asked for by the time of their insert, each period once. Questions are read as they were written, and
are redacted by whoever asked before they are compared with cases or kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from judges.annotation.policy import NEAR_LINE, UNSURE, JudgeSaid
from schemas.annotation import in_utc
from schemas.restore import TRACE_COLUMNS
from schemas.row import stamp
from schemas.taxonomy import HEALTHY
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import all_measured
from stream.annotation.building import SCORE_COLUMNS

OF_EACH: Final = 300
"""Candidates of one class and stage in one turn, the surest first."""
MOST_LATE: Final = 2_000
"""Late opinions and verdicts looked at in one turn, the newest first."""
CROWD_ROWS: Final = 200_000
"""Traces that crowds are counted from: of more, a share by hash."""
CROWD_QUESTIONS: Final = 5_000
PAGE: Final = 500

_HEAD: Final = f"""trace_id, timestamp, app, tenant, language, intent, ifNull(question, '') AS question,
    failure, first_failed_stage, failure_confidence, {all_measured(("hallucination",))}, scorer_version,
    feedback_rating"""
_PERIOD: Final = (
    """inserted_at >= {since:DateTime64(3, 'UTC')} AND inserted_at < {until:DateTime64(3, 'UTC')}"""
)
_CANDIDATES: Final = f"""
SELECT {_HEAD} FROM traces
WHERE {_PERIOD}
  AND (failure != '{HEALTHY}' OR feedback_rating = -1 OR abs(hallucination - 0.5) < {NEAR_LINE}
    OR (failure_confidence > 0 AND failure_confidence < {UNSURE}))
ORDER BY ifNull(feedback_rating, 0) = -1 DESC,
    if(failure = '{HEALTHY}', -abs(ifNull(hallucination, 1) - 0.5), failure_confidence) DESC, trace_id
LIMIT {{each:UInt32}} BY failure, first_failed_stage
"""
_CONTROLS: Final = f"""
SELECT {_HEAD} FROM traces
WHERE {_PERIOD} AND cityHash64('annotation control', trace_id) <= {{at_most:UInt64}}
ORDER BY trace_id LIMIT 1 BY trace_id LIMIT {{limit:UInt32}}
"""
_COUNT: Final = f"SELECT uniqExact(trace_id) AS n FROM traces WHERE {_PERIOD}"
_HEADS: Final = f"""
SELECT {_HEAD} FROM traces WHERE trace_id IN {{ids:Array(String)}}
ORDER BY scored_at DESC LIMIT 1 BY trace_id
"""
_LATE: Final = f"""
SELECT trace_id FROM feedback FINAL WHERE {_PERIOD} AND rating = -1
ORDER BY inserted_at DESC LIMIT {MOST_LATE}
"""
_DISPUTED: Final = f"""
SELECT trace_id FROM verdicts FINAL
WHERE {_PERIOD} AND role = 'verdict' AND ifNull(error, '') = ''
ORDER BY inserted_at DESC LIMIT {MOST_LATE}
"""
_RATINGS: Final = "SELECT trace_id, rating FROM feedback FINAL WHERE trace_id IN {ids:Array(String)}"
_VERDICTS: Final = f"""
SELECT trace_id, judge, model, rubric, rubric_version, failure, failure_confidence,
    {all_measured(("hallucination", "faithfulness"))}, refusal, rationale, root_cause,
    suggested_fix, disagreement
FROM verdicts FINAL
WHERE trace_id IN {{ids:Array(String)}} AND role = 'verdict' AND ifNull(error, '') = ''
ORDER BY trace_id, created_at DESC
"""
_WHOLE: Final = f"""
SELECT {", ".join(dict.fromkeys((*TRACE_COLUMNS, *SCORE_COLUMNS)))} FROM traces
WHERE trace_id IN {{ids:Array(String)}}
ORDER BY scored_at DESC LIMIT 1 BY trace_id
"""
_TRAFFIC: Final = f"SELECT count() AS n FROM traces WHERE {_PERIOD}"
_CROWDS: Final = f"""
SELECT app, any(question) AS text, count() AS traces,
    countIf(failure IN ('empty_recall', 'poor_retrieval', 'hallucination')) AS unsupported,
    min(timestamp) AS first
FROM traces
WHERE {_PERIOD} AND ifNull(question, '') != '' AND cityHash64(trace_id) % {{one_in:UInt64}} = 0
GROUP BY app, replaceRegexpAll(lower(assumeNotNull(question)), '[0-9]+', '0')
ORDER BY traces DESC, text LIMIT {CROWD_QUESTIONS}
"""
_REACHED: Final = "SELECT max(updated_at) AS at, count() AS n FROM annotation_items"
_NOW: Final = "SELECT now64(3, 'UTC') AS now"


@dataclass(frozen=True, slots=True)
class Period:
    """Rows that were inserted from `since` up to `until`."""

    since: datetime
    until: datetime

    @property
    def parameters(self) -> dict[str, Any]:
        """As the server binds them."""
        return {"since": stamp(self.since), "until": stamp(self.until)}


@dataclass(frozen=True, slots=True)
class AskedOften:
    """Traces of one app with the same question, but for case and digits."""

    app: str
    text: str
    traces: int
    unsupported: int
    first: datetime


class Reader:
    """Every method raises SinkError."""

    def __init__(self, client: ClickHouse) -> None:
        self._client = client

    def now(self) -> datetime:
        """The store's clock, which `inserted_at` is read from."""
        return in_utc(self._client.query(_NOW)[0]["now"])

    def reached(self) -> datetime | None:
        """When the queue was last written to; null where it never was."""
        row = self._client.query(_REACHED)[0]
        return in_utc(row["at"]) if row["n"] else None

    def candidates(self, period: Period) -> Sequence[Mapping[str, Any]]:
        """Heads of traces that some policy may speak for, the surest of each class and stage."""
        return self._client.query(_CANDIDATES, {**period.parameters, "each": OF_EACH})

    def count(self, period: Period) -> int:
        """Traces that came in."""
        return int(self._client.query(_COUNT, period.parameters)[0]["n"])

    def controls(self, period: Period, probability: float, limit: int) -> Sequence[Mapping[str, Any]]:
        """Heads of traces drawn by the hash of their id, each with this probability."""
        at_most = min((1 << 64) - 1, int(probability * (1 << 64)))
        return self._client.query(_CONTROLS, {**period.parameters, "at_most": at_most, "limit": limit})

    def late(self, period: Period) -> list[str]:
        """Traces that users disliked afterwards, and traces with a new verdict."""
        found = [row["trace_id"] for row in self._client.query(_LATE, period.parameters)]
        found += [row["trace_id"] for row in self._client.query(_DISPUTED, period.parameters)]
        return list(dict.fromkeys(found))

    def heads(self, ids: Iterable[str]) -> Sequence[Mapping[str, Any]]:
        """Heads of these traces, as far as they are stored."""
        return [row for page in _pages(ids) for row in self._client.query(_HEADS, {"ids": page})]

    def ratings(self, ids: Iterable[str]) -> dict[str, int]:
        """What users said afterwards, by trace."""
        return {
            row["trace_id"]: int(row["rating"])
            for page in _pages(ids)
            for row in self._client.query(_RATINGS, {"ids": page})
            if row["rating"] is not None
        }

    def verdicts(self, ids: Iterable[str]) -> dict[str, list[Mapping[str, Any]]]:
        """Rows of verdicts by trace, the newest first."""
        found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for page in _pages(ids):
            for row in self._client.query(_VERDICTS, {"ids": page}):
                found[row["trace_id"]].append(row)
        return found

    def whole(self, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        """Whole rows of traces, texts included."""
        return {
            row["trace_id"]: row for page in _pages(ids) for row in self._client.query(_WHOLE, {"ids": page})
        }

    def crowds(self, window: Period) -> tuple[list[AskedOften], int]:
        """What is asked most within the window, and how many traces there are. Much is thinned by hash."""
        total = int(self._client.query(_TRAFFIC, window.parameters)[0]["n"])
        one_in = max(1, -(-total // CROWD_ROWS))
        rows = self._client.query(_CROWDS, {**window.parameters, "one_in": one_in})
        found = [
            AskedOften(
                row["app"],
                row["text"],
                int(row["traces"]) * one_in,
                int(row["unsupported"]) * one_in,
                in_utc(row["first"]),
            )
            for row in rows
        ]
        return found, total


def said_of(rows: Iterable[Mapping[str, Any]]) -> tuple[JudgeSaid, ...]:
    """Rows of verdicts, as policies are told them."""
    return tuple(
        JudgeSaid(
            judge=row.get("judge") or "",
            failure=row.get("failure") or None,
            hallucination=row.get("hallucination"),
            disagreement=row.get("disagreement"),
        )
        for row in rows
    )


def _pages(ids: Iterable[str]) -> Iterator[list[str]]:
    ordered = sorted(set(ids))
    for start in range(0, len(ordered), PAGE):
        yield ordered[start : start + PAGE]


__all__ = ["AskedOften", "Period", "Reader", "said_of"]
