"""What failed, how that changed, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from console.drawing import Bar, Column, Point, draw_columns, draw_spark
from console.drawing.svg import Svg
from console.figures import Figure
from schemas.taxonomy import FAILURES
from stream.report.blocks import Block, Cell, Picture, Table, Text, as_letters
from stream.report.compare import Comparison, Mean
from stream.report.figures import count, percent, points, rate
from stream.report.week.records import DAY_S, DAYS, Week
from stream.report.week.where import LEAST, Place, places
from stream.report.words import Words
from stream.watch.measures import ALERTED, told
from stream.watch.records import Measure

_PLACES = 12
_MEASURES = (*ALERTED, Measure.CORRECT_REFUSAL)


def failed_blocks(week: Week, say: Words) -> Iterator[Block]:
    """The classes day by day, then each measure against the week before."""
    if not week.counts:
        yield Text(say("week.no_traffic"))
        return
    yield Picture(_classes(week, say), tuple((f.value, say.of("failure", f)) for f in FAILURES))
    names = ("measure", "this_week", "course", "change", "by_mix", "verdict")
    yield Table(
        tuple(say(f"week.{name}") for name in names),
        [_measure_row(measure, week, say) for measure in _MEASURES],
        right=frozenset((4,)),
    )


def where_blocks(week: Week, say: Words) -> Iterator[Block]:
    """The places in which most fails."""
    found = places(week.counts)
    if not found:
        yield Text(say("week.no_place", n=LEAST))
        return
    top = max(one.interval.high for one in found[:_PLACES])
    yield Table(
        tuple(say(f"week.{name}") for name in ("place", "failed_share", "before", "change", "mostly")),
        [_place_row(one, top, say) for one in found[:_PLACES]],
    )
    if len(found) > _PLACES:
        yield Text(say("week.more_places", n=len(found) - _PLACES), "quiet")


def _classes(week: Week, say: Words) -> Svg:
    by_day: dict[int, Counter[str]] = {day: Counter() for day in range(2 * DAYS)}
    for one in week.counts:
        by_day[one.day][one.failure] += one.traces
    begin = week.before.timestamp()
    columns = [
        Column(
            begin + day * DAY_S,
            counts.total(),
            tuple(Bar(counts[f.value], f.value, say.of("failure", f), "") for f in FAILURES),
        )
        for day, counts in by_day.items()
    ]
    return draw_columns(columns, begin, week.until.timestamp(), DAY_S, say("week.classes_by_day"))


def _measure_row(measure: Measure, week: Week, say: Words) -> list[Cell | str]:
    mean = week.measures[measure]
    compared = next((one for one in week.comparisons if one.measure is measure), None)
    return [
        say.of("measure", measure),
        mean_cell(measure, mean, say),
        _course(measure, week, say),
        _change(measure, compared, say),
        "" if compared is None or compared.by_mix is None else points(_sign(measure) * compared.by_mix),
        _verdict(measure, compared, say),
    ]


def mean_cell(measure: Measure, mean: Mean | None, say: Words) -> Cell:
    """A mean as it is told: faithfulness the right way up."""
    if mean is None:
        return rate(None, None, None, say)
    low, high = sorted(told(measure, value) for value in (mean.low, mean.high))
    return rate(told(measure, mean.value), low, high, say, n=mean.traces)


def _course(measure: Measure, week: Week, say: Words) -> Cell:
    begin = week.before.timestamp()
    means = [week.days.get(day, {}).get(measure) for day in range(2 * DAYS)]
    drawn = [Point(begin + (day + 0.5) * DAY_S, _figure(measure, mean)) for day, mean in enumerate(means)]
    picture = draw_spark(drawn, begin, week.until.timestamp(), width=150, height=30)
    letters = as_letters([0.0 if mean is None else told(measure, mean.value) for mean in means])
    return Cell("", picture=picture, letters=letters)


def _figure(measure: Measure, mean: Mean | None) -> Figure:
    if mean is None:
        return Figure(None, None, None, 0)
    low, high = sorted(told(measure, value) for value in (mean.low, mean.high))
    return Figure(told(measure, mean.value), low, high, mean.traces)


def _change(measure: Measure, one: Comparison | None, say: Words) -> Cell | str:
    if one is None or one.difference is None or one.low is None or one.high is None:
        return Cell(say("week.not_comparable"), "quiet")
    sign = _sign(measure)
    low, high = sorted((sign * one.low, sign * one.high))
    return Cell(
        say("week.points", n=points(sign * one.difference)), more=(f"[{points(low)}, {points(high)}]",)
    )  # fmt: skip


def _verdict(measure: Measure, one: Comparison | None, say: Words) -> Cell | str:
    if one is None:
        return Cell(say("week.v_not_comparable"), "quiet")
    word = say(f"week.v_{one.verdict.replace(' ', '_')}")
    if measure not in ALERTED:
        return Cell(word, "quiet")
    return Cell(word, {"worse": "bad", "better": "good"}.get(one.verdict, "quiet"))  # type: ignore[arg-type]


def _sign(measure: Measure) -> int:
    return -1 if measure is Measure.FAITHFULNESS else 1


def _place_row(one: Place, top: float, say: Words) -> Sequence[Cell | str]:
    mostly = ", ".join(f"{say.of('failure', name)} {count(n)}" for name, n in one.mostly[:3])
    change: Cell | str = Cell(say("week.not_comparable"), "quiet")
    if one.before is not None and one.low is not None and one.high is not None:
        change = Cell(
            say("week.points", n=points(one.failed - one.before)),
            "bad" if one.worse else "",
            more=(f"[{points(one.low)}, {points(one.high)}]",),
        )
    return [
        Cell(one.tenant or say("none"), more=(f"{one.app or say('none')} · {one.language or say('none')}",)),
        rate(one.failed, one.interval.low, one.interval.high, say, n=one.traces, top=top),
        percent(one.before, say) if one.before is not None else Cell(say("week.too_few"), "quiet"),
        change,
        mostly,
    ]


__all__ = ["failed_blocks", "mean_cell", "where_blocks"]
