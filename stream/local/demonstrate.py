"""The local judge at work: simulated traces, judged as the lane would, held against what was injected."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from judges.agreement import Agreement, measure_pairs, pair_up
from judges.distillation.metrics import auroc
from judges.llm.asking import Usage
from judges.llm.local.boundary import Boundary
from judges.llm.local.opine import LocalJudge
from schemas.row import Sampling
from stream.judging.judge import GivenUp, Outcome, Unjudged, Verdicts, judge_traces
from stream.judging.sampled import Sampled
from stream.local.bench import bench_of
from stream.local.fit import Tell
from stream.local.traces import LANGUAGES, KnownTrace

ALL: Final = ""
_LEAST: Final = 4
"""Traces without which no agreement is computed."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Agreement with the injected truth in one language (empty: all)."""

    language: str
    agreement: Agreement
    """Truth first, the judge second."""
    auc: float | None
    """How well the probability alone tells the two kinds apart: 0.5 is chance. Null with one kind alone."""


@dataclass(slots=True)
class Demonstration:
    """What came of it."""

    model: str
    boundaries: Mapping[str, Boundary]
    shown: list[Shown] = field(default_factory=list)
    judged: int = 0
    unjudged: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    rows: list[bytes] = field(default_factory=list)
    """The verdicts, as rows of table `verdicts`."""


async def demonstrate(judge: LocalJudge, known: Sequence[KnownTrace], tell: Tell) -> Demonstration:
    """Judge these traces with the lane's own judging function, and measure."""
    found = Demonstration(judge.model, judge.boundaries)
    truth = {one.trace.trace_id: one for one in known}
    chances: dict[str, float] = {}
    began = asyncio.get_running_loop().time()
    async for sampled, outcome in judge_traces(_sampled(known), bench_of(judge).trace_judge(), 1):
        _count(found, sampled, outcome, chances)
        tell("judging", found.judged + found.unjudged.total(), len(known))
    found.seconds = asyncio.get_running_loop().time() - began
    for language in (ALL, *LANGUAGES):
        some = {i: chance for i, chance in chances.items() if language in (ALL, truth[i].language)}
        found.shown.append(_measure(language, some, {i: truth[i].hallucinated for i in some}))
    return found


def _count(found: Demonstration, sampled: Sampled, outcome: Outcome, chances: dict[str, float]) -> None:
    match outcome:
        case Verdicts(panel=panel, rows=rows):
            found.rows.extend(rows)
            found.usage.add(panel.consensus.usage)
            if panel.consensus.hallucination is None:
                found.unjudged[panel.consensus.not_measured.get("hallucination", "not_measured")] += 1
            else:
                found.judged += 1
                chances[sampled.trace.trace_id] = panel.consensus.hallucination
        case Unjudged(reason=reason) | GivenUp(reason=reason):
            found.unjudged[reason] += 1


def _measure(language: str, chances: Mapping[str, float], truth: Mapping[str, bool]) -> Shown:
    ids = sorted(chances)
    pairs = pair_up([truth[i] for i in ids], [chances[i] >= 0.5 for i in ids], (False, True))
    return Shown(
        language, measure_pairs(pairs, least=_LEAST), _auc([truth[i] for i in ids], [chances[i] for i in ids])
    )


def _auc(truth: Sequence[bool], chances: Iterable[float]) -> float | None:
    if len(set(truth)) < 2:
        return None
    ones = np.ones((1, len(truth)))
    return float(auroc(np.array(truth, np.float64), np.array(list(chances)), ones)[0])


def _sampled(known: Iterable[KnownTrace]) -> list[Sampled]:
    now = datetime.now(UTC)
    return [Sampled(one.trace, None, Sampling(True, 1.0, ("demonstration",)), now) for one in known]


def facts(found: Demonstration) -> dict[str, Any]:
    """Plain values, as JSON takes them."""
    return {
        "demonstration": True,
        "model": found.model,
        "judged": found.judged,
        "unjudged": dict(found.unjudged),
        "seconds": round(found.seconds, 1),
        "questions": found.usage.calls,
        "tokens_read": found.usage.input_tokens,
        "boundaries": {
            language: {"threshold": b.threshold, "steepness": b.steepness, "fitted_on": b.fitted_on}
            for language, b in found.boundaries.items()
        },
        "agreement": {
            one.language or "all": {"auc": one.auc, **one.agreement.as_dict()} for one in found.shown
        },
    }


__all__ = ["Demonstration", "Shown", "demonstrate", "facts"]
