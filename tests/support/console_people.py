"""What people did, for a console in a test: a filled queue, labels, two versions of a golden set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

import orjson

from judges.golden import GoldenCase, GoldenSet, Kind
from schemas.annotation import Annotation
from sinks.annotation import AnnotationQueue
from sinks.clickhouse.client import ClickHouse
from sinks.golden import GoldenStore
from stream.annotation.filler import Filler
from stream.settings import AnnotationSettings

_KINDS: Final = (Kind.SINGLE_HOP, Kind.SINGLE_HOP, Kind.MULTI_HOP, Kind.LONG_DOCUMENT, Kind.CONFLICTING)


def fill_queue(client: ClickHouse) -> int:
    """One turn of the real filler; how many cases entered."""
    return len(Filler(client, AnnotationSettings()).turn(slack_s=0.0).entered)


def label_some(queue: AnnotationQueue, who: str, cases: int, *, differs_every: int = 0) -> list[str]:
    """Somebody labels as many cases as the scorer did, but for every n-th. Returns what was labelled."""
    done = []
    for number, claimed in enumerate(queue.claim(who, cases)):
        differs = differs_every and number % differs_every == differs_every - 1
        failure = claimed.item.failure if not differs else "healthy"
        queue.label(claimed.lease_id, who, Annotation.model_validate({"failure": failure}))
        done.append(claimed.item.item_id)
    return done


def fill_golden(client: ClickHouse, traces: Sequence[dict[str, Any]], at: datetime) -> GoldenSet:
    """A first version, and a second that grew from it, with changes. Returns the second."""
    cases = list(_cases(traces))
    first = GoldenSet(
        "helpdesk", tuple(sorted(cases[:34], key=lambda case: case.case_id)), who="ben",
        when=at - timedelta(days=6), why="the first cases that two people agreed on",
    )  # fmt: skip
    changed = replace(cases[0], must_contain=("14",), minima={"faithfulness": 0.8})
    second = replace(
        first.with_cases([changed, *cases[2:48]]),
        parent=first.version,
        who="anna",
        when=at,
        why="unanswerable questions of the last week",
    )
    store = GoldenStore(client)
    store.save(first)
    store.save(second)
    return second


def _cases(traces: Sequence[dict[str, Any]]) -> Iterator[GoldenCase]:
    """Of each question once: what is healthy has an answer, what found nothing should be declined."""
    seen = set()
    for row in traces:
        question = row["rewritten_query"] or row["question"]
        chunks = orjson.loads(row["chunks"] or "[]")
        if row["failure"] not in ("healthy", "empty_recall") or question in seen or row["refusal"]:
            continue
        seen.add(question)
        declines = row["failure"] == "empty_recall"
        yield GoldenCase(
            case_id=f"g-{len(seen):03}",
            question=question,
            kind=Kind.UNANSWERABLE if declines else _KINDS[len(seen) % len(_KINDS)],
            language=row["language"],
            intent=row["intent"],
            gold_chunk_ids=() if declines else (chunks[0]["id"],),
            reference_answer=None if declines else row["answer"],
            should_refuse=declines,
            trace_id=row["trace_id"],
        )


__all__ = ["fill_golden", "fill_queue", "label_some"]
