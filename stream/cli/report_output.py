"""Where a report goes, and as what."""

from __future__ import annotations

import sys
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stream.cli.shell import note, tolerate_closed_pipe

if TYPE_CHECKING:
    from stream.report.blocks import Page
    from stream.report.words import Words


class Language(StrEnum):
    """Of the report's own texts."""

    EN = "en"
    ZH = "zh"


class Format(StrEnum):
    """What a report is written as."""

    MARKDOWN = "markdown"
    HTML = "html"


ReportLanguage = Annotated[Language, typer.Option("--language", help="Of the report's own words.")]
ReportFormat = Annotated[
    Format | None,
    typer.Option(
        "--format", metavar="FORMAT", help="markdown or html; by the ending of --out, unless given."
    ),
]
ReportOut = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Where to write it; standard output, unless given."),
]


def write(page: Page, form: Format | None, out: Path | None) -> None:
    """Write a report down. HTML is one file that loads nothing. Raises FileProblem."""
    from stream.files.lines import FileProblem
    from stream.report.as_html import as_html
    from stream.report.as_markdown import as_markdown

    named = out is not None and out.suffix.lower() in (".html", ".htm")
    chosen = form or (Format.HTML if named else Format.MARKDOWN)
    text = as_html(page) if chosen is Format.HTML else as_markdown(page)
    if out is None:
        with tolerate_closed_pipe():
            sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileProblem(f"{out} cannot be written (--out): {error.strerror}.") from error
    note(f"written: {out}")


def made(say: Words, now: datetime) -> str:
    """When and by which version a report was made."""
    from importlib.metadata import version

    return say("made", at=f"{now:%Y-%m-%d %H:%M}", version=version("ragpulse"))


__all__ = ["Format", "Language", "ReportFormat", "ReportLanguage", "ReportOut", "made", "write"]
