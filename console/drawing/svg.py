"""Elements of SVG. Whatever is a text or an attribute is escaped here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NewType

Svg = NewType("Svg", str)
"""Markup that is safe to put on a page."""


def element(name: str, *children: Svg, **attributes: str | float | None) -> Svg:
    """One element. Underscores in attribute names stand for hyphens, a trailing one for a name that Python
    has taken (`class_`); an attribute that is null is left out."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(children)
    return Svg(f"<{name}{said}>{inner}</{name}>" if inner else f"<{name}{said}/>")


def words(text: str) -> Svg:
    """A text between elements."""
    return Svg(escape(text))


def joined(parts: Iterable[Svg]) -> Svg:
    """One after the other."""
    return Svg("".join(parts))


def picture(width: float, height: float, label: str, *children: Svg, class_: str) -> Svg:
    """The whole picture, scaled by the style sheet, with what it says in words."""
    return element(
        "svg",
        *children,
        class_=class_,
        viewBox=f"0 0 {_text(width)} {_text(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
        focusable="false",
    )


def decoration(width: float, height: float, *children: Svg, class_: str) -> Svg:
    """A picture that only repeats what stands beside it in words."""
    return element(
        "svg",
        *children,
        class_=class_,
        viewBox=f"0 0 {_text(width)} {_text(height)}",
        width=width,
        height=height,
        aria_hidden="true",
        focusable="false",
    )


def hint(text: str) -> Svg:
    """What a pointer that rests on an element is told."""
    return element("title", words(text))


def path(points: Iterable[tuple[float, float]], *, closed: bool = False) -> str:
    """Straight lines through these points."""
    steps = [f"{_text(x)} {_text(y)}" for x, y in points]
    return "M" + "L".join(steps) + ("Z" if closed else "")


def _text(value: str | float) -> str:
    """A tenth of a pixel is more than anybody sees."""
    if isinstance(value, str):
        return value
    return f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


__all__ = ["Svg", "decoration", "element", "hint", "joined", "path", "picture", "words"]
