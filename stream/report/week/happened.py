"""Incidents and releases of a week."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from console.drawing import Mark as DrawnMark
from console.drawing import Point, draw_timeline
from console.drawing.svg import Svg
from console.figures import Figure
from stream.report.blocks import Block, Cell, Picture, Table, Text
from stream.report.figures import bounds, count, minute, percent
from stream.report.week.records import DAY_S, DAYS, Week
from stream.report.words import Words
from stream.watch.measures import told
from stream.watch.records import Incident, Mark, Measure

_MARKS = 12


def incident_blocks(week: Week, say: Words) -> Iterator[Block]:
    """A picture of the measure that most incidents are about, then each of them."""
    if not week.incidents:
        yield Text(say("week.no_incident"))
        return
    yield Picture(_timeline(week, say))
    names = ("severity", "what", "from_to", "change", "after_release", "state")
    yield Table(
        tuple(say(f"week.{name}") for name in names), [_incident_row(one, say) for one in week.incidents]
    )


def release_blocks(week: Week, say: Words) -> Iterator[Block]:
    """What was released, this week."""
    marks = [mark for mark in week.marks if mark.at >= week.since.timestamp()]
    if not marks:
        yield Text(say("week.no_release"))
        return
    yield Table(
        tuple(say(f"week.{name}") for name in ("when", "app", "released", "instead_of", "by")),
        [_mark_row(mark, say) for mark in marks],
    )


def _timeline(week: Week, say: Words) -> Svg:
    measures = [one.measure for one in week.incidents]
    measure = max(measures, key=lambda one: (measures.count(one), -list(Measure).index(one)))
    begin, end = week.before.timestamp(), week.until.timestamp()
    drawn = []
    for day in range(2 * DAYS):
        mean = week.days.get(day, {}).get(measure)
        figure = Figure(None, None, None, 0)
        if mean is not None:
            low, high = sorted(told(measure, value) for value in (mean.low, mean.high))
            figure = Figure(told(measure, mean.value), low, high, mean.traces)
        drawn.append(Point(begin + (day + 0.5) * DAY_S, figure))
    marks = [DrawnMark(mark.at, mark.text, "release") for mark in week.marks[:_MARKS]]
    marks += [
        DrawnMark(one.onset, say("week.onset", where=one.segment.text or say("week.all_traffic")), "onset")
        for one in week.incidents
        if one.measure is measure
    ][:_MARKS]
    name = say("week.timeline", measure=say.of("measure", measure))
    return draw_timeline(drawn, (), marks, begin, end, name, height=200)


def _incident_row(one: Incident, say: Words) -> Sequence[Cell | str]:
    value, low, high = (None if v is None else told(one.measure, v) for v in (one.value, one.low, one.high))
    if low is not None and high is not None:
        low, high = sorted((low, high))
    usual = None if one.baseline is None else told(one.measure, one.baseline)
    until = minute(one.resolved_at) if one.resolved_at is not None else say("week.now")
    explained = one.explained_by.text if one.explained_by else ""
    where = one.segment.text or say("week.all_traffic")
    return [
        Cell(say.of("severity", one.severity), "bad" if one.severity == "page" else ""),
        Cell(
            say.of("measure", one.measure),
            more=(where,) if explained in ("", where) else (where, say("week.carried_by", where=explained)),
        ),
        Cell(minute(one.onset), more=(f"– {until}",)),
        Cell(
            f"{percent(usual, say)} → {percent(value, say)}",
            more=(f"{bounds(low, high)} n = {count(one.traces)}".strip(),),
        ),
        one.release or say("none"),
        Cell(say.of("status", one.status), "bad" if one.status == "open" else "good"),
    ]


def _mark_row(mark: Mark, say: Words) -> Sequence[Cell | str]:
    by = say("week.seen_in_traffic") if mark.source == "detected" else mark.made_by or say("none")
    return [
        minute(mark.at),
        mark.app or say("all_apps"),
        Cell(f"{mark.part} = {mark.value}", more=(mark.note,) if mark.note else ()),
        mark.previous or say("none"),
        by,
    ]


__all__ = ["incident_blocks", "release_blocks"]
