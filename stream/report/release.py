"""One release against another, as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from console.drawing import draw_interval
from console.figures import Figure
from stream.report.blocks import Block, Cell, Page, Section, Table, Text
from stream.report.compare import LEAST, Comparison, Mean, is_comparable
from stream.report.figures import count, percent, points, rate
from stream.report.read import Found, Release
from stream.report.show import SHIFT, shifts, sign_of, told_difference
from stream.report.words import Words
from stream.rescore.items import Period
from stream.watch.measures import ALERTED, told
from stream.watch.records import Measure

_SCALE = 0.02
"""Least reach of the scale that differences are drawn on."""


def release_page(
    part: str, found: Found, comparisons: Sequence[Comparison], period: Period, say: Words, made: str
) -> Page:
    """The whole report."""
    a, b = found.a.value, found.b.value
    sections = [Section(say("release.measures"), [_measures(found, comparisons, say)])]
    notes = [Text(note, "quiet") for note in _notes(found, comparisons, say)]
    mix = [*_mix(found, say)]
    if mix:
        sections.append(Section(say("release.mix"), mix))
    which = say("all_apps") if period.app is None else say("of_app", app=period.app)
    when = say("period", since=f"{period.since:%Y-%m-%d %H:%M}", until=f"{period.until:%Y-%m-%d %H:%M}")
    return Page(
        title=say("release.title", part=say(f"release.part_{part}"), a=a, b=b),
        language=say.language,
        lead=[
            _verdict(found, comparisons, say),
            *(Text(_ran(release, say)) for release in (found.a, found.b)),
            Text(f"{when} · {which}", "quiet"),
            *notes,
        ],
        sections=sections,
        foot=[say("intervals"), *_reading(found, comparisons, say), made],
    )


def _verdict(found: Found, comparisons: Sequence[Comparison], say: Words) -> Text:
    b = found.b.value
    if not is_comparable(comparisons):
        return Text(say("release.not_comparable", b=b), "bad")
    said = {
        verdict: say("week.and").join(
            say.of("measure", one.measure) for one in comparisons if one.verdict == verdict and _counts(one)
        )
        for verdict in ("worse", "better")
    }
    if said["worse"]:
        better = say("release.but_better", measures=said["better"]) if said["better"] else ""
        return Text(say("release.worse", b=b, measures=said["worse"]) + better, "bad")
    if said["better"]:
        return Text(say("release.better", b=b, measures=said["better"]), "good")
    return Text(say("release.no_difference", b=b))


def _counts(one: Comparison) -> bool:
    return one.measure in ALERTED


def _ran(release: Release, say: Words) -> str:
    if release.first is None or release.last is None:
        return say("release.never_ran", value=release.value)
    since, until = (f"{moment:%Y-%m-%d %H:%M}" for moment in (release.first, release.last))
    return say("release.ran", value=release.value, n=count(release.traces), since=since, until=until)


def _measures(found: Found, comparisons: Sequence[Comparison], say: Words) -> Table:
    reach = max(
        (abs(edge) for one in comparisons for edge in (one.low, one.high) if edge is not None), default=0.0
    )
    reach = max(reach, _SCALE)
    return Table(
        (
            say("week.measure"), found.a.value, found.b.value, say("release.difference"), say("week.by_mix"),
            say("week.verdict"),
        ),
        [_row(one, reach, say) for one in comparisons],
        right=frozenset((4,)),
    )  # fmt: skip


def _row(one: Comparison, reach: float, say: Words) -> list[Cell | str]:
    tone = {"worse": "bad", "better": "good"}.get(one.verdict, "quiet") if _counts(one) else "quiet"
    return [
        say.of("measure", one.measure),
        _mean(one.measure, one.a, say),
        _mean(one.measure, one.b, say),
        _difference(one, reach, say),
        "" if one.by_mix is None else points(sign_of(one.measure) * one.by_mix),
        Cell(say(f"week.v_{one.verdict.replace(' ', '_')}"), tone),  # type: ignore[arg-type]
    ]


def _mean(measure: Measure, mean: Mean | None, say: Words) -> Cell:
    if mean is None:
        return rate(None, None, None, say)
    low, high = sorted(told(measure, value) for value in (mean.low, mean.high))
    return rate(told(measure, mean.value), low, high, say, n=mean.traces)


def _difference(one: Comparison, reach: float, say: Words) -> Cell:
    difference, low, high = told_difference(one)
    if difference is None or low is None or high is None:
        return Cell(say("week.not_comparable"), "quiet")
    figure = Figure(difference, low, high, 0)
    return Cell(
        say("week.points", n=points(difference)),
        more=(f"[{points(low)}, {points(high)}]",),
        picture=draw_interval(figure, low=-reach, high=reach, width=110),
    )


def _notes(found: Found, comparisons: Sequence[Comparison], say: Words) -> Iterator[str]:
    for release, number in ((found.a, 0), (found.b, 1)):
        left = 1 - min((one.compared[number] for one in comparisons if one.strata), default=0.0)
        if left >= SHIFT and release.traces:
            yield say("release.left_out", share=f"{left:.0%}", value=release.value)
    if _scorers(found.a).isdisjoint(_scorers(found.b)) and found.a.traces and found.b.traces:
        yield say("release.other_scorers")
    if any(one.verdict == "too few traces" for one in comparisons):
        yield say("release.too_few", n=f"{LEAST:.0f}")
    if _before(found.a, found.b) or _before(found.b, found.a):
        yield say("release.one_after_the_other")


def _reading(found: Found, comparisons: Sequence[Comparison], say: Words) -> Iterator[str]:
    strata = say("week.and").join(say(f"week.by_{name}") for name in found.strata[:-1])
    level = comparisons[0].level if comparisons else 0.95
    yield say("release.reading", strata=strata, level=f"{level:.0%}")


def _before(one: Release, other: Release) -> bool:
    return bool(one.last and other.first and one.last < other.first)


def _scorers(release: Release) -> set[str]:
    return {stratum[-1] for stratum in release.mix}


def _mix(found: Found, say: Words) -> Iterator[Block]:
    rows = shifts(found)
    if rows:
        yield Table(
            ("", found.a.value, found.b.value),
            [
                [f"{say(f'week.by_{column}')} {value or say('none')}", percent(a, say), percent(b, say)]
                for column, value, a, b in rows
            ],
            right=frozenset((1, 2)),
        )


__all__ = ["release_page"]
