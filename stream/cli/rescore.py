"""`ragpulse rescore`: a past period under another scorer, beside the scores it has."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stream.cli.dead import parse_since
from stream.cli.shell import FINDING, load_settings, note, print_json

if TYPE_CHECKING:
    from schemas.scored import Scorer
    from sinks.clickhouse.client import ClickHouse
    from stream.rescore.items import Account, Period, Source
    from stream.settings import Settings

INTERRUPTED: Final = 130
_LOST: Final = "can no longer be rescored"
_WHY: Final = {
    "expired": f"{_LOST}: their texts have expired (RAGPULSE_CLICKHOUSE__TEXT_RETENTION_DAYS); "
    "--from kafka may still have them",
    "cut": f"{_LOST}: their texts did not fit a row; --from kafka may still have them",
    "gone": f"{_LOST}: the broker has deleted their messages; --from clickhouse may have them",
    "unreadable": f"{_LOST}: they cannot be read",
}


class From(StrEnum):
    """Where traces are read from."""

    CLICKHOUSE = "clickhouse"
    KAFKA = "kafka"


def rescore(
    since: Annotated[
        str, typer.Option(metavar="WHEN", help="From when: an ISO time, or an age such as 90m, 2h, 7d.")
    ],
    until: Annotated[str | None, typer.Option(metavar="WHEN", help="To when; now, unless given.")] = None,
    scorer: Annotated[
        str | None,
        typer.Option(
            metavar="SCORER",
            help="A version of the registry, `candidate`, `shipped`, `rules`, or a weights file (.npz); the "
            "serving scorer, unless given.",
        ),
    ] = None,
    app: Annotated[str | None, typer.Option(metavar="APP", help="Only traces of this app.")] = None,
    origin: Annotated[
        From,
        typer.Option("--from", metavar="STORE", help="`clickhouse`, or `kafka` to read the topics again."),
    ] = From.CLICKHOUSE,
    offset: Annotated[
        list[str] | None,
        typer.Option(metavar="PARTITION:OFFSET", help="With --from kafka: where to begin; may be repeated."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also those rescored by an earlier run.")] = False,
    judge: Annotated[
        bool,
        typer.Option("--judge", help="By the LLM judges of the settings, not a scorer; it costs."),
    ] = False,
    everything: Annotated[
        bool,
        typer.Option("--all", help="With --judge: every trace, not the sampled ones alone."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="What was done, as one JSON object.")] = False,
) -> None:
    """Score the traces of a period again with another scorer, beside the scores they have.

    What is in `traces` stays as it is; the new scores go into table `scores`, role `rescore`. Stopped by
    Ctrl-C or killed, the next run goes on where this one was. Traces whose texts are no longer kept are
    counted and left alone. Ends with how far the two agree.

    With --judge it is the LLM judges that are asked, about the sampled traces of the period that have no
    verdict by them yet (a budget was spent, an endpoint was down, the rubric is new); verdicts go into table
    `verdicts`. `ragpulse judge --dry-run` says what that would cost.

    \b
    Examples:
      ragpulse rescore --since 7d --scorer candidate
      ragpulse rescore --since 2026-12-01 --until 2026-12-02 --app helpdesk --scorer student-2 --json
      ragpulse rescore --since 2h --from kafka --scorer new/weights.npz
      ragpulse rescore --since 1d --judge

    Exit code: 0; 1 the scorer, or a judge, failed on some traces; 2 usage, or weights that are refused; 3 a
    service cannot be reached; 130 stopped by Ctrl-C.
    """
    if everything and not judge:
        raise typer.BadParameter("--all is of --judge", param_hint="--all")
    if judge:
        if scorer is not None or origin is not From.CLICKHOUSE or offset:
            raise typer.BadParameter("--judge reads the store, and asks no scorer", param_hint="--judge")
        from stream.cli.rejudge import rejudge

        rejudge(read_period(since, until, app), again=again, everything=everything, as_json=as_json)
        return
    from sinks.clickhouse.migrate import require_schema
    from stream.process import stopped_by_signals
    from stream.rescore.compare import compare
    from stream.rescore.run import rescore as run
    from stream.scorers import choose_scorer, open_registry
    from stream.sink.main import open_store

    settings = load_settings()
    period = read_period(since, until, app)
    offsets = _offsets(offset or [], origin)
    client = open_store(settings)
    stop = threading.Event()
    try:
        require_schema(client)
        chosen = choose_scorer(scorer, open_registry(settings.scorer))
        source = _source(settings, client, period, chosen, origin, offsets, again)
        with stopped_by_signals(stop), progress_bar("rescoring") as show:
            account = run(source, chosen, client, lambda: datetime.now(UTC), stop, show)
        difference = compare(client, period, chosen.version)
    finally:
        client.close()
    if as_json:
        print_json({"scorer": chosen.version, "from": origin.value, **_facts(period, account), **difference})
    else:
        _tell(chosen.version, account, difference)
    if account.interrupted:
        raise typer.Exit(INTERRUPTED)
    if account.failed:
        raise typer.Exit(FINDING)


def read_period(since: str, until: str | None, app: str | None) -> Period:
    """The period that was asked for. Raises BadParameter where it ends before it begins."""
    from stream.rescore.items import Period

    now = datetime.now(UTC)
    begin, end = parse_since(since, now), parse_since(until, now) if until else now
    if begin >= end:
        raise typer.BadParameter(f"the period ends ({end:%F %T}) before it begins ({begin:%F %T})")
    return Period(begin, end, app)


def _offsets(given: list[str], origin: From) -> dict[int, int]:
    if given and origin is not From.KAFKA:
        raise typer.BadParameter("offsets are of a topic: add --from kafka", param_hint="--offset")
    pairs = [re.fullmatch(r"(\d{1,9}):(\d{1,18})", one) for one in given]
    for text, pair in zip(given, pairs, strict=True):
        if pair is None:
            raise typer.BadParameter(f"{text!r} is not PARTITION:OFFSET, as in 0:1200", param_hint="--offset")
    return {int(pair[1]): int(pair[2]) for pair in pairs if pair}


def _source(
    settings: Settings,
    client: ClickHouse,
    period: Period,
    scorer: Scorer,
    origin: From,
    offsets: dict[int, int],
    again: bool,
) -> Source:
    from stream.kafka.admin import partition_counts
    from stream.rescore.replayed import ReplayedTraces
    from stream.rescore.stored import StoredTraces

    if origin is From.CLICKHOUSE:
        return StoredTraces(client, period, scorer.version, again=again)
    if offsets and len(settings.kafka.sources) > 1:
        raise typer.BadParameter("several topics are read, and offsets are of one", param_hint="--offset")
    partition_counts(settings.kafka)
    return ReplayedTraces(settings.kafka, client, period, scorer.version, again=again, offsets=offsets)


@contextmanager
def progress_bar(doing: str) -> Iterator[Callable[[Account], None]]:
    """A bar on a terminal's standard error; nothing at all elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task(doing, total=None)
        yield lambda account: progress.update(task, completed=account.done, total=account.traces)


