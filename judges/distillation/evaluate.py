"""Two scorers on the same labelled traces: measures by slice, each with its interval and its difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from judges.distillation.examples import CLASSES, Example
from judges.distillation.measured import Tell
from judges.distillation.metrics import (
    LESS_IS_BETTER,
    MEASURES,
    Estimate,
    Floats,
    Ints,
    draw_weights,
    estimate,
)
from judges.triage import triage
from schemas.scored import Scorer
from schemas.taxonomy import HEALTHY
from schemas.trace import Trace

BATCH: Final = 64
OVERALL: Final = "overall"
CLASS: Final = "class"

Bools = npt.NDArray[np.bool_]


@dataclass(slots=True)
class Scored:
    """What one scorer says of some traces, one entry a trace."""

    hallucination: Floats
    """Probability; NaN where not measured."""
    failure: list[str]
    """The class that triage names, or `healthy`."""
    coverage: list[str]


@dataclass(slots=True)
class Slice:
    """The rows of one language, tenant or class, and both scorers on them."""

    kind: str
    """`overall`, `language`, `tenant` or `class`."""
    name: str
    rows: int
    positives: int
    serving: dict[str, Estimate] = field(default_factory=dict)
    candidate: dict[str, Estimate] = field(default_factory=dict)
    gain: dict[str, Estimate] = field(default_factory=dict)
    """Candidate against serving on the same rows; positive is better, whatever the measure."""

    @property
    def negatives(self) -> int:
        """Rows labelled 0 (of a class: rows of other classes)."""
        return self.rows - self.positives

    def as_json(self) -> dict[str, Any]:
        """For the report."""
        sides = {"serving": self.serving, "candidate": self.candidate, "gain": self.gain}
        return {"kind": self.kind, "name": self.name, "rows": self.rows, "positives": self.positives} | {
            side: {name: e.as_json() for name, e in found.items()} for side, found in sides.items()
        }


def score_all(scorer: Scorer, traces: Sequence[Trace], what: str, tell: Tell) -> Scored:
    """Score and triage every trace, as the worker would; `what` is told with the progress."""
    scored = Scored(np.full(len(traces), np.nan), [], [])
    for start in range(0, len(traces), BATCH):
        batch = traces[start : start + BATCH]
        for i, (trace, scores) in enumerate(zip(batch, scorer.score(batch), strict=True), start):
            verdict = triage(trace, scores)
            scored.failure.append(verdict.failure.value if verdict.failure else HEALTHY)
            scored.coverage.append(scores.coverage.value)
            if scores.hallucination is not None:
                scored.hallucination[i] = scores.hallucination
        tell(what, start + len(batch), len(traces))
    return scored


def compare(
    examples: Sequence[Example], serving: Scored, candidate: Scored, clusters: Ints, seed: int
) -> list[Slice]:
    """Overall, every language and tenant (hallucination), and every failure class (one against the rest)."""
    weights = np.array([e.label.weight for e in examples])
    said = [e.label.hallucination for e in examples]
    labels = np.array([np.nan if s is None else float(s) for s in said])
    usable = np.isfinite(labels) & np.isfinite(serving.hallucination) & np.isfinite(candidate.hallucination)
    slices = []
    for kind, name, mine in _parts(examples):
        rows = np.flatnonzero(usable & mine)
        if len(rows):
            draws = draw_weights(clusters[rows], weights[rows], seed)
            slices.append(
                compare_chances(
                    Slice(kind, name, len(rows), int(labels[rows].sum())),
                    labels[rows],
                    serving.hallucination[rows],
                    candidate.hallucination[rows],
                    draws,
                )
            )
    return slices + _compare_classes(examples, serving, candidate, clusters, weights, seed)


def compare_chances(into: Slice, labels: Floats, serving: Floats, candidate: Floats, draws: Floats) -> Slice:
    """Every measure of both, and the gain, on the same resamplings (a paired bootstrap)."""
    for name, measure in MEASURES.items():
        before, after = measure(labels, serving, draws), measure(labels, candidate, draws)
        into.serving[name], into.candidate[name] = estimate(before), estimate(after)
        into.gain[name] = estimate(before - after if name in LESS_IS_BETTER else after - before)
    return into


def _compare_classes(
    examples: Sequence[Example],
    serving: Scored,
    candidate: Scored,
    clusters: Ints,
    weights: Floats,
    seed: int,
) -> list[Slice]:
    """F1 of each class through triage. A class that nobody labelled is left out."""
    rows = [i for i, e in enumerate(examples) if e.label.failure is not None]
    if not rows:
        return []
    draws = draw_weights(clusters[rows], weights[rows], seed)
    truth = np.array([examples[i].label.failure for i in rows])
    before = np.array([serving.failure[i] for i in rows])
    after = np.array([candidate.failure[i] for i in rows])
    f1 = MEASURES["f1"]
    slices = []
    for name in CLASSES:
        is_it = (truth == name).astype(np.float64)
        if is_it.any():
            found = Slice(CLASS, name, len(rows), int(is_it.sum()))
            old = f1(is_it, (before == name).astype(np.float64), draws)
            new = f1(is_it, (after == name).astype(np.float64), draws)
            found.serving["f1"], found.candidate["f1"] = estimate(old), estimate(new)
            found.gain["f1"] = estimate(new - old)
            slices.append(found)
    return slices


def _parts(examples: Sequence[Example]) -> Iterator[tuple[str, str, Bools]]:
    yield OVERALL, "", np.ones(len(examples), dtype=bool)
    for kind, values in (
        ("language", [e.language for e in examples]),
        ("tenant", [e.tenant for e in examples]),
    ):
        for name in sorted(set(values)):
            yield kind, name, np.array([v == name for v in values])


__all__ = ["CLASS", "OVERALL", "Scored", "Slice", "compare", "compare_chances", "score_all"]
