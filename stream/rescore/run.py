"""Batch after batch: score, store, and only then the next. Stopped anywhere, the next run goes on there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime

from schemas.row import encode, score_row
from schemas.scored import Judged, Scorer
from sinks.clickhouse.client import ClickHouse
from stream.pipeline import RULE_SCORER_ERROR, judge_batch
from stream.rescore.items import Account, Item, Source


def rescore(
    source: Source,
    scorer: Scorer,
    client: ClickHouse,
    now: Callable[[], datetime],
    stop: threading.Event,
    on_progress: Callable[[Account], None] = lambda account: None,
) -> Account:
    """Score what the source has, into table `scores`; rows of the same trace and scorer replace each other.

    `stop` ends it between two batches. Raises SinkError, and whatever the source raises.
    """
    account = Account()
    for batch in source.batches(account):
        on_progress(account)
        if stop.is_set():
            account.interrupted = True
            break
        judged = judge_batch([item.trace for item in batch], scorer)
        lines = _lines(batch, judged, now())
        if lines:
            client.insert_raw("scores", b"\n".join(lines))
        account.rescored += len(lines)
        account.failed += len(batch) - len(lines)
        on_progress(account)
    return account


def _lines(batch: Sequence[Item], judged: Sequence[Judged], at: datetime) -> list[bytes]:
    return [
        encode(score_row(one, item.received_at, "rescore", at))
        for item, one in zip(batch, judged, strict=True)
        if one.verdict.rule != RULE_SCORER_ERROR
    ]


__all__ = ["rescore"]
