"""`ragpulse distill`: from what people and judges said of traces to a new scorer."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stream.cli.dead import parse_since
from stream.cli.shell import FINDING, load_settings, note, print_json

if TYPE_CHECKING:
    from judges.distillation.measured import Tell
    from stream.distill.from_store import Period
    from stream.distill.gathered import Gathered
    from stream.distill.run import Outcome
    from stream.settings import Settings

_INTERRUPTED: Final = 130
_DEFAULT_AGE: Final = "30d"


def distill(
    since: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="Labels in the store, of traces from when: an ISO time, or an age such as 90m, 2h, 7d.",
            show_default="30d, without --labels",
        ),
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="WHEN", help="To when; now, unless given.")] = None,
    app: Annotated[str | None, typer.Option(metavar="APP", help="Only traces of this app.")] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="A labelled file, instead of the store (with --since: as well)."),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(metavar="LANGUAGE", help="Only traces in this language (en, zh); may be repeated."),
    ] = None,
    promote: Annotated[
        bool, typer.Option("--promote", help="Let it serve, if it is not worse anywhere and better overall.")
    ] = False,
    registry: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the registry.", show_default="RAGPULSE_SCORER__REGISTRY"),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Version of the new scorer.", show_default="distilled-<time>"),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="The same labels and seed give the same weights.")
    ] = 0,
    limit: Annotated[
        int, typer.Option(min=100, metavar="N", help="At most so many labels of each kind, the newest.")
    ] = 50_000,
    allow_single_annotator: Annotated[
        bool, typer.Option("--allow-single-annotator", help="Learn from the labels of one person alone.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The report as one JSON object.")] = False,
) -> None:
    """Learn a new scorer from labels, on top of the one that serves, and compare the two.

    Labels come from ClickHouse: what people said (table annotations) counts first, what judges said
    (table verdicts) only where no person has spoken; and from files: our own JSON lines with `label` or
    `expected`, a failure class, `healthy`, or true for hallucinated.

    The latest labels examine, the earlier ones teach, and no conversation or question is on both sides.
    The candidate goes into the registry with its report, and from then on workers try it on a share of
    the traffic (`ragpulse scorer show`). With --promote it serves at once, unless it may be worse in a
    language, a tenant or a class, on canaries made of your own traffic, or the labels contradict
    themselves: then it is not promoted, and the reasons are printed with their numbers.

    Needs 40 labels of each kind (hallucinated and supported), 20 in each language, and
    pip install 'ragpulse[distill]'.

    \b
    Examples:
      ragpulse distill --since 30d
      ragpulse distill --since 2026-11-01 --until 2026-12-01 --app helpdesk --promote
      ragpulse distill --labels golden.jsonl --labels more.jsonl.gz --registry scorers --json

    Exit code: 0; 1 nothing can be learned from these labels, or the promotion is refused; 2 usage;
    3 the store cannot be reached; 130 stopped by Ctrl-C (the registry is as it was).
    """
    from stream.distill.run import require_parts, run

    settings = load_settings()
    require_parts()
    from judges.distillation.distill import Plan
    from judges.registry import RegistryError
    from stream.cli.scorer import find_registry, registry_problem
    from stream.distill.show import report_lines

    folder = find_registry(registry, settings)
    now = datetime.now(UTC)
    plan = Plan(
        version=name or f"distilled-{now:%Y%m%dT%H%M%SZ}",
        made_at=now.isoformat(timespec="seconds"),
        seed=seed,
        allow_single_annotator=allow_single_annotator,
    )
    try:
        with _progress() as tell:
            gathered = _gather(
                settings, labels or [], _period(since, until, app, labels or [], now), limit, tell
            )
            gathered.keep_languages(language or ())
            outcome = run(gathered, folder, plan, promote=promote, now=lambda: datetime.now(UTC), tell=tell)
    except RegistryError as error:
        raise registry_problem(error) from error
    except KeyboardInterrupt:
        note("stopped; the registry is as it was")
        raise typer.Exit(_INTERRUPTED) from None
    if as_json:
        print_json({**outcome.report, "promoted": outcome.promoted, "registry": str(folder.folder)})
    else:
        for line in report_lines(outcome.report):
            print(line)
    note(f"{outcome.version} {_fate(outcome)} ({folder.folder})")
    if promote and not outcome.promoted:
        note(f"Not promoted: {outcome.objections[0]}")
        raise typer.Exit(FINDING)


def _fate(outcome: Outcome) -> str:
    if outcome.promoted:
        return "serves from now on"
    return "is tried beside what serves, as the registry's candidate" if outcome.tried else "is registered"


def _gather(settings: Settings, files: list[str], period: Period | None, limit: int, tell: Tell) -> Gathered:
    from judges.distillation.refuse import LabelsRefused
    from sinks.clickhouse.migrate import require_schema
    from stream.distill.from_file import read_label_file
    from stream.distill.from_store import read_store
    from stream.distill.gathered import Gathered
    from stream.distill.run import NothingToLearn
    from stream.sink.main import open_store

    gathered = Gathered()
    for path in files:
        try:
            read_label_file(path, settings.worker.max_trace_bytes, gathered, tell)
        except LabelsRefused as error:
            raise NothingToLearn(str(error)) from error
    if period is not None:
        client = open_store(settings)
        try:
            require_schema(client)
            read_store(client, period, limit, gathered, tell)
        finally:
            client.close()
    return gathered


def _period(
    since: str | None, until: str | None, app: str | None, files: list[str], now: datetime
) -> Period | None:
    from stream.distill.from_store import Period

    if since is None and files:
        if until or app:
            raise typer.BadParameter("they choose from the store: add --since", param_hint="--until, --app")
        return None
    begin, end = parse_since(since or _DEFAULT_AGE, now), parse_since(until, now) if until else now
    if begin >= end:
        raise typer.BadParameter(f"the period ends ({end:%F %T}) before it begins ({begin:%F %T})")
    return Period(begin, end, app)


@contextmanager
def _progress() -> Iterator[Tell]:
    """A bar for each step on a terminal's standard error; nothing at all elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<36}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as progress:
        tasks: dict[str, object] = {}

        def tell(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=total)
            progress.update(tasks[what], completed=done, total=total)  # type: ignore[arg-type]

        yield tell


__all__ = ["distill"]
