"""The page Judges: how far judges agree with people, and people with each other; the funnel; what it
costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fastapi import Response
from markupsafe import Markup

from console.drawing import draw_interval
from console.drawing.meter import draw_meter
from console.figures import Figure, known
from console.queries.judges import STAGES, Agreement, Funnel, JudgeStanding, ProbeRun, read_judges
from console.queries.period import NAMES, period
from console.routing import page_router
from console.security.roles import Role, allow
from console.visit import Visiting
from judges.annotation.concord import Concord

router = page_router()
_LOW = -0.2
"""Kappa may be below zero; far below it never is in practice."""


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """A judge's agreement in one measure and language, drawn."""

    agreement: Agreement
    picture: Markup


@dataclass(frozen=True, slots=True)
class JudgeRows:
    """A judge with all that was measured of it."""

    standing: JudgeStanding
    rows: tuple[AgreementRow, ...]


@dataclass(frozen=True, slots=True)
class PeopleRow:
    """Agreement among people in one question, drawn."""

    measure: str
    kappa: Figure
    alpha: Figure
    picture: Markup


@dataclass(frozen=True, slots=True)
class Step:
    """A stage of the funnel. `part`: of the stage before it, 0..1; null where that one is empty, or there is
    none."""

    name: str
    traces: int
    part: float | None
    picture: Markup


@router.get("/judges", name="judges")
@allow(Role.VIEWER)
def show(visit: Visiting) -> Response:
    """The page."""
    asked = period(visit.request.query_params.get("period") or "24h", visit.now)
    found = read_judges(visit.store, asked)
    return visit.page(
        "judges.html",
        period=asked,
        period_names=NAMES,
        judges=[_judge(one) for one in found.standings],
        people=list(_people(visit.queue.agreement())),
        funnel=found.funnel,
        steps=list(_steps(found.funnel)),
        spent=found.spent,
        probes=[(run, _probe(run)) for run in found.probes],
    )


def _judge(standing: JudgeStanding) -> JudgeRows:
    rows = tuple(
        AgreementRow(one, Markup(draw_interval(one.kappa, low=_LOW, bar=one.min_kappa, width=180)))
        for one in standing.agreements
    )
    return JudgeRows(standing, rows)


def _people(agreement: dict[str, Concord]) -> Iterator[PeopleRow]:
    for measure, concord in agreement.items():
        kappa = known(concord.kappa.value, concord.kappa.low, concord.kappa.high, concord.kappa.n)
        alpha = known(concord.alpha.value, concord.alpha.low, concord.alpha.high, concord.alpha.n)
        yield PeopleRow(measure, kappa, alpha, Markup(draw_interval(kappa, low=_LOW, width=180)))


def _steps(funnel: Funnel) -> Iterator[Step]:
    whole, before = max(funnel.stages.values(), default=0), None
    for name in STAGES:
        traces = funnel.stages[name]
        part = traces / before if before else None
        yield Step(name, traces, part, Markup(draw_meter(traces, whole)))
        before = traces


def _probe(run: ProbeRun) -> Markup:
    return Markup(draw_interval(run.right, width=140))


__all__ = ["router"]
