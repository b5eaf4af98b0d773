"""The queue in lines for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from judges.agreement.figure import Figure
from judges.annotation.concord import Concord
from sinks.annotation import Stats
from stream.terminal import printable


def lines_of(stats: Stats, agreement: Mapping[str, Concord]) -> Iterator[str]:
    """How many are where, by reason and stage; who did what; how far people agree."""
    yield "cases      " + _counts(stats.states)
    yield f"open       {stats.begun} begun, {stats.held} held, {stats.controls} controls" + _oldest(stats)
    yield "by reason  " + _counts(stats.by_reason)
    yield "by stage   " + _counts(stats.by_stage)
    if stats.settled_by_class:
        yield "settled    " + _counts(stats.settled_by_class)
    if stats.controls_settled:
        yield f"controls   {stats.controls_failing} of {stats.controls_settled} settled ones failed"
    for name, work in stats.annotators.items():
        yield f"  {printable(name):<16} {_work(work)}"
    for measure, concord in agreement.items():
        if concord.alpha.n or concord.kappa.n:
            yield f"agreement  {measure}: kappa {_figure(concord.kappa)}; alpha {_figure(concord.alpha)}"


def _counts(counted: Counter[str]) -> str:
    return ", ".join(f"{count:,} {name or 'unknown'}" for name, count in counted.most_common()) or "none"


def _oldest(stats: Stats) -> str:
    return "" if stats.oldest_s is None else f", the oldest {stats.oldest_s / 3_600:.1f} h old"


def _work(work: Mapping[str, Any]) -> str:
    took = "" if work["median_seconds"] is None else f", {work['median_seconds']:.0f} s a case"
    return (
        f"{work['votes']} votes, {work['skips']} skips, {work['arbitrations']} arbitrations, "
        f"{work['held']} held{took}"
    )


def _figure(figure: Figure) -> str:
    if figure.value is None:
        return f"not known ({figure.reason}, {figure.n} cases)"
    around = "" if figure.low is None else f" [{figure.low:.2f}, {figure.high:.2f}]"
    return f"{figure.value:.2f}{around} over {figure.n} cases"


__all__ = ["lines_of"]
