"""`ragpulse report`: its commands, and `report release`: what changed with a release."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stream.cli.report_gaps import report_gaps
from stream.cli.report_output import Language, ReportFormat, ReportLanguage, ReportOut, made, write
from stream.cli.report_week import report_week
from stream.cli.rescore import read_period
from stream.cli.shell import FINDING, load_settings, note, print_json, said_if_slow
from stream.terminal import printable

if TYPE_CHECKING:
    from stream.settings import Settings

_PATIENCE_S: Final = 600.0

app = typer.Typer(
    help="Reports: the week, what the documents lack, and what changed with a release.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("gaps")(report_gaps)
app.command("week")(report_week)


class Part(StrEnum):
    """Parts of a release that traces name."""

    APP = "app"
    PROMPT = "prompt"
    INDEX = "index"
    EMBEDDING_MODEL = "embedding_model"
    RERANKER = "reranker"
    GENERATOR = "generator"


@app.callback()
def _reports() -> None:
    pass


@app.command("release")
def report_release(
    a: Annotated[str, typer.Argument(metavar="A", help="The value before, such as kb-1.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The value that is held against it, such as kb-2.")],
    part: Annotated[
        Part, typer.Option(metavar="PART", help=f"{', '.join(Part)}: what A and B are values of.")
    ],
    of_app: Annotated[
        str | None, typer.Option("--app", metavar="APP", help="Only traces of this app.")
    ] = None,
    since: Annotated[
        str, typer.Option(metavar="WHEN", help="Traces from when: an ISO time, or an age such as 90m, 7d.")
    ] = "30d",
    until: Annotated[str | None, typer.Option(metavar="WHEN", help="To when; now, unless given.")] = None,
    margin: Annotated[
        float,
        typer.Option(min=0, max=0.5, metavar="SHARE", help="A rise by less is not called worse."),
    ] = 0.005,
    language: ReportLanguage = Language.EN,
    form: ReportFormat = None,
    out: ReportOut = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Hold release B against release A: each rate with its interval, at the mix of traffic both have.

    Traces are compared within the same app, tenant, language, intent and hour of the day and under the same
    scorer, so that neither more traffic of a difficult kind nor another scorer is taken for a change of
    quality; what the mix alone does is a column of its own. Where the two have no tenant or hour in common,
    that is given up, and said. B is clearly worse in a measure where the whole interval of the difference,
    widened so that it holds for all measures together, lies beyond --margin.

    \b
    Examples:
      ragpulse report release kb-1 kb-2 --part index
      ragpulse report release p7 p8 --part prompt --app helpdesk --since 2d --json
      ragpulse report release kb-1 kb-2 --part index --language zh --out release.html

    Exit code: 0; 1 B is clearly worse in something, or nothing can be compared; 2 usage; 3 the store
    cannot be reached.
    """
    if a == b:
        raise typer.BadParameter("A and B are the same", param_hint="B")
    if math.isnan(margin):
        raise typer.BadParameter("nan is no share", param_hint="--margin")
    from sinks.clickhouse.migrate import require_schema
    from stream.report.compare import compare, is_comparable, is_worse
    from stream.report.read import read_releases, read_values
    from stream.report.release import release_page
    from stream.report.show import facts
    from stream.report.words import Words
    from stream.sink.main import open_store

    period = read_period(since, until, of_app)
    client = open_store(patient(load_settings()))
    try:
        require_schema(client)
        with said_if_slow("reading traces: a million take some seconds"):
            found = read_releases(client, part.value, a, b, period)
        missing = [release.value for release in (found.a, found.b) if not release.traces]
        others = read_values(client, part.value, period) if missing else {}
    finally:
        client.close()
    comparisons = compare(found.arms, margin)
    if as_json:
        print_json(facts(part.value, found, comparisons, period, margin))
    else:
        say = Words(language.value)
        page = release_page(part.value, found, comparisons, period, say, made(say, datetime.now(UTC)))
        write(page, form, out)
    if missing:
        known = (
            ", ".join(f"{printable(value)} ({traces:,})" for value, traces in others.items()) or "none at all"
        )
        note(f"no trace of this period has {part.value} {' or '.join(missing)}; there are: {known}")
    if is_worse(comparisons) or not is_comparable(comparisons):
        raise typer.Exit(FINDING)


def patient(settings: Settings) -> Settings:
    """Millions of traces may take longer to read than anybody else should wait for an answer."""
    timeout_s = max(settings.clickhouse.timeout_s, _PATIENCE_S)
    store = settings.clickhouse.model_copy(update={"timeout_s": timeout_s})
    return settings.model_copy(update={"clickhouse": store})


__all__ = ["Part", "app", "patient", "report_release"]
