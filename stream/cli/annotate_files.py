"""`ragpulse annotate export | import`: cases and labels to other tools, and back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stream.cli.shell import FINDING, note, print_json, require_name, tolerate_closed_pipe
from stream.terminal import printable

if TYPE_CHECKING:
    from sinks.annotation import AnnotationQueue
    from sinks.annotation.reading import Case

_SHOWN: Final = 20


class Format(StrEnum):
    """What other tools read."""

    JSONL = "jsonl"
    LABEL_STUDIO = "label-studio"


class Which(StrEnum):
    """Cases by what became of them."""

    OPEN = "open"
    SETTLED = "settled"
    CONFLICT = "conflict"
    ALL = "all"


def export_cases(
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="To this file; to standard output, unless given.")
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", help="JSON lines, or tasks of Label Studio.")
    ] = Format.JSONL,
    which: Annotated[
        Which | None,
        typer.Option("--state", help="Which cases.", show_default="open; all with --with-labels"),
    ] = None,
    with_labels: Annotated[
        bool, typer.Option("--with-labels", help="Also what annotators said; it sways whoever labels next.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the labelling configuration for Label Studio (XML)."),
    ] = None,
    config_language: Annotated[
        str, typer.Option(metavar="LANGUAGE", help="Of that configuration: en or zh.")
    ] = "en",
) -> None:
    """Write cases of the queue to a file that other tools read. All texts are redacted.

    For Label Studio: create a project, paste the XML of --config into Settings, Labeling Interface, Code, and
    import the file. Export as JSON (not JSON-MIN) there, and bring it back with `ragpulse annotate import`.

    \b
    Examples:
      ragpulse annotate export --format label-studio --out tasks.json --config labelling.xml
      ragpulse annotate export --with-labels > labels.jsonl

    Exit code: 0, also where there is no case; 2 usage, or a file that cannot be written; 3 ClickHouse or the
    file of leases cannot be used.
    """
    import orjson

    from stream.annotation.carrying import json_lines, label_studio_tasks
    from stream.annotation.label_studio import labelling_config
    from stream.cli.annotate import opened_queue

    if config_language not in ("en", "zh"):
        raise typer.BadParameter(f"{config_language!r} is neither en nor zh", param_hint="--config-language")
    with opened_queue() as queue:
        cases = list(_chosen(queue, which or (Which.ALL if with_labels else Which.OPEN)))
    if form is Format.LABEL_STUDIO:
        tasks = label_studio_tasks(cases, with_votes=with_labels)
        data = orjson.dumps(tasks, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_INDENT_2)
    else:
        data = b"".join(line + b"\n" for line in json_lines(cases, with_votes=with_labels))
    if config is not None:
        _write(config, labelling_config("zh" if config_language == "zh" else "en").encode(), "--config")
    if out is None:
        with tolerate_closed_pipe():
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
    else:
        _write(out, data, "--out")
        note(f"{len(cases):,} cases: {out}")


def import_labels(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file; - is standard input.")],
    annotator: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            callback=require_name,
            help="Who said all of it.",
            show_default="whom the file names",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Store labels that other tools made: Label Studio's JSON export, or JSON lines as export writes them.

    What cannot be taken is named, and the rest is stored. Labels that are there already, word for word, stay
    as they are; said otherwise, the last word of an annotator counts.

    \b
    Examples:
      ragpulse annotate import project-1-at-2026-12-01.json
      ragpulse annotate import labels.jsonl --annotator li

    Exit code: 0; 1 something was not stored; 2 the file or the settings; 3 ClickHouse or the file of leases
    cannot be used.
    """
    from stream.annotation.carrying import take
    from stream.annotation.push import read_file
    from stream.cli.annotate import opened_queue

    data = read_file(file)
    with opened_queue() as queue:
        taken = take(queue, data, annotator or "")
    if as_json:
        refused = [{"at": one.at, "item_id": one.item_id, "why": one.why} for one in taken.refused]
        counts = {"stored": taken.stored, "skipped": taken.skipped, "known": taken.known}
        print_json({**counts, "blank": taken.blank, "refused": refused})
    else:
        for one in taken.refused[:_SHOWN]:
            note(f"entry {one.at} {printable(one.item_id)}: {printable(one.why)}")
        note(
            f"{taken.stored} labels stored, {taken.skipped} skipped, {taken.known} known already, "
            f"{taken.blank} without a label, {len(taken.refused)} refused"
        )
    if taken.refused:
        raise typer.Exit(FINDING)


def _chosen(queue: AnnotationQueue, which: Which) -> Iterator[Case]:
    """Whole cases of that state, in the order of their ids."""
    from judges.annotation.votes import SETTLED, State
    from sinks.annotation.reading import Case

    wanted = {
        Which.OPEN: {State.OPEN},
        Which.SETTLED: SETTLED,
        Which.CONFLICT: {State.CONFLICT},
        Which.ALL: set(State),
    }[which]
    cases = {
        case.item.item_id: case
        for case in queue.cases()
        if case.outcome.state in wanted and not (which is Which.OPEN and case.item.withdrawn)
    }
    for item in queue.items(sorted(cases)):
        yield Case(item, cases[item.item_id].votes)


def _write(path: Path, data: bytes, option: str) -> None:
    from judges.whole_files import replace_file
    from stream.files.lines import FileProblem

    try:
        replace_file(path, data)
    except OSError as error:
        raise FileProblem(f"{path} cannot be written ({option}): {error.strerror}.") from error


__all__ = ["export_cases", "import_labels"]
