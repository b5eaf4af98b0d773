"""What a weekly report is made from, out of the tables. Raises SinkError."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from judges.clustering import Redact, find_gaps
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.unanswered import read_unanswered
from stream.report.choose import choose_strata
from stream.report.compare import Mean, compare, mean_of_all
from stream.report.strata import coarser
from stream.report.sums import read_sums
from stream.report.week.judges import read_judges
from stream.report.week.records import DAYS, Count, Week
from stream.rescore.items import CONDITION, Period, stamp
from stream.watch.records import Incident, Mark, Measure
from stream.watch.store import WatchStore

THIS, BEFORE = "this", "before"
_WHICH: Final = "if(timestamp >= {middle:DateTime64(3, 'UTC')}, 'this', 'before')"
_DAY: Final = "toString(intDiv(toUnixTimestamp64Milli(timestamp) - {first:Int64}, 86400000))"
_CLASSES: Final = f"""
SELECT intDiv(toUnixTimestamp64Milli(timestamp) - {{first:Int64}}, 86400000) AS day, app, tenant, language,
    failure, coverage, count() AS traces
FROM traces FINAL WHERE {CONDITION}
GROUP BY day, app, tenant, language, failure, coverage
"""
_DEAD: Final = """
SELECT reason, count() AS letters FROM dead_letters FINAL
WHERE died_at >= {since:DateTime64(3, 'UTC')} AND died_at < {until:DateTime64(3, 'UTC')}
GROUP BY reason ORDER BY letters DESC, reason
"""


def read_week(
    client: ClickHouse, until: datetime, app: str | None, budgets: Mapping[Measure, float], redact: Redact
) -> Week:
    """Seven days before `until`, and the seven before them."""
    since, before = until - timedelta(days=DAYS), until - timedelta(days=2 * DAYS)
    both = Period(before, until, app)
    parameters = {**both.parameters, "middle": stamp(since), "first": round(before.timestamp() * 1000)}
    halves, _ = read_sums(client, _WHICH, CONDITION, parameters)
    days, _ = read_sums(client, _DAY, CONDITION, parameters)
    this = halves.get(THIS, {})
    strata, arms = choose_strata(halves.get(BEFORE, {}), this)
    by_app = coarser(this, ("app",))
    return Week(
        before=before,
        since=since,
        until=until,
        app=app,
        counts=tuple(_count(row) for row in client.query(_CLASSES, parameters)),
        measures=_means(coarser(this, ()).get(())),
        days={int(day): _means(coarser(own, ()).get(())) for day, own in days.items()},
        comparisons=tuple(compare(arms)) if len(arms.strata) else (),
        apps={name: _means(sums) for (name,), sums in sorted(by_app.items())},
        strata=strata,
        incidents=_incidents(client, since, until, app),
        marks=_marks(client, before, until, app),
        dead={str(row["reason"]): int(row["letters"]) for row in client.query(_DEAD, _period(since, until))},
        judges=read_judges(client, Period(since, until, app)),
        gaps=find_gaps(read_unanswered(client, since, until, app), redact),
        budgets=budgets,
    )


def _means(sums: Any) -> dict[Measure, Mean | None]:
    if sums is None:
        return dict.fromkeys(Measure)
    return {measure: mean_of_all(sums[number]) for number, measure in enumerate(Measure)}


def _count(row: Mapping[str, Any]) -> Count:
    names = ("app", "tenant", "language", "failure", "coverage")
    return Count(
        day=min(int(row["day"]), 2 * DAYS - 1),
        traces=int(row["traces"]),
        **{name: str(row[name]) for name in names},
    )


def _incidents(client: ClickHouse, since: datetime, until: datetime, app: str | None) -> tuple[Incident, ...]:
    found = WatchStore(client).incidents_since(since.timestamp())
    return tuple(
        one
        for one in found
        if one.onset < until.timestamp() and (app is None or one.segment.value("app") in ("", app))
    )


def _marks(client: ClickHouse, since: datetime, until: datetime, app: str | None) -> tuple[Mark, ...]:
    found = WatchStore(client).marks_since(since.timestamp())
    return tuple(one for one in found if one.at < until.timestamp() and (app is None or one.app in ("", app)))


def _period(since: datetime, until: datetime) -> dict[str, str]:
    return {"since": stamp(since), "until": stamp(until)}


__all__ = ["read_week"]
