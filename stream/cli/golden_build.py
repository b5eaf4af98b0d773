"""`ragpulse golden build`: a new version out of what people agreed on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stream.cli.dead import parse_since
from stream.cli.golden_shared import Json, Who, opened, print_lines, reason_of, user
from stream.cli.shell import FINDING, load_settings, note, print_json

if TYPE_CHECKING:
    from judges.golden import GoldenSet, Kind
    from sinks.golden import GoldenStore
    from stream.distill.from_store import Period
    from stream.golden.build import Built


def build_set(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the set.")],
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="Why there is this version.")],
    who: Who = None,
    since: Annotated[
        str, typer.Option(metavar="WHEN", help="Labelled traces from when: an ISO time, or an age.")
    ] = "90d",
    until: Annotated[str | None, typer.Option(metavar="WHEN", help="To when; now, unless given.")] = None,
    of_app: Annotated[str | None, typer.Option("--app", metavar="APP", help="Only of this app.")] = None,
    votes: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=20,
            metavar="N",
            help="Annotators who must say the same.",
            show_default="RAGPULSE_ANNOTATION__VOTES",
        ),
    ] = None,
    want: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND=N", help="How many cases of a kind there should be; may be repeated."),
    ] = None,
    parent: Annotated[
        str | None,
        typer.Option(metavar="SET", help="What it grows from.", show_default="the newest version of NAME"),
    ] = None,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Let labels change cases that are in the parent already.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write it to a file.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would come of it.")] = False,
    as_json: Json = False,
) -> None:
    """Make a new version of a set: its parent's cases, and those that people have agreed on since.

    Agreed is what --votes annotators say without contradiction, or an arbitrator said: which chunks hold the
    answer, what it is, or that the question should be declined. Cases of the parent stay as they are, since
    people may have worked on them. All texts are redacted. docs/GOLDEN.md says how kinds are found.

    \b
    Examples:
      ragpulse golden build helpdesk --why "first round of December" --out golden/helpdesk.jsonl
      ragpulse golden build helpdesk --why "more hops" --want multi_hop=40 --dry-run

    Exit code: 0; 1 people agreed on nothing; 2 usage; 3 ClickHouse cannot be reached.
    """
    from judges.golden import NAME, GoldenSet
    from stream.golden.build import Plan, build
    from stream.golden.files import require_place, write_golden
    from stream.golden.refs import resolve

    if not NAME.fullmatch(name):
        raise typer.BadParameter("letters, digits, dots, dashes, underscores; at most 100", param_hint="NAME")
    wanted, period = _wanted(want or []), _period(since, until, of_app)
    least = votes if votes is not None else load_settings().annotation.votes
    if out is not None and not dry_run:
        require_place(out)
    with opened() as store:
        before = resolve(parent, store) if parent else _newest(name, store())
        if before is not None and before.name != name:
            before = GoldenSet(name, before.cases, wanted=before.wanted)
        plan = Plan(
            name,
            period,
            least,
            who or user(),
            datetime.now(UTC),
            reason_of(why),
            wanted,
            refresh,
            not dry_run,
        )
        built = build(store.client(), before, plan)
    if out is not None and built.growth.golden.cases and not dry_run:
        write_golden(built.growth.golden, out)
    if as_json:
        print_json(_built_facts(built, dry_run=dry_run))
    else:
        _show_built(built, out, dry_run=dry_run)
    if not built.growth.golden.cases:
        note("People agreed on nothing: see the reasons above, `ragpulse annotate stats`, or --votes 1.")
        raise typer.Exit(FINDING)


def _show_built(built: Built, out: Path | None, *, dry_run: bool) -> None:
    from stream.golden.show import built_lines

    print_lines(built_lines(built))
    golden = built.growth.golden
    if dry_run:
        note("nothing was stored (--dry-run)")
    elif built.aims_anew:
        note(f"nothing new: {golden.version} stays, and other numbers of cases are wanted of it")
    elif not built.is_new:
        note(f"nothing new: {golden.version} stays the newest version of {golden.name}")
    else:
        note(f"{golden.name}@{golden.version} is stored")
    if out is not None and golden.cases and not dry_run:
        note(f"written to {out}")


def _built_facts(built: Built, *, dry_run: bool) -> dict[str, Any]:
    from judges.golden.show import facts

    growth, gathered = built.growth, built.gathered
    return {
        **facts(growth.golden),
        "new": built.is_new,
        "stored": built.is_new and not dry_run,
        "labelled": gathered.labelled,
        "agreed": len(gathered.cases),
        "added": list(growth.added),
        "refreshed": list(growth.refreshed),
        "labels_say_otherwise": list(growth.otherwise),
        "repeated_questions": growth.repeated,
        "left_out": dict(gathered.left_out),
        "redacted": dict(gathered.redacted),
    }


def _wanted(pairs: list[str]) -> dict[Kind, int]:
    from judges.golden import Kind

    wanted = {}
    for pair in pairs:
        name, _, number = pair.partition("=")
        if name not in set(Kind) or not number.isdecimal() or len(number) > 6:
            raise typer.BadParameter(f"{pair!r} is no KIND=N; kinds: {', '.join(Kind)}", param_hint="--want")
        wanted[Kind(name)] = int(number)
    return wanted


def _period(since: str, until: str | None, of_app: str | None) -> Period:
    from stream.distill.from_store import Period

    now = datetime.now(UTC)
    begin, end = parse_since(since, now), parse_since(until, now) if until else now
    if begin >= end:
        raise typer.BadParameter(f"the period ends ({end:%F %T}) before it begins ({begin:%F %T})")
    return Period(begin, end, of_app)


def _newest(name: str, store: GoldenStore) -> GoldenSet | None:
    from sinks.golden import NoSuchGoldenSet

    try:
        return store.load(name)
    except NoSuchGoldenSet:
        return None


__all__ = ["build_set"]
