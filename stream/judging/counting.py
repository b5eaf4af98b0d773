"""What judges tell of themselves, counted and, where somebody should know, said."""

from __future__ import annotations

import asyncio
import contextlib

from judges.llm import facts
from judges.llm.budget import EVERYBODY, NANO
from judges.llm.ledger import Ledger
from judges.llm.state_file import StateError
from stream import logs
from stream.telemetry.judge import JudgeMetrics

_SHOW_EVERY_S = 5.0
_CIRCUIT = {"closed": 0.0, "half_open": 0.5, "open": 1.0}


def counting(metrics: JudgeMetrics) -> facts.Observe:
    """An observer that turns facts into metrics."""

    def observe(fact: facts.Fact) -> None:
        match fact:
            case facts.Called():
                _count_call(metrics, fact)
            case facts.Answered():
                outcome = "cached" if fact.cached else fact.how
                metrics.questions.labels(fact.judge, fact.purpose, outcome).inc()
            case facts.Failed():
                metrics.questions.labels(fact.judge, fact.purpose, fact.reason.value).inc()
            case facts.Retried():
                metrics.retries.labels(fact.judge, fact.reason.value).inc()
            case facts.FellBack():
                metrics.fallbacks.labels(fact.judge, fact.to).inc()
            case facts.BreakerMoved():
                metrics.circuit_open.labels(fact.judge).set(_CIRCUIT[fact.state])
                logs.get().warning("the judge's circuit breaker moved", judge=fact.judge, state=fact.state)
            case facts.Overran():
                metrics.overruns.labels(fact.judge).inc()
                logs.get().warning(
                    "a judge's server billed more than was reserved", judge=fact.judge, tokens=fact.tokens
                )
            case facts.StateTroubled():
                metrics.unkept.labels(fact.judge).inc()
                logs.get().warning(
                    "an answer could not be kept", judge=fact.judge, detail=fact.detail,
                    setting="RAGPULSE_JUDGE__STATE_FILE",
                )  # fmt: skip

    return observe


def _count_call(metrics: JudgeMetrics, call: facts.Called) -> None:
    outcome = "ok" if call.reason is None else call.reason.value
    metrics.requests.labels(call.judge, call.purpose, outcome).inc()
    metrics.request_seconds.labels(call.judge).observe(call.usage.latency_ms / 1000)
    metrics.tokens.labels(call.judge, "input").inc(call.usage.input_tokens)
    metrics.tokens.labels(call.judge, "output").inc(call.usage.output_tokens)
    metrics.cost.labels(call.judge).inc(call.usage.cost_usd or 0.0)


async def show_budgets(metrics: JudgeMetrics, ledger: Ledger | None) -> None:
    """Show what was spent and what may be, again and again, until it is cancelled."""
    while ledger is not None:
        with contextlib.suppress(StateError):  # judging says so itself, and waits
            await _show(metrics, ledger)
        await asyncio.sleep(_SHOW_EVERY_S)


async def _show(metrics: JudgeMetrics, ledger: Ledger) -> None:
    for one in await ledger.spent():
        if one.scope != EVERYBODY:
            continue
        metrics.spent.labels(one.window, "usd").set(one.amount.usd)
        metrics.spent.labels(one.window, "tokens").set(one.amount.tokens)
        if one.limit_nano is not None:
            metrics.budget.labels(one.window, "usd").set(one.limit_nano / NANO)
        if one.limit_tokens is not None:
            metrics.budget.labels(one.window, "tokens").set(one.limit_tokens)


__all__ = ["counting", "show_budgets"]
