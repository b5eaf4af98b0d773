"""The page Live: rates with their intervals, what failed first, open incidents, the last failures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from fastapi import Response
from markupsafe import Markup

from console.drawing import Bar, Column, draw_columns, draw_interval, draw_spark
from console.figures import Figure, share
from console.queries.live import Live, read_choices, read_live
from console.queries.period import NAMES, period
from console.queries.rates import CLASSES, GOOD, MEASURES, Corrected, Counts, Rates
from console.queries.segment import segment
from console.rendering.templates import count
from console.routing import page_router
from console.security.roles import Role, allow
from console.visit import Visiting
from console.words import Words

router = page_router()
REFRESH_S: Final = 5
SIGNS: Final = {
    "healthy": "✓", "system_error": "!", "rewrite_failure": "↻", "empty_recall": "∅", "poor_retrieval": "≈",
    "over_refusal": "⊘", "hallucination": "✱",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One measure."""

    measure: str
    good: bool
    figure: Figure
    interval: Markup
    spark: Markup
    corrected: Corrected | None


@dataclass(frozen=True, slots=True)
class ClassRow:
    """One class."""

    name: str
    figure: Figure
    count: float


@router.get("/", name="live")
@allow(Role.VIEWER)
def show(visit: Visiting) -> Response:
    """The page; it asks for itself again and again, and takes over what changed."""
    chosen = visit.request.query_params
    asked, part = period(chosen.get("period"), visit.now), segment(chosen)
    live = read_live(visit.store, asked, part)
    whole = live.rates.whole
    return visit.page(
        "live.html",
        live=live,
        period=asked,
        period_names=NAMES,
        segment=part,
        choices=read_choices(visit.store, visit.now),
        rows=list(_rows(live.rates)),
        classes=list(_classes(whole)),
        chart=_chart(live.rates, visit.say),
        healthy=share(whole.of_class("healthy"), whole.seen),
        unseen=share(whole.by["unseen"], whole.by["traces"]),
        a_minute=_a_minute(live),
        age=_age(live, visit.now, visit.say),
        refresh_s=REFRESH_S,
    )


def _rows(rates: Rates) -> Iterator[Row]:
    for measure in MEASURES:
        figure = rates.whole.figure(measure)
        yield Row(
            measure=measure,
            good=measure in GOOD,
            figure=figure,
            interval=Markup(draw_interval(figure, width=90)),
            spark=Markup(draw_spark(rates.points(measure), rates.period.since, rates.period.until)),
            corrected=rates.corrected.get(measure),
        )


def _classes(whole: Counts) -> Iterator[ClassRow]:
    for name in CLASSES:
        count = whole.of_class(name)
        yield ClassRow(name, share(count, whole.seen), count)


def _chart(rates: Rates, say: Words) -> Markup:
    """Failures alone: what is healthy is the rest."""
    failures = CLASSES[1:]
    columns = [
        Column(
            step.at,
            step.seen,
            tuple(Bar(step.of_class(f), f, say.of("failure", f), SIGNS[f]) for f in failures),
        )
        for step in rates.steps
    ]
    said = ", ".join(
        f"{say.of('failure', name)} {100 * rates.whole.of_class(name) / rates.whole.seen:.1f} %"
        for name in failures
        if rates.whole.seen
    )
    asked = rates.period
    label = say("live.chart", said=said or say("shown.not_measured"))
    return Markup(draw_columns(columns, asked.since, asked.until, asked.step, label, width=520))


def _a_minute(live: Live) -> str:
    """Over the time from the first trace of the period on: a service that has just begun is not slow."""
    asked, steps = live.rates.period, live.rates.steps
    minutes = max(1.0, (asked.until - (steps[0].at if steps else asked.since)) / 60)
    rate = live.rates.whole.by["traces"] / minutes
    return count(rate) if rate >= 100 else f"{rate:.1f}"


def _age(live: Live, now: float, say: Words) -> str:
    if live.newest is None:
        return say("live.never")
    seconds = max(0, round(now - live.newest))
    if seconds < 120:
        return say("live.ago", s=seconds)
    if seconds < 7_200:
        return say("live.ago_min", m=seconds // 60)
    return say("live.ago_h", h=seconds // 3_600)


__all__ = ["router"]
