"""A small line with its band: how a rate went, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from console.drawing.axis import Scale, round_top
from console.drawing.svg import Svg, decoration, element, path
from console.figures import Figure


@dataclass(frozen=True, slots=True)
class Point:
    """What was measured in a stretch of time that is named by its middle, in seconds."""

    at: float
    figure: Figure


Run = list[tuple[float, float, float, float]]
"""Points without a gap between them: when, value, low, high."""


def draw_spark(
    points: Sequence[Point], since: float, until: float, *, width: int = 140, height: int = 28
) -> Svg:
    """A line with the band of its intervals; stretches in which nothing was measured are gaps.

    It repeats the figure that stands beside it, so it has no label of its own.
    """
    top = round_top(edge for run in runs(points) for _, _, _, edge in run)
    x, y = Scale(since, until, 1, width - 1), Scale(0, top, height - 2, 2)
    drawn: list[Svg] = [
        element("line", class_="axis", x1=0, y1=height - 1.5, x2=width, y2=height - 1.5),
    ]
    for run in runs(points):
        drawn.extend(draw_run(run, x, y))
    return decoration(width, height, *drawn, class_="spark")


def draw_run(run: Run, x: Scale, y: Scale) -> Iterator[Svg]:
    """Band and line of points without a gap; a point alone is a dot with a bar."""
    if len(run) == 1:
        at, value, low, high = run[0]
        yield element("line", class_="bar", x1=x(at), y1=y(low), x2=x(at), y2=y(high))
        yield element("circle", class_="dot", cx=x(at), cy=y(value), r=2)
        return
    edge = [(x(at), y(high)) for at, _, _, high in run]
    back = [(x(at), y(low)) for at, _, low, _ in reversed(run)]
    yield element("path", class_="band", d=path([*edge, *back], closed=True))
    yield element("path", class_="line", d=path((x(at), y(value)) for at, value, _, _ in run))


def runs(points: Sequence[Point]) -> Iterator[Run]:
    """The points that were measured, cut where one was not."""
    run: Run = []
    for point in points:
        figure = point.figure
        if figure.value is None:
            if run:
                yield run
            run = []
            continue
        low = figure.value if figure.low is None else figure.low
        high = figure.value if figure.high is None else figure.high
        run.append((point.at, figure.value, low, high))
    if run:
        yield run


__all__ = ["Point", "draw_run", "draw_spark", "runs"]
