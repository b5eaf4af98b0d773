"""`report gaps`: the list for whoever writes documents, as a page and as facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from console.drawing import Point, draw_spark
from console.figures import Figure
from judges.clustering import Direction, Example, Gap, Gaps, Share, Trend
from stream.report.blocks import Cell, Page, Section, Table, Text, Tile, Tiles, Tone, as_letters
from stream.report.figures import bounds, count, iso, minute, mix, percent, rate
from stream.report.words import Words

TOP: Final = 30
_CASES: Final = 20
_TONES: Final[Mapping[Direction, Tone]] = {
    Direction.GROWING: "bad", Direction.FALLING: "good", Direction.UNCLEAR: "quiet",
}  # fmt: skip


def gaps_page(gaps: Gaps, app: str | None, say: Words, top: int, made: str) -> Page:
    """The whole report; `made` says when and by which version."""
    period = say("period", since=minute(gaps.since), until=minute(gaps.until))
    which = say("all_apps") if app is None else say("of_app", app=app)
    return Page(
        title=say("gaps.title"),
        language=say.language,
        lead=(
            Text(f"{period} · {which}", "quiet"),
            Text(say("gaps.about")),
            gaps_tiles(gaps, say),
        ),
        sections=[Section(say("gaps.list"), [*gaps_blocks(gaps, say, top)])],
        foot=[
            say("intervals"), say("gaps.trend_is"), say("gaps.met_is"), say("gaps.redacted"), made,
        ],
    )  # fmt: skip


def gaps_tiles(gaps: Gaps, say: Words) -> Tiles:
    """How many there are."""
    growing = sum(gap.trend.direction is Direction.GROWING for gap in gaps.gaps)
    return Tiles(
        (
            Tile(
                say("gaps.unanswered"),
                percent(gaps.unanswered.value, say),
                f"{bounds(gaps.unanswered.interval.low, gaps.unanswered.interval.high)} "
                + say("gaps.of", n=count(_unanswered(gaps)), all=count(gaps.traces)),
            ),
            Tile(say("gaps.found"), count(len(gaps.gaps)), say("gaps.found_is")),
            Tile(say("gaps.growing"), count(growing), tone="bad" if growing else ""),
            Tile(say("gaps.once"), count(gaps.once), say("gaps.once_is")),
        )
    )


def gaps_blocks(gaps: Gaps, say: Words, top: int) -> Iterator[Table | Text]:
    """The list, and what is not in it."""
    if not _unanswered(gaps):
        yield Text(say("gaps.none"))
    elif not gaps.gaps:
        yield Text(say("gaps.none_alike"))
    else:
        yield _table(gaps, say, top)
    if len(gaps.gaps) > top:
        yield Text(say("gaps.more", n=count(len(gaps.gaps) - top)), "quiet")
    if gaps.left_out:
        read = gaps.once + sum(gap.questions for gap in gaps.gaps)
        yield Text(say("gaps.left_out", n=count(gaps.left_out), read=count(read)), "quiet")
    if gaps.without_text:
        yield Text(say("gaps.without_text", n=count(gaps.without_text)), "quiet")


def gaps_facts(gaps: Gaps, app: str | None) -> dict[str, Any]:
    """The same as one JSON object, all gaps in it."""
    return {
        "since": iso(gaps.since),
        "until": iso(gaps.until),
        "app": app,
        "traces": gaps.traces,
        "unanswered": {"questions": _unanswered(gaps), **_share_facts(gaps.unanswered)},
        "asked_once": gaps.once,
        "left_out": gaps.left_out,
        "without_text": gaps.without_text,
        "gaps": [_gap_facts(gap) for gap in gaps.gaps],
    }


def _unanswered(gaps: Gaps) -> int:
    return gaps.once + sum(gap.questions for gap in gaps.gaps) + gaps.left_out + gaps.without_text


def _table(gaps: Gaps, say: Words, top: int) -> Table:
    head = ("ask", "asked", "share", "trend", "languages", "apps", "why")
    return Table(
        tuple(say(f"gaps.{name}") for name in head),
        [_row(gap, gaps, say) for gap in gaps.gaps[:top]],
        right=frozenset((1,)),
    )


def _row(gap: Gap, gaps: Gaps, say: Words) -> list[Cell | str]:
    more = [one.text for one in gap.examples[1:]]
    if gap.met_by:
        more.append(say("gaps.met", terms=", ".join(gap.met_by)))
    asked_in = (
        say("gaps.one_conversation") if gap.conversations == 1
        else say("gaps.conversations", n=count(gap.conversations))
    )  # fmt: skip
    return [
        Cell(gap.examples[0].text, more=tuple(more)),
        Cell(count(gap.questions), more=(asked_in,)),
        rate(gap.share.value, gap.share.interval.low, gap.share.interval.high, say),
        _trend(gap.trend, gaps, say),
        mix(gap.languages, say),
        mix(gap.apps, say),
        ", ".join(say(f"gaps.{why}", n=count(n)) for why, n in gap.reasons.items()),
    ]


def _trend(trend: Trend, gaps: Gaps, say: Words) -> Cell:
    length = (gaps.until - gaps.since) / len(trend.pieces)
    most = max(*trend.pieces, 1)
    points = [
        Point(gaps.since + (place + 0.5) * length, Figure(n / most, None, None, n))
        for place, n in enumerate(trend.pieces)
    ]
    word = say(f"gaps.is_{trend.direction}")
    if trend.direction is Direction.GROWING and not trend.earlier and trend.low is not None:
        word = say("gaps.new", low=f"{trend.low:.1f}")
    elif trend.direction is not Direction.UNCLEAR and trend.ratio is not None and trend.low is not None:
        high = "∞" if trend.high is None else f"{trend.high:.1f}"
        word = say("gaps.times", word=word, ratio=f"{trend.ratio:.1f}", low=f"{trend.low:.1f}", high=high)
    picture = draw_spark(points, gaps.since, gaps.until, width=90, height=22)
    return Cell(word, _TONES[trend.direction], picture=picture, letters=as_letters(trend.pieces))


def _gap_facts(gap: Gap) -> dict[str, Any]:
    return {
        "gap_id": gap.gap_id,
        "questions": gap.questions,
        "conversations": gap.conversations,
        "share": _share_facts(gap.share),
        "trend": _trend_facts(gap.trend),
        "languages": gap.languages,
        "apps": gap.apps,
        "tenants": gap.tenants,
        "reasons": gap.reasons,
        "examples": [_example_facts(one) for one in gap.examples],
        "terms": list(gap.terms),
        "met_by": list(gap.met_by),
        "trace_ids": list(gap.trace_ids[:_CASES]),
        "first_at": iso(gap.first_at),
        "last_at": iso(gap.last_at),
    }


def _example_facts(one: Example) -> dict[str, Any]:
    return {
        "text": one.text, "language": one.language, "questions": one.questions, "trace_id": one.trace_id
    }  # fmt: skip


def _trend_facts(trend: Trend) -> dict[str, Any]:
    return {
        "direction": trend.direction.value,
        "pieces": list(trend.pieces),
        "earlier": trend.earlier,
        "later": trend.later,
        "ratio": _rounded(trend.ratio),
        "low": _rounded(trend.low),
        "high": _rounded(trend.high),
    }


def _share_facts(one: Share) -> dict[str, Any]:
    return {
        "value": _rounded(one.value),
        "low": _rounded(one.interval.low) if one.value is not None else None,
        "high": _rounded(one.interval.high) if one.value is not None else None,
        "n": one.n,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)


__all__ = ["TOP", "gaps_blocks", "gaps_facts", "gaps_page", "gaps_tiles"]
