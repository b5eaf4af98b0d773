"""`ragpulse annotate`: the queue from the command line."""

from __future__ import annotations

import getpass
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stream.cli.annotate_files import export_cases, import_labels
from stream.cli.shell import (
    FINDING,
    USAGE,
    load_settings,
    note,
    print_json,
    require_name,
    tolerate_closed_pipe,
)
from stream.terminal import printable

if TYPE_CHECKING:
    from schemas.annotation import AnnotationItem
    from sinks.annotation import AnnotationQueue
    from stream.settings import Settings

_SHOWN: Final = 20
_WIDTH: Final = 72

app = typer.Typer(
    help="The annotation queue: cases worth a person's time, and what people say of them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

app.command("export")(export_cases)
app.command("import")(import_labels)

Annotator = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", callback=require_name, help="Who labels; the user of this machine, unless given."
    ),
]


@app.command("pull")
def pull(
    n: Annotated[int, typer.Option("--n", min=1, max=1_000, metavar="N", help="At most so many.")] = 20,
    annotator: Annotator = None,
    language: Annotated[
        list[str] | None, typer.Option(metavar="LANGUAGE", help="Only of this language; may be repeated.")
    ] = None,
    reason: Annotated[
        list[str] | None, typer.Option(metavar="REASON", help="Only for this reason; may be repeated.")
    ] = None,
    hours: Annotated[
        float, typer.Option(min=0.1, max=24 * 14, metavar="HOURS", help="They are yours for so long.")
    ] = 8.0,
    with_scores: Annotated[
        bool,
        typer.Option("--with-scores", help="Also what scorer and judges said, which sways whoever reads it."),
    ] = False,
    peek: Annotated[bool, typer.Option("--peek", help="Only look: nothing is claimed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object with all that is known.")] = False,
) -> None:
    """Claim the cases that come next, to label them elsewhere and send them back with push.

    Nobody else gets them meanwhile; what is not pushed in time goes back into the queue. Texts are redacted.
    Write what you say into `label` of each case, or `"skip": true` where you cannot tell, and leave the rest
    as it is. docs/ANNOTATION.md says what a label may hold.

    \b
    Examples:
      ragpulse annotate pull --n 20 --json > cases.json
      ragpulse annotate pull --peek --n 5

    Exit code: 0, also where nothing is left; 1 the annotator holds as many as one may; 2 settings;
    3 ClickHouse or the file of leases cannot be used.
    """
    who = annotator or getpass.getuser()
    languages, reasons = language or (), _known(reason or ())
    with opened_queue() as queue:
        if peek:
            shown: list[AnnotationItem] = queue.next_items(n, languages=languages, reasons=reasons)
            facts = [item.as_facts(blind=not with_scores) for item in shown]
        else:
            claimed = queue.claim(who, n, languages=languages, reasons=reasons, lasts_s=hours * 3_600.0)
            shown = [one.item for one in claimed]
            facts = [{**one.as_dict(blind=not with_scores), "label": None} for one in claimed]
    if as_json:
        print_json({"annotator": None if peek else who, "items": facts})
    else:
        _show(shown, with_scores)
    if not shown:
        note(
            "nothing is left: `ragpulse annotate fill` puts cases in, "
            "`ragpulse annotate stats` says where all are"
        )


