"""How much of a whole, as a bar in a bar."""

from __future__ import annotations

from console.drawing.svg import Svg, decoration, element


def draw_meter(part: float, whole: float, *, width: int = 400, height: int = 14) -> Svg:
    """The numbers stand beside it in words. Something is never drawn as nothing."""
    share = min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0
    drawn = [element("rect", class_="whole", x=0, y=0, width=width, height=height, rx=3)]
    if share > 0:
        wide = max(2.0, share * width)
        drawn.append(element("rect", class_="part", x=0, y=0, width=wide, height=height, rx=3))
    return decoration(width, height, *drawn, class_="meter")


__all__ = ["draw_meter"]
