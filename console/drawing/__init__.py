"""Pictures as SVG text, made on the server: pure functions, numbers in, markup out.

Colours come from the style sheet by class name, so that light and dark need no other picture; a shape, a
pattern or a letter always says the same as the colour. Every picture carries a label for those who do not
see it.
"""

from console.drawing.axis import Mark
from console.drawing.bars import Bar, draw_bars
from console.drawing.columns import Column, draw_columns
from console.drawing.interval import draw_interval
from console.drawing.spark import Point, draw_spark
from console.drawing.timeline import draw_timeline

__all__ = [
    "Bar",
    "Column",
    "Mark",
    "Point",
    "draw_bars",
    "draw_columns",
    "draw_interval",
    "draw_spark",
    "draw_timeline",
]
