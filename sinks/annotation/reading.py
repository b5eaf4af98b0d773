"""What the queue asks of the tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from judges.annotation.votes import Outcome, Vote, settle
from schemas.annotation import AnnotationItem, ItemRole
from schemas.row import stamp
from sinks.clickhouse.client import ClickHouse

MOST_ITEMS: Final = 20_000
"""Cases looked at in one question, the newest first: far above any cap that people could work through."""
PAGE: Final = 1_000

_HEADS: Final = """
SELECT item_id, trace_id, timestamp, app, tenant, language, intent, failure, first_failed_stage,
    scorer_version, reason, reasons, value, because, control, probability, cluster, duplicates, votes_wanted,
    duplicate_ids, withdrawn, created_at
FROM annotation_items FINAL
WHERE created_at >= {since:DateTime64(3, 'UTC')}
ORDER BY created_at DESC, item_id
LIMIT {limit:UInt32}
"""
_QUESTIONS: Final = """
SELECT item_id, JSONExtractString(payload, 'trace', 'question') AS question
FROM annotation_items FINAL WHERE item_id IN {ids:Array(String)}
"""
_ITEMS: Final = "SELECT * FROM annotation_items FINAL WHERE item_id IN {ids:Array(String)}"
_VOTES: Final = """
SELECT trace_id, annotator, role, annotated_at, failure, hallucination, context_sufficient, refusal, claims,
    gold_chunk_ids, should_refuse, reference_answer, kind, note, seconds, source
FROM annotations FINAL
WHERE trace_id IN {ids:Array(String)}
ORDER BY trace_id, annotator
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A case and what was said of it. Its item may lack the payload."""

    item: AnnotationItem
    votes: tuple[Vote, ...]
    seconds: tuple[tuple[str, float], ...] = ()
    """Annotator and seconds from claim to label, where known."""

    outcome: Outcome = field(init=False)
    """What the votes come to."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "outcome", settle(self.votes, self.item.votes_wanted))

    @property
    def counted(self) -> int:
        """Votes that count; skips do not."""
        return sum(vote.said is not None and vote.role is ItemRole.VOTE for vote in self.votes)


def read_cases(client: ClickHouse, since: datetime) -> list[Case]:
    """The cases made since then, without payloads, with the votes on them. Raises SinkError."""
    rows = client.query(_HEADS, {"since": stamp(since), "limit": MOST_ITEMS})
    return with_votes(client, [AnnotationItem.from_row(row) for row in rows])


def read_items(client: ClickHouse, ids: Sequence[str]) -> dict[str, AnnotationItem]:
    """Whole cases by id, as far as they exist. Raises SinkError."""
    found = {}
    for start in range(0, len(ids), PAGE):
        for row in client.query(_ITEMS, {"ids": list(ids[start : start + PAGE])}):
            found[row["item_id"]] = AnnotationItem.from_row(row)
    return found


def read_questions(client: ClickHouse, ids: Sequence[str]) -> dict[str, str]:
    """The redacted questions of cases, by id; empty where texts are no longer kept. Raises SinkError."""
    return {
        row["item_id"]: row["question"]
        for start in range(0, len(ids), PAGE)
        for row in client.query(_QUESTIONS, {"ids": list(ids[start : start + PAGE])})
    }


def with_votes(client: ClickHouse, items: Sequence[AnnotationItem]) -> list[Case]:
    """The same cases with the votes on their traces, wherever those came from. Raises SinkError."""
    rows = read_votes(client, [item.trace_id for item in items])
    return [
        Case(
            item,
            tuple(Vote.from_row(row) for row in rows[item.trace_id]),
            tuple((row["annotator"], row["seconds"]) for row in rows[item.trace_id] if row["seconds"]),
        )
        for item in items
    ]


def read_votes(client: ClickHouse, trace_ids: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """Rows of `annotations` by trace. Raises SinkError."""
    ids, found = sorted(set(trace_ids)), defaultdict(list)
    for start in range(0, len(ids), PAGE):
        for row in client.query(_VOTES, {"ids": ids[start : start + PAGE]}):
            found[row["trace_id"]].append(row)
    return found


def reach_back(now: datetime, max_age_days: float) -> datetime:
    """Cases older than that are not looked at, nor counted: they have aged out, settled or not."""
    return now - timedelta(days=max_age_days)


__all__ = [
    "MOST_ITEMS",
    "Case",
    "reach_back",
    "read_cases",
    "read_items",
    "read_questions",
    "read_votes",
    "with_votes",
]
