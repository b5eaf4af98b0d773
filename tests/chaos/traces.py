"""What a round publishes: the same simulated traces each time, under the ids and the tenant of the round."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from judges.distilled import load_scorer
from schemas.formats import own
from schemas.taxonomy import HEALTHY
from schemas.trace import Trace
from stream.demo.traffic import Kind, Traffic
from stream.pipeline import judge_batch

_SEED = 20


@dataclass(frozen=True, slots=True)
class Rates:
    """What dashboards would show of a round."""

    traces: int
    classes: dict[str, int]
    refusals: int
    faithfulness: float
    """Mean over those it was measured on, rounded to five digits."""


@dataclass(frozen=True, slots=True)
class Load:
    """The messages of a round."""

    tenant: str
    traces: dict[str, bytes]
    """By trace_id."""
    unreadable: list[bytes]


def make_load(tenant: str, count: int) -> Load:
    """The messages of one round: `count` traces, and one message in fifty that is none."""
    traces = {}
    for number, trace in enumerate(_drafts(count)):
        trace_id = f"{tenant}-{number}"
        moved = {**trace, "trace_id": trace_id, "tenant": tenant, "conversation_id": None}
        traces[trace_id] = orjson.dumps(moved)
    unreadable = [b'{"trace_id": "%s-broken-%d", ' % (tenant.encode(), n) for n in range(max(1, count // 50))]
    return Load(tenant, traces, unreadable)


@cache
def expected_rates(count: int) -> Rates:
    """The rates of these traces by the scorer alone: no broker, no store, nothing that could fail."""
    load = make_load("undisturbed", count)
    scorer, judged = load_scorer(), []
    for value in load.traces.values():
        (trace,) = own.decode(value)
        assert isinstance(trace, Trace)
        judged += judge_batch([trace], scorer)
    classes: dict[str, int] = {}
    for one in judged:
        failure = one.verdict.failure or HEALTHY
        classes[failure] = classes.get(failure, 0) + 1
    measured = [one.scores.faithfulness for one in judged if one.scores.faithfulness is not None]
    mean = sum(measured) / len(measured)
    refusals = sum(1 for one in judged if one.scores.refusal)
    return Rates(count, dict(sorted(classes.items())), refusals, round(mean, 5))


@cache
def _drafts(count: int) -> list[dict[str, Any]]:
    traffic = Traffic(_SEED)
    found: list[dict[str, Any]] = []
    while len(found) < count:
        found += [
            orjson.loads(message.value)
            for message in traffic.next(spiking=len(found) % 3 == 0)
            if message.kind is Kind.TRACE
        ]
    return found[:count]


__all__ = ["Load", "Rates", "expected_rates", "make_load"]
