"""Parts of a whole side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from console.drawing.svg import Svg, element, hint, picture, words

_LETTER_PX = 14
"""A part that is narrower has no room for its sign."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One part: how much, its look by name, its name for people, and the sign that stands for it."""

    amount: float
    kind: str
    name: str
    sign: str


def draw_bars(bars: Sequence[Bar], label: str, *, width: int = 640, height: int = 22) -> Svg:
    """The parts in order, each with its sign where it has room; an empty whole is an empty frame."""
    whole = sum(max(bar.amount, 0.0) for bar in bars)
    drawn: list[Svg] = []
    left = 0.0
    for bar in bars:
        wide = width * max(bar.amount, 0.0) / whole if whole > 0 else 0.0
        if wide <= 0:
            continue
        said = hint(f"{bar.name}: {bar.amount:,.0f} ({bar.amount / whole:.1%})")
        drawn.append(
            element("rect", said, class_=f"part k-{bar.kind}", x=left, y=0, width=wide, height=height)
        )
        if wide >= _LETTER_PX:
            place = {"x": left + wide / 2, "y": height / 2 + 4.5}
            drawn.append(element("text", words(bar.sign), class_=f"sign s-{bar.kind}", **place))
        left += wide
    frame = element("rect", class_="frame", x=0.5, y=0.5, width=width - 1, height=height - 1)
    return picture(width, height, label, *drawn, frame, class_="bars")


__all__ = ["Bar", "draw_bars"]