def _facts(period: Period, account: Account) -> dict[str, Any]:
    return {
        "since": period.since.isoformat(),
        "until": period.until.isoformat(),
        "app": period.app,
        "traces": account.traces,
        "rescored": account.rescored,
        "already": account.already,
        "failed": account.failed,
        "left_out": dict(account.left_out),
        "interrupted": account.interrupted,
    }


def tell_left_out(account: Account) -> None:
    """Say what can no longer be done, and why."""
    for reason, count in account.left_out.items():
        note(f"{count:,} {_WHY[reason]}")


def _tell(version: str, account: Account, difference: dict[str, Any]) -> None:
    note(f"{account.rescored:,} of {account.traces:,} traces rescored by {version}")
    if account.already:
        note(f"{account.already:,} were rescored before (--again does them once more)")
    tell_left_out(account)
    if account.failed:
        note(f"on {account.failed:,} the scorer failed")
    if account.interrupted:
        note("stopped before the end; the next run goes on from here")
    if difference["compared"]:
        note(f"same failure class as stored: {difference['agreement']:.1%} of {difference['compared']:,}")
    for change, count in list(difference["moved"].items())[:10]:
        note(f"  {count:>8,}  {change}")
    for name, means in difference["scores"].items():
        note(f"  mean {name}: {means['mean_stored']:.3f} → {means['mean_rescored']:.3f}")


__all__ = ["INTERRUPTED", "progress_bar", "read_period", "rescore", "tell_left_out"]
