"""The command `ragpulse`. Each command imports what it needs when it runs: `--help` is quick."""

from __future__ import annotations

import typer

from stream.cli import (
    annotate,
    calibrate,
    console,
    dead,
    demo,
    distill,
    doctor,
    gate,
    golden,
    judge,
    processes,
    release,
    report,
    rescore,
    scorer,
    traces,
    watch,
)
from stream.cli.shell import run

_HELP = """Online monitor for production RAG: scores every trace, explains each failure.

Traces come from Kafka, scores go to ClickHouse. To see it work on this machine alone:

\b
  ragpulse demo

To use it with your own broker and store (settings: RAGPULSE_* variables or ragpulse.toml):

\b
  ragpulse doctor        checks the configuration and says what to do
  ragpulse migrate       creates the tables
  ragpulse worker        scores what arrives (start as many as you like)
  ragpulse sink          stores what was scored
  ragpulse watch         finds what changed, and tells you
  ragpulse console       the web page: live, incidents, cases, labels
  ragpulse judge         has a sample judged by LLMs, within a budget

\b
Exit codes of all commands: 0 fine, 1 a finding, 2 usage, 3 a service cannot be reached.
"""

app = typer.Typer(
    name="ragpulse",
    help=_HELP,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"ragpulse {version('ragpulse')}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    pass


app.command(short_help="Everything on this machine, embedded: simulated traffic, judged live.")(demo.demo)
app.command(short_help="Traces from a file to Kafka.")(traces.publish)
app.command(short_help="Traces from a file as ragpulse sees them; no broker needed.")(traces.convert)
app.command(short_help="Traces from a file, scored to JSON lines; no broker needed.")(traces.score)
app.command(short_help="The process that scores what arrives.")(processes.worker)
app.command(short_help="The process that has sampled traces judged by LLMs.")(judge.judge)
app.command(short_help="The process that stores what was scored.")(processes.sink)
app.command(short_help="The process that finds incidents and tells of them.")(watch.watch)
app.command(short_help="The web page: live, incidents, cases, and the annotation queue.")(console.console)
app.command(short_help="Verdicts, sent back to OTLP, Langfuse or Phoenix.")(processes.export)
app.command(short_help="A past period under another scorer, beside the scores it has.")(rescore.rescore)
app.command(short_help="A new scorer from what people and judges said of traces.")(distill.distill)
app.command(short_help="A candidate on a golden set: passed, or blocked and why.")(gate.gate)
app.command(short_help="How far judges agree with people, and sheets for annotators.")(calibrate.calibrate)
app.add_typer(annotate.app, name="annotate", short_help="Cases worth a person's time, and their labels.")
app.add_typer(golden.app, name="golden", short_help="Golden sets: what people agreed on, by version.")
app.add_typer(scorer.app, name="scorer", short_help="Scorers: list them, try one, let one serve.")
app.add_typer(release.app, name="release", short_help="Release marks: say what was released, list it.")
app.add_typer(report.app, name="report", short_help="The week, gaps in the documents, and releases.")
app.command(short_help="Create or upgrade the ClickHouse schema.")(processes.migrate)
app.add_typer(dead.app, name="dead", short_help="Dead letters: list them, send them back.")
app.command(short_help="Check configuration and connections; say what to do.")(doctor.doctor)


def main() -> int:
    """Run `ragpulse`; returns the exit code."""
    return run(app)


__all__ = ["app", "main"]
