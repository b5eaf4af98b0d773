"""`ragpulse calibrate`: judges against people, sheets for annotators, judges against each other."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stream.cli.dead import parse_since
from stream.cli.shell import FINDING, load_settings, note, print_json, require_name

if TYPE_CHECKING:
    from judges.calibration.calibrate import Bar, Calibration
    from sinks.clickhouse.client import ClickHouse
    from stream.calibrate.run import Sources
    from stream.distill.from_store import Period
    from stream.settings import Settings

_BROKEN_SHOWN: Final = 50


def calibrate(
    since: Annotated[
        str, typer.Option(metavar="WHEN", help="Traces from when: an ISO time, or an age such as 90m, 7d.")
    ] = "90d",
    until: Annotated[str | None, typer.Option(metavar="WHEN", help="To when; now, unless given.")] = None,
    app: Annotated[str | None, typer.Option(metavar="APP", help="Only traces of this app.")] = None,
    judge: Annotated[str | None, typer.Option(metavar="NAME", help="Only this judge.")] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Labels as JSON lines, instead of table annotations."),
    ] = None,
    verdicts: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Verdicts as JSON lines, instead of table verdicts."),
    ] = None,
    min_kappa: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, metavar="KAPPA", help="The bar.", show_default="RAGPULSE_CALIBRATION__MIN_KAPPA"
        ),
    ] = None,
    min_labels: Annotated[
        int | None,
        typer.Option(
            min=10,
            metavar="N",
            help="Labelled traces, in each language, for a kappa that counts.",
            show_default="RAGPULSE_CALIBRATION__MIN_LABELS",
        ),
    ] = None,
    between_judges: Annotated[
        bool, typer.Option("--between-judges", help="Compare judges with each other instead.")
    ] = False,
    sheet: Annotated[
        int | None,
        typer.Option(
            min=1, max=5000, metavar="N", help="Draw a blinded sheet of so many traces instead; 200 is usual."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="With --sheet: write PATH.csv and PATH.jsonl.", show_default="<sheet>"
        ),
    ] = None,
    unjudged: Annotated[
        bool, typer.Option("--unjudged", help="With --sheet: draw from all scored traces, judged or not.")
    ] = False,
    import_: Annotated[
        Path | None,
        typer.Option("--import", metavar="FILE", help="Store the labels of a sheet that came back instead."),
    ] = None,
    annotator: Annotated[
        str | None,
        typer.Option(metavar="NAME", callback=require_name, help="With --import: who filled it in."),
    ] = None,
    weight: Annotated[
        float, typer.Option(min=0.01, max=100, metavar="W", help="With --import: what their word weighs.")
    ] = 1.0,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Of intervals and of sheets: the same gives the same.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """How far judges agree with people: Cohen's kappa with its interval, by language and class.

    Labels are in table annotations, verdicts in table verdicts; either may come from files. A judge that
    is below the bar in a language, or has too few labels there, is uncalibrated: its verdicts are kept
    and shown, and correct no rates. Kappa falls where nearly everything is of one class; raw agreement,
    Gwet's AC1 and the prevalence-adjusted kappa are printed beside it.

    Labels come about with --sheet: traces of every class, language and degree of doubt, shuffled, without
    verdicts or scores, once for a spreadsheet (CSV) and once for tools (JSON lines). What annotators send
    back is stored with --import; a row that cannot be read is named with its line, the others are stored.

    \b
    Examples:
      ragpulse calibrate --sheet 200 --since 14d --out sheets/december
      ragpulse calibrate --import sheets/december-li.csv --annotator li
      ragpulse calibrate --since 14d
      ragpulse calibrate --labels labels.jsonl --verdicts verdicts.jsonl --json
      ragpulse calibrate --between-judges --since 7d

    Exit code: 0; 1 a judge is uncalibrated, nothing can be compared, or rows of a sheet are broken;
    2 usage; 3 the store cannot be reached.
    """
    settings = load_settings()
    period = _period(since, until, app)
    if sum((between_judges, sheet is not None, import_ is not None)) > 1:
        raise typer.BadParameter("one at a time", param_hint="--between-judges, --sheet, --import")
    if import_ is not None:
        _import(settings, import_, annotator, weight, as_json)
    elif sheet is not None:
        _sheet(settings, period, sheet, out, judge or "", unjudged, seed, as_json)
    else:
        from judges.calibration.calibrate import Bar
        from stream.calibrate.run import Sources

        sources = Sources(period, labels or (), verdicts or (), judge or "")
        chosen = settings.calibration
        bar = Bar(
            chosen.min_kappa if min_kappa is None else min_kappa,
            chosen.min_labels if min_labels is None else min_labels,
        )
        if between_judges:
            _between(settings, sources, seed, as_json)
        else:
            _against_people(settings, sources, bar, seed, as_json)


def _against_people(settings: Settings, sources: Sources, bar: Bar, seed: int, as_json: bool) -> None:
    from stream.calibrate.run import calibrate_judges
    from stream.calibrate.show import calibration_lines

    client = None if sources.labels and sources.verdicts else _open(settings)
    try:
        found, stored = calibrate_judges(client, sources, bar, seed=seed, now=datetime.now(UTC))
    finally:
        if client is not None:
            client.close()
    if as_json:
        print_json(_facts(found, bar, stored))
    else:
        for line in calibration_lines(found, bar):
            print(line)
    if not found.measured:
        note("Nothing can be compared: no trace has both a label and a verdict. Begin with --sheet 200.")
        raise typer.Exit(FINDING)
    below = {str(one.key) for one in found.findings()}
    for name in sorted(below):
        note(f"uncalibrated, so that its verdicts correct no rates: {name}")
    if below:
        raise typer.Exit(FINDING)


def _facts(found: Calibration, bar: Bar, stored: int) -> dict[str, Any]:
    return {
        "min_kappa": bar.min_kappa,
        "min_labels": bar.min_labels,
        "stored": stored,
        "judges": [one.as_dict() for one in found.measured],
        "people": {
            name: {
                "traces": len(truth.values),
                "annotators": truth.annotators,
                "undecided": truth.undecided,
                "alpha": truth.alpha.as_dict(),
            }
            for name, truth in found.people.items()
        },
        "left_out": {reason: count for reason, count in found.left_out.items() if count},
    }


def _between(settings: Settings, sources: Sources, seed: int, as_json: bool) -> None:
    from stream.calibrate.run import compare_stored_judges
    from stream.calibrate.show import between_lines

    client = None if sources.verdicts else _open(settings)
    try:
        found = compare_stored_judges(client, sources, seed=seed)
    finally:
        if client is not None:
            client.close()
    if as_json:
        print_json({"between": [one.as_dict() for one in found]})
    else:
        for line in between_lines(found):
            print(line)
    if not found:
        note("Nothing can be compared: no trace was judged by two judges in this period.")
        raise typer.Exit(FINDING)


def _sheet(
    settings: Settings,
    period: Period,
    size: int,
    out: Path | None,
    judge: str,
    unjudged: bool,
    seed: int,
    as_json: bool,
) -> None:
    from judges.calibration.strata import strata_of
    from stream.calibrate.sheet import draw_sheet
    from stream.calibrate.sheet_files import refuse_taken, write_sheet

    if out is not None:
        refuse_taken(out)
    client = _open(settings)
    try:
        sheet = draw_sheet(client, period, size, seed, datetime.now(UTC), judge=judge, unjudged=unjudged)
    finally:
        client.close()
    table, lines = write_sheet(sheet.items, out or Path(sheet.name))
    strata = strata_of(sheet.drawn)
    if as_json:
        print_json(
            {
                "sheet": sheet.name,
                "items": len(sheet.items),
                "population": sheet.population,
                "strata": strata,
                "files": [str(table), str(lines)],
            }
        )
        return
    note(f"{len(sheet.items):,} of {sheet.population:,} traces, from {len(strata)} kinds: {table}, {lines}")
    if len(sheet.items) < size:
        note(f"fewer than the {size:,} asked for: there are no more in this period")
    note(f"when it comes back: ragpulse calibrate --import {table} --annotator NAME")


def _import(settings: Settings, path: Path, annotator: str | None, weight: float, as_json: bool) -> None:
    from stream.calibrate.import_sheet import import_sheet

    name = (annotator or "").strip()
    if not name:
        raise typer.BadParameter("say who filled in the sheet", param_hint="--annotator")
    client = _open(settings)
    try:
        done = import_sheet(client, path, name, weight, datetime.now(UTC))
    finally:
        client.close()
    if as_json:
        broken = [{"line": one.line, "why": one.why} for one in done.broken]
        print_json({"stored": done.stored, "blank": done.blank, "broken": broken})
    else:
        note(f"{done.stored:,} labels of {name} stored; {done.blank:,} items left blank")
        for one in done.broken[:_BROKEN_SHOWN]:
            note(f"{path}, line {one.line}: {one.why}")
        if len(done.broken) > _BROKEN_SHOWN:
            note(f"… and {len(done.broken) - _BROKEN_SHOWN:,} more")
    if done.broken:
        raise typer.Exit(FINDING)


def _open(settings: Settings) -> ClickHouse:
    from sinks.clickhouse.migrate import require_schema
    from stream.sink.main import open_store

    client = open_store(settings)
    try:
        require_schema(client)
    except BaseException:
        client.close()
        raise
    return client


def _period(since: str, until: str | None, app: str | None) -> Period:
    from stream.distill.from_store import Period

    now = datetime.now(UTC)
    begin, end = parse_since(since, now), parse_since(until, now) if until else now
    if begin >= end:
        raise typer.BadParameter(f"the period ends ({end:%F %T}) before it begins ({begin:%F %T})")
    return Period(begin, end, app)


__all__ = ["calibrate"]
