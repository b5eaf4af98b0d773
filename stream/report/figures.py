"""Numbers as reports write them: a rate with its interval and how many it is of, or not measured."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from console.drawing import draw_interval
from console.figures import known
from stream.report.blocks import Cell, Tone
from stream.report.words import Words


def percent(value: float | None, say: Words) -> str:
    """A share; as many places as tell it from its neighbours."""
    if value is None:
        return say("not_measured")
    return f"{value:.2%}" if 0 < abs(value) < 0.00995 else f"{value:.1%}"


def bounds(low: float | None, high: float | None) -> str:
    """An interval of a share, in per cent; nothing where there is none."""
    if low is None or high is None:
        return ""
    places = 2 if high < 0.00995 else 1
    return f"[{low * 100:.{places}f}, {high * 100:.{places}f}]"


def points(value: float) -> str:
    """A difference of shares, in points of a hundred."""
    return f"{round(value * 100, 1) + 0.0:+.1f}"


def count(number: float) -> str:
    """A whole number."""
    return f"{number:,.0f}"


def rate(
    value: float | None, low: float | None, high: float | None, say: Words, *,
    n: float | None = None, tone: Tone = "", top: float | None = None,
) -> Cell:  # fmt: skip
    """A share in a cell: its value, its interval, and on how many it was measured.

    `top`: the end of the scale on which it is drawn beside; nothing is drawn unless it is given.
    """
    if value is None:
        return Cell(say("not_measured"), "quiet", more=() if n is None else (f"n = {count(n)}",))
    drawn = None
    if top is not None:
        drawn = draw_interval(known(value, low, high, n or 0), low=0.0, high=top, width=90)
    said = bounds(low, high) if n is None else f"{bounds(low, high)} n = {count(n)}"
    return Cell(percent(value, say), tone, more=(said,) if said else (), picture=drawn)


def mix(counts: Mapping[str, int], say: Words, most: int = 4) -> str:
    """Counts by name, the most first: `zh 12, en 5`."""
    named = [f"{name or say('none')} {count(n)}" for name, n in list(counts.items())[:most]]
    return ", ".join((*named, *(["…"] if len(counts) > most else [])))


def minute(at: float) -> str:
    """A moment, to the minute."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"


def iso(at: float) -> str:
    """A moment as JSON has it."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


__all__ = ["bounds", "count", "iso", "minute", "mix", "percent", "points", "rate"]
