"""A report as one HTML file: it loads nothing, runs nothing, looks like the console, and is fit to print."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

from console import drawing
from stream.report.blocks import Block, Cell, Page, Picture, Section, Table, Text, Tile, Tiles, Tone
from stream.terminal import printable

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""No script runs and nothing is fetched, whatever a question holds."""
_SHORT: Final = 28
_LANGUAGES: Final = {"en": "en", "zh": "zh-Hans"}


def as_html(page: Page) -> str:
    """The whole file."""
    return "".join(_page(page))


def _page(page: Page) -> Iterator[str]:
    yield f'<!doctype html>\n<html lang="{_LANGUAGES[page.language]}">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{_said(page.title)}</title>\n<style>\n{_style()}</style>\n</head>\n"
    yield f'<body class="report">\n<main>\n<h1>{_said(page.title)}</h1>\n'
    for block in page.lead:
        yield from _block(block)
    for section in page.sections:
        yield from _section(section)
    yield "<footer>\n"
    for line in page.foot:
        yield f"<p>{_said(line)}</p>\n"
    yield "</footer>\n</main>\n</body>\n</html>\n"


def _section(section: Section) -> Iterator[str]:
    yield f'<section class="panel">\n<h2>{_said(section.heading)}</h2>\n'
    for block in section.blocks:
        yield from _block(block)
    yield "</section>\n"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Text():
            yield f"<p{_class(block.tone)}>{_said(block.text)}</p>\n"
        case Tiles():
            yield '<dl class="tiles">\n'
            yield from (_tile(tile) for tile in block.tiles)
            yield "</dl>\n"
        case Picture():
            yield from _picture(block)
        case Table():
            yield from _table(block)


def _tile(tile: Tile) -> str:
    look = "tile tile-bad" if tile.tone == "bad" else "tile"
    detail = f' <span class="muted">{_said(tile.detail)}</span>' if tile.detail else ""
    return (
        f'<div class="{look}"><dt>{_said(tile.name)}</dt>'
        f'<dd><span class="big num">{_said(tile.value)}</span>{detail}</dd></div>\n'
    )


def _picture(picture: Picture) -> Iterator[str]:
    yield f"<figure>{picture.svg}"
    if picture.legend:
        names = "".join(
            f'<li><span class="swatch k-{escape(kind)}"></span>{_said(name)}</li>'
            for kind, name in picture.legend
        )
        yield f'<ul class="legend">{names}</ul>'
    yield "</figure>\n"


def _table(table: Table) -> Iterator[str]:
    right = [' class="r"' if number in table.right else "" for number in range(len(table.head))]
    yield '<div class="scrolls"><table class="dense stacks">\n<thead><tr>'
    yield from (
        f'<th scope="col"{look}>{_said(name)}</th>' for look, name in zip(right, table.head, strict=True)
    )
    yield "</tr></thead>\n<tbody>\n"
    for row in table.rows:
        yield "<tr>"
        for number, (look, cell) in enumerate(zip(right, row, strict=True)):
            # On a narrow screen a row is a stack, in which each cell says what it is: but for the first.
            label = f' data-label="{_said(table.head[number])}"' if number else ""
            yield f"<td{look}{label}>{_cell(cell if isinstance(cell, Cell) else Cell(cell))}</td>"
        yield "</tr>\n"
    yield "</tbody></table></div>\n"


def _cell(cell: Cell) -> str:
    text = _said(cell.text)
    shown = f"<span{_class(cell.tone)}>{text}</span>" if cell.tone else text
    if cell.picture is not None:
        shown = f'<span class="with-picture">{cell.picture}{shown}</span>'
    return shown + "".join(f"<br><small{_width(line)}>{_said(line)}</small>" for line in cell.more)


def _width(line: str) -> str:
    """Numbers with their interval are not torn apart."""
    return ' class="short"' if len(line) <= _SHORT else ""


def _class(tone: Tone) -> str:
    return f' class="tone-{tone}"' if tone else ""


def _said(text: str) -> str:
    """Text of whomever: one line, no character that is not seen, and no markup."""
    return escape(printable(text))


@cache
def _style() -> str:
    """The console's style sheet, then what a page of paper wants."""
    console = Path(drawing.__file__).parents[1]
    sheets = (console / "static" / "console.css", Path(__file__).with_name("report.css"))
    return "\n".join(sheet.read_text("utf-8") for sheet in sheets)


__all__ = ["as_html"]
