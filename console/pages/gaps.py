"""The page Gaps: what people ask and no document answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from fastapi import Response
from markupsafe import Markup

from console.drawing import Point, draw_spark
from console.figures import Figure, known
from console.queries.period import NAMES, period
from console.routing import page_router
from console.security.roles import Role, allow
from console.visit import Visiting
from judges.clustering.gaps import Gap, find_gaps
from judges.clustering.trend import Trend
from judges.redaction import redact
from sinks.clickhouse.unanswered import read_unanswered

router = page_router()
_MOST: Final = 2_000
"""Questions that are grouped while somebody waits; a report groups all."""
_SHOWN: Final = 50


@dataclass(frozen=True, slots=True)
class GapRow:
    """A gap with its course."""

    gap: Gap
    share: Figure
    picture: Markup


@router.get("/gaps", name="gaps")
@allow(Role.VIEWER)
def show(visit: Visiting) -> Response:
    """The page."""
    asked = period(visit.request.query_params.get("period") or "7d", visit.now)
    moments = [datetime.fromtimestamp(at, UTC) for at in (asked.since, asked.until)]
    unanswered = read_unanswered(visit.store, moments[0], moments[1], most=_MOST)
    found = find_gaps(unanswered, lambda text: redact(text).text)
    total = known(
        found.unanswered.value,
        found.unanswered.interval.low,
        found.unanswered.interval.high,
        found.unanswered.n,
    )
    return visit.page(
        "gaps.html",
        period=asked,
        period_names=NAMES,
        found=found,
        total=total,
        gaps=[_row(gap) for gap in found.gaps[:_SHOWN]],
    )


def _row(gap: Gap) -> GapRow:
    share = known(gap.share.value, gap.share.interval.low, gap.share.interval.high, gap.share.n)
    return GapRow(gap, share, _course(gap.trend))


def _course(trend: Trend) -> Markup:
    """Questions by part of the period, the greatest as high as the picture."""
    top = max(trend.pieces, default=0) or 1
    points = [Point(at + 0.5, Figure(n / top, None, None, n)) for at, n in enumerate(trend.pieces)]
    return Markup(draw_spark(points, 0, max(1, len(points))))


__all__ = ["router"]
