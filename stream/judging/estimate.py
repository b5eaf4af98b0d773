"""What judging the sampled traces of a period would cost: put together as they would be asked, never sent."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from judges.llm import rubrics
from judges.llm.asking import Ask, Filled, JudgeFailed, Reason
from judges.llm.endpoint import Endpoint
from judges.llm.forecast import Forecast, forecast
from judges.llm.material import PromptLimits, language_of
from judges.llm.opine import form_opinion
from schemas.restore import TRACE_COLUMNS
from sinks.clickhouse.client import ClickHouse
from stream.judging.opening import identity_of, limits_of
from stream.judging.sampled import Sampled
from stream.judging.stored import COLUMNS, JUDGED, parameters_of, sampled_from_row
from stream.rescore.items import CONDITION, CUT, EXPIRED, Period
from stream.settings import JudgeSettings
from stream.worker.cuts import CUT_SIGNAL

LOOK_AT: Final = 200
"""Traces that are put together as questions; the others are taken to be like them."""
_UNSENT: Final = Reason.EMPTY

_TEXTS: Final = f"history != '' AND NOT JSONHas(signals, '{CUT_SIGNAL}')"
_COUNTS: Final = f"""
SELECT count() AS sampled, countIf(is_judged) AS judged,
    countIf(NOT is_judged AND history = '') AS expired,
    countIf(NOT is_judged AND history != '' AND JSONHas(signals, '{CUT_SIGNAL}')) AS cut
FROM (
    SELECT history, signals, (app, timestamp, trace_id) IN ({JUDGED}) AS is_judged
    FROM traces FINAL WHERE sampled AND {CONDITION}
)
"""
_SOME: Final = f"""
SELECT {", ".join((*TRACE_COLUMNS, *COLUMNS))}, received_at
FROM traces FINAL
WHERE sampled AND {CONDITION} AND {_TEXTS} AND (app, timestamp, trace_id) NOT IN ({JUDGED})
ORDER BY cityHash64(trace_id)
LIMIT {LOOK_AT}
"""


@dataclass(slots=True, frozen=True)
class JudgeCost:
    """What one judge would be asked, over all that is left to judge."""

    endpoint: Endpoint
    forecast: Forecast
    unasked: Counter[str]
    """Traces that would not be asked about, by reason."""


@dataclass(slots=True, frozen=True)
class Estimate:
    """What a period holds, and what it would cost."""

    sampled: int
    judged: int
    left_out: dict[str, int]
    """Sampled traces that can no longer be judged, by reason."""
    looked_at: int
    costs: list[JudgeCost]

    @property
    def left(self) -> int:
        """Sampled traces that would be judged."""
        return self.sampled - self.judged - sum(self.left_out.values())

    def facts(self) -> dict[str, Any]:
        """As one JSON object."""
        return {
            "sampled": self.sampled,
            "judged": self.judged,
            "left": self.left,
            "left_out": self.left_out,
            "looked_at": self.looked_at,
            "judges": [_facts(cost) for cost in self.costs],
            "likely_usd": _sum([cost.forecast.likely_usd for cost in self.costs]),
            "most_usd": _sum([cost.forecast.most_usd for cost in self.costs]),
        }


class _Recorder:
    """A judge that notes what it is asked, and never answers."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.asks: list[Ask[Any]] = []
        self.name, self.model = endpoint.name, endpoint.model

    async def ask(self, ask: Ask[Filled]) -> NoReturn:
        self.asks.append(ask)
        raise JudgeFailed(_UNSENT, "nothing is sent")


def estimate(client: ClickHouse, settings: JudgeSettings, period: Period) -> Estimate:
    """What the judges of these settings would cost for a period. Raises SinkError."""
    parameters = period.parameters | parameters_of(identity_of(settings))
    (counts,) = client.query(_COUNTS, parameters)
    some = [sampled_from_row(row) for row in client.query(_SOME, parameters)]
    left_out = {name: counts[name] for name in (EXPIRED, CUT) if counts[name]}
    left = counts["sampled"] - counts["judged"] - sum(left_out.values())
    limits = limits_of(settings)
    costs = [
        asyncio.run(_cost(endpoint, limits.get(endpoint.name, PromptLimits()), some, left))
        for endpoint in settings.endpoints()
    ]
    return Estimate(counts["sampled"], counts["judged"], left_out, len(some), costs)


async def _cost(endpoint: Endpoint, limits: PromptLimits, some: Sequence[Sampled], left: int) -> JudgeCost:
    recorder = _Recorder(endpoint)
    unasked: Counter[str] = Counter()
    for sampled in some:
        rubric = rubrics.load(rubrics.DEFAULT, language_of(sampled.trace, sampled.scores))
        try:
            await form_opinion(sampled.trace, sampled.scores, recorder, rubric, limits=limits)
        except JudgeFailed as failed:
            if failed.reason is not _UNSENT:
                unasked[failed.reason.value] += 1
    seen = forecast(recorder.asks, endpoint.price, reasoning_tokens=endpoint.reasoning_tokens)
    return JudgeCost(endpoint, _scaled(seen, left / len(some) if some else 0.0), unasked)


def _scaled(seen: Forecast, by: float) -> Forecast:
    def usd(value: float | None) -> float | None:
        return None if value is None else value * by

    return Forecast(
        asks=round(seen.asks * by),
        input_tokens=round(seen.input_tokens * by),
        output_tokens=round(seen.output_tokens * by),
        likely_usd=usd(seen.likely_usd),
        most_tokens=round(seen.most_tokens * by),
        most_usd=usd(seen.most_usd),
    )


def _facts(cost: JudgeCost) -> Mapping[str, Any]:
    seen = cost.forecast
    return {
        "name": cost.endpoint.name,
        "model": cost.endpoint.model,
        "asks": seen.asks,
        "input_tokens": seen.input_tokens,
        "output_tokens": seen.output_tokens,
        "likely_usd": seen.likely_usd,
        "most_tokens": seen.most_tokens,
        "most_usd": seen.most_usd,
        "unasked": dict(cost.unasked),
    }


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) and values else None


__all__ = ["LOOK_AT", "Estimate", "JudgeCost", "estimate"]
