"""The weekly report as a page: what matters first, then each part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from judges.intervals import wilson
from schemas.taxonomy import HEALTHY, UNSEEN
from stream.report.blocks import Block, Page, Section, Text, Tile, Tiles
from stream.report.compare import Comparison
from stream.report.figures import bounds, count, percent, points
from stream.report.gaps import gaps_blocks
from stream.report.week.aside import budget_blocks, judge_blocks, not_measured_blocks
from stream.report.week.budgets import spent_budgets
from stream.report.week.failures import failed_blocks, where_blocks
from stream.report.week.happened import incident_blocks, release_blocks
from stream.report.week.records import DAYS, Week
from stream.report.words import Words
from stream.watch.measures import ALERTED, told
from stream.watch.records import Measure

_TOP_GAPS = 10


def week_page(week: Week, say: Words, made: str) -> Page:
    """The whole report."""
    which = say("all_apps") if week.app is None else say("of_app", app=week.app)
    period = say("period", since=f"{week.since:%Y-%m-%d %H:%M}", until=f"{week.until:%Y-%m-%d %H:%M}")
    return Page(
        title=say("week.title", since=f"{week.since:%Y-%m-%d}", until=f"{week.until:%Y-%m-%d}"),
        language=say.language,
        lead=[Text(f"{period} · {which}", "quiet"), _tiles(week, say), *_matters(week, say)],
        sections=[
            Section(say(f"week.{name}"), blocks) for name, blocks in _sections(week, say) if blocks
        ],
        foot=[
            say("intervals"), say("week.changes_are", strata=_strata(week, say)), say("week.places_are"),
            say("gaps.redacted"), made,
        ],
    )  # fmt: skip


def _sections(week: Week, say: Words) -> Iterator[tuple[str, list[Block]]]:
    yield "failed", [*failed_blocks(week, say)]
    yield "where", [*where_blocks(week, say)]
    yield "incidents", [*incident_blocks(week, say)]
    yield "releases", [*release_blocks(week, say)]
    yield "budgets", [*budget_blocks(week, say)]
    yield "unmeasured", [*not_measured_blocks(week, say)]
    yield "judges", [*judge_blocks(week, say)]
    yield "gaps", [Text(say("gaps.about"), "quiet"), *gaps_blocks(week.gaps, say, _TOP_GAPS)]


def _tiles(week: Week, say: Words) -> Tiles:
    this, before = totals(week)
    failed = this.total() - this[HEALTHY]
    open_now = sum(one.status == "open" for one in week.incidents)
    gone = before.total()
    change = say("week.no_traffic_before") if not gone else say(
        "week.than_before", change=f"{round(this.total() / gone - 1, 2) + 0.0:+.0%}"
    )  # fmt: skip
    hallucination = week.measures[Measure.HALLUCINATION]
    return Tiles(
        (
            Tile(say("week.traces"), count(this.total()), change),
            _share_tile(say("week.failed_share"), failed, this.total(), say),
            Tile(
                say.of("measure", "hallucination"),
                percent(hallucination.value if hallucination else None, say),
                "" if hallucination is None else
                f"{bounds(hallucination.low, hallucination.high)} n = {count(hallucination.traces)}",
            ),
            _share_tile(say("gaps.unanswered"), _unanswered(week), week.gaps.traces, say),
            Tile(
                say("week.incidents"), count(len(week.incidents)),
                say("week.still_open", n=open_now) if open_now else "", "bad" if open_now else "",
            ),
        )
    )  # fmt: skip


def _share_tile(name: str, some: int, total: int, say: Words) -> Tile:
    if not total:
        return Tile(name, say("not_measured"))
    interval = wilson(some, total)
    return Tile(name, percent(some / total, say), f"{bounds(interval.low, interval.high)} n = {count(total)}")


def _matters(week: Week, say: Words) -> Iterator[Text]:
    """What to look at first, in a sentence each; or that there is nothing."""
    said = [*_sentences(week, say)]
    if not totals(week)[0]:
        yield Text(say("week.no_traffic"))
    elif not said:
        yield Text(say("week.calm"), "good")
    yield from (Text(one, "bad") for one in said)


def _sentences(week: Week, say: Words) -> Iterator[str]:
    for one in week.comparisons:
        if one.verdict == "worse" and one.measure in ALERTED:
            yield _worse(one, say)
    for incident in week.incidents:
        if incident.status == "open":
            yield say(
                "week.open_incident",
                measure=say.of("measure", incident.measure),
                where=incident.segment.text or say("week.all_traffic"),
            )
    for spent in spent_budgets(week):
        if spent.low is not None and spent.low > 1 and not spent.app:
            yield say("week.budget_gone", measure=say.of("measure", spent.measure), burn=f"{spent.burn:.1f}")


def _worse(one: Comparison, say: Words) -> str:
    sign = -1 if one.measure is Measure.FAITHFULNESS else 1
    low, high = sorted((sign * (one.low or 0.0), sign * (one.high or 0.0)))
    a, b = (told(one.measure, mean.value) if mean else None for mean in (one.a, one.b))
    return say(
        "week.worse",
        measure=say.of("measure", one.measure), a=percent(a, say), b=percent(b, say),
        difference=points(sign * (one.difference or 0.0)), low=points(low), high=points(high),
    )  # fmt: skip


def totals(week: Week) -> tuple[Counter[str], Counter[str]]:
    """Traces by class, of this week and of the one before."""
    this: Counter[str] = Counter()
    before: Counter[str] = Counter()
    for one in week.counts:
        (this if one.day >= DAYS else before)[one.failure] += one.traces
    return this, before


def unseen(week: Week) -> int:
    """Traces of this week that have no failure because nobody could look at them."""
    return sum(
        one.traces
        for one in week.counts
        if one.day >= DAYS and one.failure == HEALTHY and one.coverage in UNSEEN
    )


def _unanswered(week: Week) -> int:
    gaps = week.gaps
    return gaps.once + sum(gap.questions for gap in gaps.gaps) + gaps.left_out + gaps.without_text


def _strata(week: Week, say: Words) -> str:
    return say("week.and").join(say(f"week.by_{name}") for name in week.strata)


__all__ = ["totals", "unseen", "week_page"]
