"""Incidents, and the story of one."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Response
from markupsafe import Markup

from console.drawing import Mark, Point, draw_interval, draw_timeline
from console.drawing.spark import draw_spark
from console.figures import Figure, known
from console.queries.incidents import Incident, Split, Story, list_incidents, read_story
from console.routing import page_router
from console.security.roles import Role, allow
from console.visit import Visiting
from console.words import Words

router = page_router()
STATUSES = ("", "open", "resolved")


@dataclass(frozen=True, slots=True)
class SplitRow:
    """A part of the segment since the onset, beside what is usual for it."""

    split: Split
    figure: Figure
    picture: Markup


@router.get("/incidents", name="incidents")
@allow(Role.VIEWER)
def show(visit: Visiting) -> Response:
    """All of them, open ones first."""
    status = visit.request.query_params.get("status", "")
    status = status if status in STATUSES else ""
    found = list_incidents(visit.store, status=status)
    return visit.page(
        "incidents.html",
        incidents=found,
        status=status,
        statuses=STATUSES,
        lasted={one.incident_id: lasting(_length(one, visit.now), visit.say) for one in found},
    )


@router.get("/incident/{incident_id:path}", name="incident")
@allow(Role.VIEWER)
def tell(visit: Visiting, incident_id: str) -> Response:
    """One of them."""
    story = read_story(visit.store, incident_id)
    if story is None:
        return visit.page("incident_missing.html", 404, incident_id=incident_id)
    incident = story.incident
    return visit.page(
        "incident.html",
        story=story,
        incident=incident,
        course=_course(story, visit.say),
        evidence=_evidence(story),
        splits=[_split(one) for one in story.splits],
        before=known(incident.baseline, None, None, 0),
        found_after=lasting(incident.detected_at - incident.onset, visit.say),
        lasted=lasting(_length(incident, visit.now), visit.say),
        lasting=lasting,
        window=lasting(float(story.course.window_s), visit.say),
        parts_of=_parts(incident.explained_by or incident.segment),
    )


def lasting(seconds: float, say: Words) -> str:
    """A length of time, as precise as it matters: `94 s`, `12 min`, `3 h 20 min`, `2 d 4 h`."""
    whole = max(0, round(seconds))
    if whole < 120:
        return say("incident.s", n=whole)
    minutes = whole // 60
    if minutes < 120:
        return say("incident.min", n=minutes)
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return " ".join([say("incident.h", n=hours)] + [say("incident.min", n=rest)] * bool(rest))
    days, rest = divmod(hours, 24)
    return " ".join([say("incident.d", n=days)] + [say("incident.h", n=rest)] * bool(rest))


def _length(incident: Incident, now: float) -> float:
    return (incident.resolved_at or now) - incident.onset


def _course(story: Story, say: Words) -> Markup:
    incident, course = story.incident, story.course
    marks = [Mark(one.at, one.text, "release") for one in story.releases if one.part != "app"]
    marks.append(Mark(incident.onset, say("incident.mark_onset"), "onset"))
    marks.append(Mark(incident.detected_at, say("incident.mark_found"), "found"))
    said = f"{_percent(incident.baseline)} → {_percent(incident.value)}"
    label = say(
        "incident.course_label",
        measure=say.of("measure", incident.measure),
        segment=incident.segment or say("incidents.all_traffic"),
        said=said,
    )
    return Markup(draw_timeline(course.points, course.usual, marks, course.since, course.until, label))


def _evidence(story: Story) -> Markup:
    """How the evidence grew, on a scale of its own."""
    course = story.course
    top = max((value for _, value in course.evidence), default=0.0)
    if top <= 0:
        return Markup("")
    points = [
        Point(at, Figure(max(0.0, value) / top, None, None, 1))
        for at, value in course.evidence
        if course.since <= at <= course.until
    ]
    return Markup(draw_spark(points, course.since, course.until))


def _split(split: Split) -> SplitRow:
    figure = known(split.value, None, None, split.traces)
    return SplitRow(split, figure, Markup(draw_interval(figure, bar=split.usual, width=120)))


def _parts(segment: str) -> list[str]:
    return segment.split(",") if segment else []


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


__all__ = ["lasting", "router"]
