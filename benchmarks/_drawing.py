"""Lines over time as SVG: panels one below the other that share the time axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from benchmarks._memory import Points

WIDTH, PANEL, LEFT, RIGHT, TOP, GAP, BOTTOM = 800, 190, 70, 150, 34, 44, 46
COLOURS = ("#2463a8", "#c0504d", "#3f8f4f", "#8a5aa8", "#b8862b")
MOST_POINTS = 600


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines with one scale, which begins at 0."""

    title: str
    lines: dict[str, Points]
    level: tuple[float, str] | None = None
    """A horizontal line, and what it means."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time to be shaded."""

    since: float
    until: float
    label: str = field(default="")


def draw(panels: Sequence[Panel], spans: Sequence[Span] = ()) -> str:
    """The picture. Times are seconds; the axis is in minutes where it is longer than three."""
    height = TOP + len(panels) * PANEL + (len(panels) - 1) * GAP + BOTTOM
    ends = [points[-1][0] for panel in panels for points in panel.lines.values() if points]
    last = max(ends, default=1.0) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="12"><rect width="{WIDTH}" height="{height}" fill="#fff"/>'
    ]
    for number, panel in enumerate(panels):
        parts.append(_panel(panel, TOP + number * (PANEL + GAP), last, spans))
    return "".join([*parts, _times(height - BOTTOM, last), "</svg>\n"])


def _panel(panel: Panel, top: float, last: float, spans: Sequence[Span]) -> str:
    values = [value for points in panel.lines.values() for _, value in points if math.isfinite(value)]
    most = 1.08 * max([*values, panel.level[0] if panel.level else 0.0]) or 1.0
    bottom = top + PANEL

    def y(value: float) -> float:
        return bottom - PANEL * min(value, most) / most

    parts = [_shade(span, top, last) for span in spans]
    step = _step(most)
    for tick in range(int(most / step) + 1):
        at = y(tick * step)
        parts.append(
            f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#e4e4e4"/>'
            f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{tick * step:,.10g}</text>'
        )
    if panel.level:
        at = y(panel.level[0])
        parts.append(
            f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#777" stroke-dasharray="5 4"/>'
            f'<text x="{WIDTH - RIGHT + 8}" y="{at + 4:.1f}" fill="#555">{escape(panel.level[1])}</text>'
        )
    for number, (name, points) in enumerate(panel.lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{_x(at, last):.1f},{y(value):.1f}" for at, value in _thin(points))
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
            f'<text x="{WIDTH - RIGHT + 8}" y="{top + 14 + 17 * number}" fill="{colour}">'
            f"{escape(name)}</text>"
        )
    parts.append(
        f'<path d="M{LEFT} {top}V{bottom}H{WIDTH - RIGHT}" fill="none" stroke="#555"/>'
        f'<text x="{LEFT}" y="{top - 8}" font-weight="bold">{escape(panel.title)}</text>'
    )
    return "".join(parts)


def _shade(span: Span, top: float, last: float) -> str:
    since, until = _x(span.since, last), _x(span.until, last)
    return (
        f'<rect x="{since:.1f}" y="{top}" width="{until - since:.1f}" height="{PANEL}" fill="#f1e3c8"/>'
        f'<text x="{since + 4:.1f}" y="{top + 14}" fill="#7a5a10">{escape(span.label)}</text>'
    )


def _times(y: float, last: float) -> str:
    unit, name = (60.0, "minutes") if last > 180 else (1.0, "seconds")
    step = _step(last / unit)
    ticks = "".join(
        f'<text x="{_x(tick * step * unit, last):.1f}" y="{y + 18}" text-anchor="middle">'
        f"{tick * step:,.10g}</text>"
        for tick in range(int(last / unit / step) + 1)
    )
    return f'{ticks}<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{y + 36}" text-anchor="middle">{name}</text>'


def _x(at: float, last: float) -> float:
    return LEFT + (WIDTH - RIGHT - LEFT) * max(0.0, at) / last


def _step(most: float) -> float:
    """A round number that goes four to ten times into `most`."""
    rough = most / 8
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)


def _thin(points: Points) -> Points:
    """At most about 600 points: of each stretch the highest, so that no peak is lost."""
    size = max(1, len(points) // MOST_POINTS)
    return [max(points[at : at + size], key=lambda point: point[1]) for at in range(0, len(points), size)]
