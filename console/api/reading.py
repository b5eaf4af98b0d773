"""What the pages show, for programs: rates, incidents, cases, golden sets, judges, gaps. Nothing changes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from fastapi import Path, Query

from console.api.plain import plain
from console.queries.case import read_case
from console.queries.incidents import list_incidents, read_story
from console.queries.judges import read_judges
from console.queries.live import Live, read_live
from console.queries.period import period
from console.queries.rates import CLASSES, MEASURES
from console.queries.redacted import redact_case
from console.queries.segment import segment
from console.refusals import NotAllowed, NotFound
from console.routing import api_router
from console.security.roles import Role, allow
from console.visit import Visiting
from judges.clustering.gaps import find_gaps
from judges.redaction import redact
from sinks.clickhouse.unanswered import read_unanswered
from sinks.golden.errors import NoSuchGoldenSet
from sinks.golden.store import GoldenStore

router = api_router("reading")

Asked = Annotated[
    Literal["5m", "15m", "1h", "6h", "24h", "7d"], Query(alias="period", description="before now")
]
Column = Annotated[str, Query(max_length=200)]
Name = Annotated[str, Path(max_length=2_000)]
_MOST_QUESTIONS: Final = 2_000


@router.get("/live", operation_id="live", summary="Rates with their intervals, incidents, last failures")
@allow(Role.VIEWER)
def live(
    visit: Visiting,
    asked: Asked = "1h",
    app: Column = "",
    tenant: Column = "",
    language: Column = "",
) -> dict[str, Any]:
    """Of all traffic, or of a segment. Questions and answers of failures are cut and redacted."""
    chosen = {"app": app, "tenant": tenant, "language": language}
    return _live(read_live(visit.store, period(asked, visit.now), segment(chosen)))


@router.get("/incidents", operation_id="listIncidents", summary="Incidents, open ones first")
@allow(Role.VIEWER)
def incidents(
    visit: Visiting, status: Annotated[Literal["", "open", "resolved"], Query()] = ""
) -> dict[str, Any]:
    """All of them, or those of a status."""
    return {"incidents": plain(list_incidents(visit.store, status=status))}


@router.get("/incidents/{incident_id:path}", operation_id="getIncident", summary="The story of an incident")
@allow(Role.VIEWER)
def incident(visit: Visiting, incident_id: Name) -> dict[str, Any]:
    """Its course, what explains it, and its worst cases."""
    story = read_story(visit.store, incident_id)
    if story is None:
        raise NotFound("incident")
    found: dict[str, Any] = plain(story)
    return found


@router.get("/cases/{trace_id:path}", operation_id="getCase", summary="A trace with all that is said of it")
@allow(Role.VIEWER)
def case(
    visit: Visiting,
    trace_id: Name,
    original: Annotated[bool, Query(description="not redacted: for admins, and written down")] = False,
) -> dict[str, Any]:
    """Redacted, unless an admin asks for the original."""
    if original and not visit.may("admin"):
        raise NotAllowed("admin")
    found = read_case(visit.store, trace_id)
    if found is None:
        raise NotFound("case")
    if original:
        visit.audit("original read", trace_id=trace_id)
        return {"case": plain(found), "redactions": {}}
    redacted, taken = redact_case(found)
    return {"case": plain(redacted), "redactions": taken}


@router.get("/golden", operation_id="listGoldenSets", summary="Golden sets and their versions")
@allow(Role.VIEWER)
def golden_sets(visit: Visiting) -> dict[str, Any]:
    """The newest version first."""
    return {"versions": plain(GoldenStore(visit.store).heads())}


@router.get("/golden/{name}", operation_id="getGoldenSet", summary="A golden set with its cases")
@allow(Role.VIEWER)
def golden_set(
    visit: Visiting, name: Annotated[str, Path(max_length=200)], version: Column = ""
) -> dict[str, Any]:
    """The newest version, or the one whose hash begins so."""
    try:
        found: dict[str, Any] = plain(GoldenStore(visit.store).load(name, version))
    except NoSuchGoldenSet:
        raise NotFound("set") from None
    return found


@router.get("/judges", operation_id="judges", summary="How far judges agree with people, and what they cost")
@allow(Role.VIEWER)
def judges(visit: Visiting, asked: Asked = "24h") -> dict[str, Any]:
    """Calibrations, probes, the funnel from seen to judged, spending."""
    found: dict[str, Any] = plain(read_judges(visit.store, period(asked, visit.now)))
    return found


@router.get("/gaps", operation_id="gaps", summary="What people ask and no document answers")
@allow(Role.VIEWER)
def gaps(visit: Visiting, asked: Asked = "7d") -> dict[str, Any]:
    """Unanswered questions in groups, those of most conversations first. Texts are redacted."""
    looked = period(asked, visit.now)
    since, until = (datetime.fromtimestamp(at, UTC) for at in (looked.since, looked.until))
    unanswered = read_unanswered(visit.store, since, until, most=_MOST_QUESTIONS)
    found: dict[str, Any] = plain(find_gaps(unanswered, lambda text: redact(text).text))
    return found


def _live(found: Live) -> dict[str, Any]:
    rates = found.rates
    seen = rates.whole.seen
    return {
        "since": rates.period.since,
        "until": rates.period.until,
        "traces": rates.whole.by["traces"],
        "classes": {name: {"traces": rates.whole.of_class(name), "of": seen} for name in CLASSES},
        "measures": {name: plain(rates.whole.figure(name)) for name in MEASURES},
        "corrected": plain(rates.corrected),
        "incidents": plain(found.incidents),
        "failed": plain(found.failed),
        "dead": found.dead,
        "newest": found.newest,
    }


__all__ = ["router"]