@app.command("push")
def push(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="What pull printed, labelled; - is standard input.")
    ],
    annotator: Annotator = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Store the labels of pulled cases. What cannot be taken is named, and the rest is stored.

    FILE is what `pull --json` printed with `label` filled in, a list of such cases, or one a line; each needs
    its lease_id or item_id. A case without a label stays yours until its lease ends. Pushed again, the last
    word counts.

    \b
    Examples:
      ragpulse annotate push cases.json
      jq -c '.items[]' cases.json | ragpulse annotate push - --annotator li

    Exit code: 0; 1 something was not stored; 2 the file or the settings; 3 ClickHouse or the file of leases
    cannot be used.
    """
    from stream.annotation.push import push_labels, read_file

    data = read_file(file)
    with opened_queue() as queue:
        pushed = push_labels(queue, data, annotator or getpass.getuser())
    if as_json:
        refused = [{"at": one.at, "item_id": one.item_id, "why": one.why} for one in pushed.refused]
        print_json(
            {"stored": pushed.stored, "skipped": pushed.skipped, "blank": pushed.blank, "refused": refused}
        )
    else:
        for one in pushed.refused[:_SHOWN]:
            note(f"case {one.at} {printable(one.item_id)}: {printable(one.why)}")
        note(
            f"{pushed.stored} labels stored, {pushed.skipped} skipped, {pushed.blank} without a label, "
            f"{len(pushed.refused)} refused"
        )
    if pushed.refused:
        raise typer.Exit(FINDING)


@app.command("stats")
def stats(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Say how many cases are where, what annotators have done, and how far they agree.

    \b
    Examples:
      ragpulse annotate stats
      ragpulse annotate stats --json | jq .agreement.failure.kappa

    Exit code: 0; 2 settings; 3 ClickHouse or the file of leases cannot be used.
    """
    with opened_queue() as queue:
        counted, agreement = queue.stats(), queue.agreement()
    if as_json:
        said = {name: concord.as_dict() for name, concord in agreement.items()}
        print_json({**counted.as_dict(), "agreement": said})
        return
    from stream.annotation.show import lines_of

    with tolerate_closed_pipe():
        for line in lines_of(counted, agreement):
            typer.echo(line)


@app.command("fill")
def fill(
    once: Annotated[
        bool, typer.Option("--once", help="One turn over the tables, then end; no broker.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --once: as one JSON object.")] = False,
) -> None:
    """Put cases into the queue: what scorer and judges disagree on, what is asked often and answered badly, …

    Reads ClickHouse every RAGPULSE_ANNOTATION__INTERVAL_S and topic rag.annotation as it comes, merges what
    is nearly the same, takes out names, numbers, addresses and keys, and keeps the queue varied and within
    its cap; a share of it is always drawn by chance. Runs until SIGTERM or Ctrl-C; start one.

    \b
    Examples:
      ragpulse annotate fill
      ragpulse annotate fill --once --json

    Exit code: 0; 1 it crashed; 2 settings; 3 ClickHouse or the broker refuses, or (--once) is away.
    """
    if as_json and not once:
        note("--json is for --once: without it, the filler logs and does not end.")
        raise typer.Exit(USAGE)
    if not once:
        from stream.annotation.main import run_fill

        raise typer.Exit(run_fill(load_settings()))
    from stream.annotation.main import fill_once

    turned = fill_once(load_settings())
    if as_json:
        print_json(turned.as_dict())
    else:
        note(
            f"{turned.traces:,} traces looked at: {len(turned.entered)} cases entered, "
            f"{turned.merged} traces merged, {turned.left} cases crowded out"
        )


@contextmanager
def opened_queue() -> Iterator[AnnotationQueue]:
    """The queue; what it refuses is one sentence and an exit code."""
    from sinks.annotation import LeaseFileError, QueueRefusal
    from sinks.clickhouse.migrate import require_schema
    from stream.annotation.opening import LeasesUnusable, open_queue
    from stream.errors import RagpulseError
    from stream.sink.main import open_store

    settings: Settings = load_settings()
    require_schema(open_store(settings))
    queue = open_queue(settings)
    try:
        yield queue
    except QueueRefusal as error:
        raise RagpulseError(str(error)) from error
    except LeaseFileError as error:
        raise LeasesUnusable(str(error)) from error
    finally:
        queue.close()


def _known(reasons: Collection[str]) -> Collection[str]:
    """These reasons, each of them one that there is: nothing would ever be left of any other."""
    from schemas.annotation import Reason

    for reason in reasons:
        if reason not in set(Reason):
            raise typer.BadParameter(
                f"{reason!r} is no reason; there are: {', '.join(Reason)}", param_hint="--reason"
            )
    return reasons


def _show(items: list[AnnotationItem], with_scores: bool) -> None:
    with tolerate_closed_pipe():
        for item in items:
            alike = f" (+{item.duplicates} alike)" if item.duplicates else ""
            why = f": {printable(item.because)}" if with_scores else ""
            typer.echo(f"{item.value:.2f}  {item.item_id}  {', '.join(item.reasons)}{alike}{why}")
            typer.echo(f"      {_short(item.trace.get('question'))}")


def _short(text: Any) -> str:
    plain = printable(str(text or "(no question)"))
    return plain if len(plain) <= _WIDTH else f"{plain[: _WIDTH - 1]}…"


__all__ = ["app", "opened_queue"]
