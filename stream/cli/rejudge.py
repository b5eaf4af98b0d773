"""`ragpulse rescore --judge`: a past period before the LLM judges."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import typer

from stream.cli.rescore import INTERRUPTED, progress_bar, tell_left_out
from stream.cli.shell import FINDING, load_settings, note, print_json

if TYPE_CHECKING:
    from stream.judging.session import JudgeTally
    from stream.rescore.items import Account, Period


def rejudge(period: Period, *, again: bool, everything: bool, as_json: bool) -> None:
    """Have the stored traces of a period judged, and store the verdicts."""
    from sinks.clickhouse.migrate import require_schema
    from stream.judging.rejudge import rejudge as run
    from stream.judging.session import judging
    from stream.judging.stored import StoredSamples
    from stream.process import stopped_by_signals
    from stream.sink.main import open_store

    settings = load_settings()
    stop = threading.Event()
    client = open_store(settings)
    try:
        with judging(settings.judge) as session:
            require_schema(client)
            source = StoredSamples(client, period, session.identity, again=again, everything=everything)
            with stopped_by_signals(stop), progress_bar("judging") as show:
                account = run(source, session, client, stop, show)
            who, tally = session.identity, session.tally
    finally:
        client.close()
    if as_json:
        print_json({"judge": who.judge, "model": who.model, **_facts(period, account), **tally.summary()})
    else:
        _tell(account, tally)
    if account.interrupted:
        raise typer.Exit(INTERRUPTED)
    if tally.unjudged:
        raise typer.Exit(FINDING)


def _facts(period: Period, account: Account) -> dict[str, Any]:
    return {
        "since": period.since.isoformat(),
        "until": period.until.isoformat(),
        "app": period.app,
        "traces": account.traces,
        "already": account.already,
        "left_out": dict(account.left_out),
        "interrupted": account.interrupted,
    }


def _tell(account: Account, tally: JudgeTally) -> None:
    note(tally.sentence())
    if account.already:
        note(f"{account.already:,} have a verdict already (--again has them judged once more)")
    tell_left_out(account)
    if account.interrupted:
        note("stopped before the end; the next run goes on from here")


__all__ = ["rejudge"]
