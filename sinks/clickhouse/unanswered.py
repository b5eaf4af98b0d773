"""Unanswered questions out of table `traces`. Raises SinkError.

A question is unanswered where the search found nothing, or where the model declined over chunks that do not
hold the answer. Failures of rewriting and of systems are left out: they say nothing about the documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from schemas.unanswered import Asked, Unanswered, Why
from sinks.clickhouse.client import ClickHouse

PIECES: Final = 14
"""Of a period: enough for a line that shows a trend, and even, so that it has two halves."""
MOST: Final = 20_000
"""Questions that are read at once."""

_WITHIN: Final = """timestamp >= {since:DateTime64(3, 'UTC')} AND timestamp < {until:DateTime64(3, 'UTC')}
    AND ({any:Bool} OR app = {app:String})"""
_UNANSWERED: Final = (
    "(failure = 'empty_recall' OR (refusal AND quadrant = 'honest' "
    "AND failure NOT IN ('rewrite_failure', 'system_error')))"
)
_TEXT: Final = "trimBoth(if(coalesce(rewritten_query, '') != '', rewritten_query, coalesce(question, '')))"
_COUNTS: Final = f"""
SELECT intDiv(toUnixTimestamp64Milli(timestamp) - {{first:Int64}}, {{piece:Int64}}) AS piece,
    count() AS traces, countIf({_UNANSWERED}) AS unanswered,
    countIf({_UNANSWERED} AND empty({_TEXT})) AS without_text
FROM traces FINAL WHERE {_WITHIN} GROUP BY piece ORDER BY piece
"""
_QUESTIONS: Final = f"""
SELECT trace_id, toUnixTimestamp64Milli(timestamp) / 1000 AS asked_at, left({_TEXT}, 600) AS text,
    failure, app, tenant, language, conversation_id AS conversation
FROM traces FINAL WHERE {_WITHIN} AND {_UNANSWERED} AND notEmpty(text)
ORDER BY timestamp DESC, trace_id LIMIT {{most:UInt32}}
"""


def read_unanswered(
    client: ClickHouse, since: datetime, until: datetime, app: str | None = None, most: int = MOST
) -> Asked:
    """What went unanswered in a period, of one app or (null) of all; the latest where there are more."""
    first, last = (round(moment.timestamp() * 1000) for moment in (since, until))
    if last <= first:
        raise ValueError("a period ends after it begins")
    parameters = {"since": _stamp(since), "until": _stamp(until), "any": app is None, "app": app or ""}
    length = -(-(last - first) // PIECES)
    counts = client.query(_COUNTS, {**parameters, "first": first, "piece": length})
    rows = client.query(_QUESTIONS, {**parameters, "most": most})
    traffic = [0] * PIECES
    for row in counts:
        traffic[min(int(row["piece"]), PIECES - 1)] += int(row["traces"])
    without_text = sum(int(row["without_text"]) for row in counts)
    return Asked(
        since=first / 1000,
        until=last / 1000,
        questions=tuple(_unanswered(row) for row in rows),
        traffic=tuple(traffic),
        left_out=max(0, sum(int(row["unanswered"]) for row in counts) - without_text - len(rows)),
        without_text=without_text,
    )


def _unanswered(row: Mapping[str, Any]) -> Unanswered:
    names = ("trace_id", "app", "tenant", "language", "conversation")
    return Unanswered(
        asked_at=float(row["asked_at"]),
        question=str(row["text"]),
        why=Why.EMPTY_RECALL if row["failure"] == "empty_recall" else Why.CORRECT_REFUSAL,
        **{name: str(row[name]) for name in names},
    )


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(" ", "milliseconds")[:23]


__all__ = ["MOST", "PIECES", "read_unanswered"]
