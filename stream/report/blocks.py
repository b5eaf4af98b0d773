"""What a report is made of, whatever it is written as: tiles, tables, texts, pictures. Pure.

Every text is a plain string and may come from anybody: whoever writes it down (`as_html.py`,
`as_markdown.py`) escapes it, without exception. Pictures alone are markup, and are made by `console.drawing`,
which escapes too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from console.drawing.svg import Svg

Tone = Literal["", "bad", "good", "quiet"]


@dataclass(slots=True, frozen=True)
class Cell:
    """One cell of a table."""

    text: str
    tone: Tone = ""
    more: tuple[str, ...] = ()
    """Further lines, smaller."""
    picture: Svg | None = None
    """Repeats what the text says; where pictures cannot be, `letters` take its place."""
    letters: str = ""


@dataclass(slots=True, frozen=True)
class Table:
    """Rows of cells; a string is a cell of its own."""

    head: tuple[str, ...]
    rows: Sequence[Sequence[Cell | str]]
    right: frozenset[int] = frozenset()
    """Columns of numbers."""


@dataclass(slots=True, frozen=True)
class Tile:
    """One number that is seen first."""

    name: str
    value: str
    detail: str = ""
    tone: Tone = ""


@dataclass(slots=True, frozen=True)
class Tiles:
    """Some of them, side by side."""

    tiles: tuple[Tile, ...]


@dataclass(slots=True, frozen=True)
class Text:
    """A paragraph."""

    text: str
    tone: Tone = ""


@dataclass(slots=True, frozen=True)
class Picture:
    """A picture with what its colours stand for (look by name, and name). Left out where there are none."""

    svg: Svg
    legend: tuple[tuple[str, str], ...] = ()


Block = Table | Tiles | Text | Picture


@dataclass(slots=True, frozen=True)
class Section:
    """Blocks under a heading."""

    heading: str
    blocks: Sequence[Block]


@dataclass(slots=True, frozen=True)
class Page:
    """A whole report."""

    title: str
    language: str
    """`en` or `zh`."""
    lead: Sequence[Block] = ()
    """Before the first heading."""
    sections: Sequence[Section] = ()
    foot: Sequence[str] = field(default=())
    """How to read it."""


BARS: Final = "▁▂▃▄▅▆▇█"


def as_letters(values: Sequence[float]) -> str:
    """A course as letters, the highest as a full one; nothing where nothing is above 0."""
    top = max(values, default=0.0)
    if top <= 0:
        return ""
    return "".join(BARS[min(len(BARS) - 1, int(value / top * len(BARS)))] for value in values)


__all__ = [
    "Block", "Cell", "Page", "Picture", "Section", "Table", "Text", "Tile", "Tiles", "Tone", "as_letters",
]  # fmt: skip
