"""`ragpulse report week`: seven days, against the seven before."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from stream.cli.dead import parse_since
from stream.cli.report_output import Language, ReportFormat, ReportLanguage, ReportOut, made, write
from stream.cli.shell import load_settings, note, print_json, said_if_slow


def report_week(
    of_app: Annotated[
        str | None, typer.Option("--app", metavar="APP", help="Only traces of this app.")
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN", help="When the week ends: an ISO time, or an age such as 7d; now, else."
        ),
    ] = None,
    language: ReportLanguage = Language.EN,
    form: ReportFormat = None,
    out: ReportOut = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """The week in a page: what failed, where, and what changed against the week before.

    With incidents and releases, error budgets and how fast they burn, what was not measured and why, what
    judges cost and how far they agree, and the gaps that were asked about most. Each rate has its interval
    and how many traces it is of. As HTML it is one file with pictures that loads nothing: to mail, to print.

    \b
    Examples:
      ragpulse report week
      ragpulse report week --language zh --out week.html
      ragpulse report week --until 7d --app helpdesk --json

    Exit code: 0; 2 usage; 3 the store cannot be reached.
    """
    from judges.redaction import redact
    from sinks.clickhouse.migrate import require_schema
    from stream.cli.report import patient
    from stream.report.apps import say_apps
    from stream.report.week.facts import week_facts
    from stream.report.week.page import week_page
    from stream.report.week.read import read_week
    from stream.report.words import Words
    from stream.sink.main import open_store
    from stream.watch.records import Measure

    now = datetime.now(UTC)
    settings = patient(load_settings())
    budgets = {Measure(name): share for name, share in settings.watch.budgets.items()}
    client = open_store(settings)
    try:
        require_schema(client)
        with said_if_slow("reading traces: a million take some seconds"):
            end = parse_since(until, now) if until else now
            week = read_week(client, end, of_app, budgets, lambda text: redact(text).text)
        if of_app is not None and not week.counts:
            note(say_apps(client, of_app))
    finally:
        client.close()
    if as_json:
        print_json(week_facts(week))
        return
    say = Words(language.value)
    write(week_page(week, say, made(say, now)), form, out)


__all__ = ["report_week"]
