"""`ragpulse report gaps`: what the documents lack."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from stream.cli.report_output import Language, ReportFormat, ReportLanguage, ReportOut, made, write
from stream.cli.rescore import read_period
from stream.cli.shell import load_settings, note, print_json, said_if_slow


def report_gaps(
    of_app: Annotated[
        str | None, typer.Option("--app", metavar="APP", help="Only traces of this app.")
    ] = None,
    since: Annotated[
        str, typer.Option(metavar="WHEN", help="Questions from when: an ISO time, or an age such as 90m, 7d.")
    ] = "7d",
    until: Annotated[str | None, typer.Option(metavar="WHEN", help="To when; now, unless given.")] = None,
    top: Annotated[int, typer.Option(min=1, max=1_000, metavar="N", help="Gaps that are listed.")] = 30,
    embed: Annotated[
        bool,
        typer.Option("--embed", help="Let languages meet by the judge's embedding model as well; it costs."),
    ] = False,
    language: ReportLanguage = Language.EN,
    form: ReportFormat = None,
    out: ReportOut = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, with all gaps.")] = False,
) -> None:
    """The list for whoever writes documents: unanswered questions, those about the same thing together.

    A question is unanswered where the search found nothing, or where the model rightly declined over what it
    found. Each gap has questions that stand for it, how often and in how many conversations it was asked, its
    share of the traffic and its trend, languages and apps. Chinese and English questions meet where they name
    the same things. Names, numbers and keys of people are taken out.

    \b
    Examples:
      ragpulse report gaps
      ragpulse report gaps --since 30d --app helpdesk --language zh
      ragpulse report gaps --out gaps.html

    Exit code: 0; 2 usage; 3 the store cannot be reached.
    """
    from judges.clustering import find_gaps
    from judges.redaction import redact
    from sinks.clickhouse.migrate import require_schema
    from sinks.clickhouse.unanswered import read_unanswered
    from stream.cli.report import patient
    from stream.report.apps import say_apps
    from stream.report.embedding import embedder_of
    from stream.report.gaps import gaps_facts, gaps_page
    from stream.report.words import Words
    from stream.sink.main import open_store

    period = read_period(since, until, of_app)
    settings = patient(load_settings())
    vectors = embedder_of(settings.judge) if embed else None
    client = open_store(settings)
    try:
        require_schema(client)
        with said_if_slow("reading questions: many thousands take some seconds"):
            asked = read_unanswered(client, period.since, period.until, of_app)
        if of_app is not None and not sum(asked.traffic):
            note(say_apps(client, of_app))
    finally:
        client.close()
    found = find_gaps(asked, lambda text: redact(text).text, embed=vectors)
    if as_json:
        print_json(gaps_facts(found, of_app))
        return
    say = Words(language.value)
    write(gaps_page(found, of_app, say, top, made(say, datetime.now(UTC))), form, out)


__all__ = ["report_gaps"]
