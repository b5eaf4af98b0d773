"""The way of traces to the judges, counted step by step by the processes that it leads through."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter


def judge_funnel(registry: CollectorRegistry) -> Counter:
    """One name in all processes, so that a sum over them is the whole way.

    The worker counts `seen`, `ineligible` (by reason: no_answer, excluded), `eligible`, `capped`, `selected`;
    the judge lane `judged`, `over_budget`, `failed` (by reason). Where there is no reason it is empty.
    """
    return Counter(
        "ragpulse_judge_funnel",
        "Traces on their way to the judges: seen, ineligible, eligible, capped, selected, judged, failed",
        ["stage", "reason"],
        registry=registry,
    )


__all__ = ["judge_funnel"]
