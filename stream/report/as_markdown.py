"""A report as Markdown: for a terminal, a ticket or a chat. Pictures are left out or stand as letters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from stream.report.blocks import Block, Cell, Page, Picture, Table, Text, Tiles, Tone
from stream.terminal import printable

_MARKS: Final = re.compile(r"([\\`*_~|$])|(?<=\])([(\[:])|(?<=!)(\[)")
_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
"""Not every reader of Markdown knows a backslash before these."""
_LINKS: Final = re.compile(r"(?i)(?<=\w)(@)(?=\w)|(:)(?=//)|(?<=www)(\.)")
_STARTS: Final = re.compile(r"^(#{1,6}|[-+=]|\d{1,9}[.)])(?=\s|$)")


def as_markdown(page: Page) -> str:
    """The whole report, with a line at its end."""
    return "\n".join(_page(page)).rstrip() + "\n"


def escaped(text: str) -> str:
    """Text of whomever as one line that is nothing but itself: no link, no picture, no HTML, no emphasis."""
    one_line = _MARKS.sub(lambda match: "\\" + match[0], printable(text)).translate(_ENTITIES)
    return _LINKS.sub(lambda match: "\\" + match[0], one_line)


def _page(page: Page) -> Iterator[str]:
    yield f"# {escaped(page.title)}"
    yield ""
    for block in page.lead:
        yield from _block(block)
    for section in page.sections:
        yield f"## {escaped(section.heading)}"
        yield ""
        for block in section.blocks:
            yield from _block(block)
    for line in page.foot:
        yield _paragraph(line)
        yield ""


def _block(block: Block) -> Iterator[str]:
    match block:
        case Text():
            yield _toned(_paragraph(block.text), block.tone)
        case Tiles():
            for tile in block.tiles:
                detail = f" {escaped(tile.detail)}" if tile.detail else ""
                yield f"- {escaped(tile.name)}: {_toned(escaped(tile.value), tile.tone)}{detail}"
        case Picture():
            return
        case Table():
            yield f"| {' | '.join(escaped(name) for name in block.head)} |"
            yield f"|{'|'.join('---:' if n in block.right else '---' for n in range(len(block.head)))}|"
            for row in block.rows:
                yield f"| {' | '.join(_cell(cell) for cell in row)} |"
    yield ""


def _cell(cell: Cell | str) -> str:
    if isinstance(cell, str):
        return escaped(cell)
    lines = [_toned(escaped(cell.text), cell.tone), *(escaped(line) for line in cell.more)]
    shown = "<br>".join(line for line in lines if line)
    return f"{cell.letters} {shown}".strip()


def _toned(text: str, tone: Tone) -> str:
    return f"**{text}**" if text and tone == "bad" else text


def _paragraph(text: str) -> str:
    """A line that is no heading and no list, whatever it begins with."""
    return _STARTS.sub(lambda match: "\\" + match[0], escaped(text))


__all__ = ["as_markdown", "escaped"]
