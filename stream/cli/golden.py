"""`ragpulse golden build | list | export | import | check | diff`: what people agreed on, by version."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from stream.cli.golden_build import build_set
from stream.cli.golden_files import check_file, import_set
from stream.cli.golden_shared import Json, Reference, opened, print_lines
from stream.cli.shell import FINDING, note, print_json, tolerate_closed_pipe

app = typer.Typer(
    help="Golden sets: questions whose answers people agreed on, by version.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("build")(build_set)
app.command("import")(import_set)
app.command("check")(check_file)


@app.command("list")
def list_sets(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Only versions of this set.")] = "",
    as_json: Json = False,
) -> None:
    """List the versions in the store, the newest first, with what is missing of each kind.

    \b
    Examples:
      ragpulse golden list
      ragpulse golden list helpdesk --json | jq '.versions[0].quotas'

    Exit code: 0; 3 ClickHouse cannot be reached.
    """
    from stream.golden.show import head_facts, head_lines

    with opened() as store:
        heads = store().heads(name)
    if as_json:
        print_json({"versions": [head_facts(head) for head in heads]})
        return
    if not heads:
        note("There is none: begin with `ragpulse golden build`.")
    print_lines(line for head in heads for line in head_lines(head))


@app.command("export")
def export_set(
    reference: Reference,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="To this file; to standard output, unless given.")
    ] = None,
) -> None:
    """Write a version as a golden file: a header line, then one line of JSON a case, fit for git.

    \b
    Examples:
      ragpulse golden export helpdesk --out golden/helpdesk.jsonl
      ragpulse golden export helpdesk@3f9a | jq -c 'select(.kind == "multi_hop")'

    Exit code: 0; 2 no such set, or the file cannot be written; 3 ClickHouse cannot be reached.
    """
    from judges.golden import dump
    from stream.golden.files import redacted, write_golden
    from stream.golden.refs import resolve

    with opened() as store:
        golden, taken = redacted(resolve(reference, store))
    if taken:
        note(f"{sum(taken.values())} things that tell who somebody is were taken out: {golden.version}")
    if out is None:
        with tolerate_closed_pipe():
            sys.stdout.buffer.write(dump(golden))
            sys.stdout.buffer.flush()
        return
    write_golden(golden, out)
    note(f"{golden.name}@{golden.version}, {len(golden.cases):,} cases: {out}")


@app.command("diff")
def diff_sets(
    old: Reference,
    new: Reference,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 1 where the cases differ.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Say what differs between two versions: cases that came, went and changed, as Markdown.

    Each side is a file, NAME (its newest version) or NAME@VERSION, of which a beginning is enough.

    \b
    Examples:
      ragpulse golden diff helpdesk@3f9a helpdesk
      ragpulse golden diff golden/helpdesk.jsonl helpdesk --exit-code

    Exit code: 0; 1 with --exit-code, where they differ; 2 no such set; 3 ClickHouse cannot be reached.
    """
    from judges.golden.compare import compare
    from judges.golden.show import difference_facts, difference_markdown
    from stream.golden.refs import resolve

    with opened() as store:
        found = compare(resolve(old, store), resolve(new, store))
    if as_json:
        print_json(difference_facts(found))
    else:
        print_lines([difference_markdown(found).rstrip("\n")])
    if exit_code and found:
        raise typer.Exit(FINDING)


__all__ = ["app"]
