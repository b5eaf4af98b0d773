"""A value as a dot on its interval, all of one table on one scale, so that rows can be compared by eye."""

from __future__ import annotations

from console.drawing.axis import Scale
from console.drawing.svg import Svg, decoration, element
from console.figures import Figure


def draw_interval(
    figure: Figure,
    *,
    low: float = 0.0,
    high: float = 1.0,
    bar: float | None = None,
    width: int = 140,
    height: int = 16,
) -> Svg:
    """The interval as a line, the value as a dot; `bar` is a value that should be reached, drawn across.

    Nothing measured is a dashed line without a dot. The numbers stand beside it in words.
    """
    x, middle = Scale(low, high, 4, width - 4), height / 2
    drawn = [element("line", class_="axis", x1=4, y1=middle, x2=width - 4, y2=middle)]
    if low < 0 < high:
        drawn.append(element("line", class_="zero", x1=x(0), y1=1, x2=x(0), y2=height - 1))
    if bar is not None:
        drawn.append(element("line", class_="goal", x1=x(bar), y1=0, x2=x(bar), y2=height))
    if figure.value is None:
        return decoration(width, height, *drawn, class_="interval unmeasured")
    if figure.low is not None and figure.high is not None:
        left, right = x(figure.low), x(figure.high)
        drawn += [
            element("line", class_="bar", x1=left, y1=middle, x2=right, y2=middle),
            element("line", class_="end", x1=left, y1=middle - 3, x2=left, y2=middle + 3),
            element("line", class_="end", x1=right, y1=middle - 3, x2=right, y2=middle + 3),
        ]
    drawn.append(element("circle", class_="dot", cx=x(figure.value), cy=middle, r=3.5))
    return decoration(width, height, *drawn, class_="interval")


__all__ = ["draw_interval"]
