"""How fast error budgets burn: the rate of a week over the share that may be so in the long run. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stream.report.compare import Mean
from stream.report.week.records import Week
from stream.watch.records import Measure


@dataclass(slots=True, frozen=True)
class Spent:
    """One budget, of one app or (no app) of all traffic."""

    measure: Measure
    app: str
    budget: float
    """The share of traces that may be so."""
    mean: Mean | None
    burn: float | None
    """Rate over budget: at 1 it lasts just as long as it should. Null where nothing was measured."""
    low: float | None
    high: float | None


def spent_budgets(week: Week) -> Iterator[Spent]:
    """Each budget for all traffic, then for each app where there are several."""
    for measure, budget in week.budgets.items():
        yield _spent(measure, "", budget, week.measures.get(measure))
        if len(week.apps) > 1:
            for app, measures in week.apps.items():
                yield _spent(measure, app, budget, measures.get(measure))


def _spent(measure: Measure, app: str, budget: float, mean: Mean | None) -> Spent:
    if mean is None:
        return Spent(measure, app, budget, None, None, None, None)
    return Spent(measure, app, budget, mean, mean.value / budget, mean.low / budget, mean.high / budget)


__all__ = ["Spent", "spent_budgets"]
