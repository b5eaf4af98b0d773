"""Parts of a whole over time: one column a stretch of time, its parts stacked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from console.drawing.axis import Scale, percent, round_top, ticks
from console.drawing.bars import Bar
from console.drawing.svg import Svg, element, hint, picture, words

_LEFT: Final = 44
_FOOT: Final = 20
_HEAD: Final = 8
_HALF: Final = 20
"""Of a time below the picture: nearer to the edge it would be cut off."""


@dataclass(frozen=True, slots=True)
class Column:
    """A stretch of time from `at` on, in seconds: its parts, in order from the foot up, and the whole that
    they are parts of (which may be more than they sum to)."""

    at: float
    whole: float
    parts: tuple[Bar, ...]


def draw_columns(
    columns: Sequence[Column],
    since: float,
    until: float,
    step: float,
    label: str,
    *,
    width: int = 860,
    height: int = 170,
) -> Svg:
    """Shares, stacked. A stretch without any traffic is left empty, which is not the same as a column of
    height 0: that one has a foot."""
    shares = [sum(part.amount for part in c.parts) / c.whole for c in columns if c.whole > 0]
    top = round_top(shares)
    x, y = Scale(since, until, _LEFT, width - 4), Scale(0, top, height - _FOOT, _HEAD)
    drawn = [*draw_grid(top, x, y, since, until, width, height)]
    wide = max(1.0, x(since + step) - x(since) - 1)
    for column in columns:
        if column.whole > 0:
            drawn.extend(_draw_column(column, x(column.at), wide, y))
    return picture(width, height, label, *drawn, class_="columns")


def draw_grid(
    top: float, x: Scale, y: Scale, since: float, until: float, width: int, height: int
) -> Iterator[Svg]:
    """Lines and numbers behind a chart of shares over time."""
    for step in range(3):
        value = top * step / 2
        yield element("line", class_="grid", x1=_LEFT, y1=y(value), x2=width - 4, y2=y(value))
        yield element("text", words(percent(value)), class_="tick y", x=_LEFT - 6, y=y(value) + 4)
    for at, name in ticks(since, until):
        yield element("line", class_="grid", x1=x(at), y1=height - _FOOT, x2=x(at), y2=height - _FOOT + 4)
        last = " last" if x(at) > width - _HALF else ""
        yield element("text", words(name), class_=f"tick x{last}", x=x(at), y=height - 4)


def _draw_column(column: Column, left: float, wide: float, y: Scale) -> Iterator[Svg]:
    yield element("rect", class_="foot", x=left, y=y(0), width=wide, height=1.5)
    below = 0.0
    for part in column.parts:
        if part.amount <= 0:
            continue
        above = below + part.amount / column.whole
        said = hint(
            f"{part.name}: {part.amount:,.0f} / {column.whole:,.0f} ({part.amount / column.whole:.1%})"
        )
        place = {"x": left, "y": y(above), "width": wide, "height": y(below) - y(above)}
        yield element("rect", said, class_=f"part k-{part.kind}", **place)
        below = above


__all__ = ["Column", "draw_columns", "draw_grid"]
