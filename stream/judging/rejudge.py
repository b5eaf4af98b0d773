"""Page after page: judged, stored, and only then the next. Stopped anywhere, the next run goes on there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from sinks.clickhouse.client import ClickHouse
from stream.judging.judge import GivenUp, Outcome
from stream.judging.session import Session
from stream.judging.stored import StoredSamples
from stream.rescore.items import Account

VERDICTS: Final = "verdicts"


def rejudge(
    source: StoredSamples,
    session: Session,
    client: ClickHouse,
    stop: threading.Event,
    on_progress: Callable[[Account], None] = lambda account: None,
) -> Account:
    """Judge what the source has, into table `verdicts`. `stop` ends it at the next trace.

    A trace on which the judges failed leaves no row: the next run tries it again. Raises SinkError, and what
    a session raises.
    """
    account = Account()
    for batch in source.batches(account):
        on_progress(account)
        if stop.is_set():
            account.interrupted = True
            break

        def advance() -> None:
            account.rescored = session.tally.done
            on_progress(account)

        done = session.judge(batch, advance, stop)
        if lines := [line for _, outcome in done for line in _rows(outcome)]:
            client.insert_raw(VERDICTS, b"\n".join(lines))
        if len(done) < len(batch):
            account.interrupted = True
            break
    return account


def _rows(outcome: Outcome) -> tuple[bytes, ...]:
    if isinstance(outcome, GivenUp):
        return ()
    return outcome.rows


__all__ = ["rejudge"]
