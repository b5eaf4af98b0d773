"""A rate over time with its band, what is usual, and the moments that matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from console.drawing.axis import Mark, Scale, round_top
from console.drawing.columns import draw_grid
from console.drawing.spark import Point, draw_run, runs
from console.drawing.svg import Svg, element, hint, path, picture, words

_LEFT: Final = 44
_FOOT: Final = 20
_LINES: Final = 3
_LINE: Final = 14
_HEAD: Final = _LINES * _LINE + 8
_LETTER: Final = 7.5
"""Width of a letter in pixels, about; Chinese ones take nearly two of it."""


def draw_timeline(
    points: Sequence[Point],
    usual: Sequence[tuple[float, float]],
    marks: Sequence[Mark],
    since: float,
    until: float,
    label: str,
    *,
    width: int = 760,
    height: int = 250,
) -> Svg:
    """`usual`: moment and rate; drawn dashed. Marks are lines across with their name at the top."""
    edges = [edge for run in runs(points) for _, _, _, edge in run]
    top = round_top([*edges, *(value for _, value in usual)])
    x, y = Scale(since, until, _LEFT, width - 4), Scale(0, top, height - _FOOT, _HEAD)
    drawn = [*draw_grid(top, x, y, since, until, width, height)]
    for run in runs(points):
        drawn.extend(draw_run(run, x, y))
    if len(usual) > 1:
        drawn.append(element("path", class_="usual", d=path((x(at), y(value)) for at, value in usual)))
    drawn.extend(_draw_marks(marks, x, width, height, since, until))
    return picture(width, height, label, *drawn, class_="timeline")


def _draw_marks(
    marks: Sequence[Mark], x: Scale, width: int, height: int, since: float, until: float
) -> list[Svg]:
    """Names stand on the first line that has room for them; the last line takes what has none."""
    drawn, ends = [], [0.0] * _LINES
    for mark in sorted(marks, key=lambda mark: mark.at):
        if not since <= mark.at <= until:
            continue
        at, wide = x(mark.at), _LETTER * sum(2 if ord(letter) > 0x2E7F else 1 for letter in mark.text) + 8
        left = at if at + wide < width else at - wide
        line = next((row for row, end in enumerate(ends) if left >= end), _LINES - 1)
        ends[line] = left + wide
        where = {"x": left + 4, "y": 11.0 + _LINE * line}
        foot = height - _FOOT
        drawn += [
            element("line", hint(mark.text), class_=f"mark m-{mark.kind}", x1=at, y1=2, x2=at, y2=foot),
            element("text", words(mark.text), class_=f"named m-{mark.kind}", **where),
        ]
    return drawn


__all__ = ["draw_timeline"]
