"""How an encoder's logits become probabilities, fitted on labelled rows that training has not seen."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from encoder_training.rows import as_case, read_rows
from judges.encoder.combine import Aggregate, Blend, Fitting, to_logit
from judges.encoder.pairs import Pair, list_pairs
from judges.encoder.tier import MOST_PAIRS
from schemas.scored import Scorer

Floats = npt.NDArray[np.float64]

Tell = Callable[[int, int], None]


class Supports(Protocol):
    """What gives a logit of support for each pair: `EncoderJudge`."""

    def supports(self, pairs: Sequence[Pair]) -> list[float]: ...


UNUSED = ("halueval",)
"""Written by a model to be wrong: not what real answers are like."""
UNSURE = (0.15, 0.85)
"""Probabilities of the cheap scorer within which a tier may be set to read."""
RIDGE = 2.0
STEPS = 50


@dataclass(frozen=True, slots=True)
class Read:
    """One labelled row as both scorers see it. `cheap` is a probability, or null."""

    source: str
    language: str
    label: int
    support: list[float]
    cheap: float | None


def read_all(
    folder: Path, judge: Supports, scorer: Scorer, known: dict[str, list[float]], tell: Tell
) -> list[Read]:
    """Every usable row of the development split, read by both.

    `known` holds what the encoder has said of rows before, by id, and is filled with what it says now.
    """
    rows = [r for r in read_rows(folder, "dev") if not r["source"].startswith(UNUSED)]
    found: list[Read] = []
    for n, row in enumerate(rows):
        case = as_case(row)
        pairs = list_pairs(case, MOST_PAIRS)
        if pairs:
            [scores] = scorer.score([case.trace])
            if row["id"] not in known:
                known[row["id"]] = judge.supports(pairs)
            language = case.language or "any"
            support = known[row["id"]]
            found.append(Read(family(row["source"]), language, row["label"], support, scores.hallucination))
        tell(n + 1, len(rows))
    return found


def family(source: str) -> str:
    """Sources that are one data set under several names."""
    return source.split("_")[0] if source.startswith(("summedits", "ragtruth", "begin")) else source


def fit(rows: Sequence[Read], version: str, scorer: str) -> Fitting:
    """Weights for each language, and for any other those of all rows."""
    languages = ("any", "en", "zh")
    parts = {spoken: [r for r in rows if spoken in ("any", r.language)] for spoken in languages}
    aggregate = {spoken: fit_aggregate(part) for spoken, part in parts.items()}
    blend = {spoken: fit_blend(part, aggregate[spoken]) for spoken, part in parts.items()}
    facts = {"rows": dict(sorted(Counter(r.source for r in rows).items())), "blended_with": scorer}
    return Fitting(version=version, aggregate=aggregate, blend=blend, facts=facts)


def fit_aggregate(rows: Sequence[Read]) -> Aggregate:
    """What the claims' logits say of the answer: a weaker claim never speaks for it."""
    columns = np.array([[min(r.support), np.mean(r.support), math.log(len(r.support))] for r in rows])
    bias, weakest, mean, claims = fit_logistic(columns, rows)
    if mean > 0 or weakest > 0:
        bias, weakest, claims = fit_logistic(columns[:, [0, 2]], rows)
        mean = 0.0
    return Aggregate(bias, weakest, mean, claims)


def fit_blend(rows: Sequence[Read], aggregate: Aggregate) -> Blend:
    """What both scorers together say of the answers that the cheap one is unsure of: no others are read."""
    known = [r for r in rows if r.cheap is not None and UNSURE[0] <= r.cheap <= UNSURE[1]]
    columns = np.array([[to_logit(r.cheap or 0.0), aggregate.logit(r.support)] for r in known])
    return Blend(*fit_logistic(columns, known))


def fit_logistic(columns: Floats, rows: Sequence[Read]) -> list[float]:
    """Intercept and weights of a ridge-penalised logistic regression, by Newton's steps.

    Each source counts by the root of its size.
    """
    sizes = Counter(r.source for r in rows)
    worth = np.array([1 / math.sqrt(sizes[r.source]) for r in rows])
    worth *= len(rows) / worth.sum()
    truth = np.array([float(r.label) for r in rows])
    design = np.column_stack([np.ones(len(rows)), columns])
    penalty = np.diag([0.0] + [RIDGE] * columns.shape[1])
    weights = np.zeros(design.shape[1])
    for _ in range(STEPS):
        said = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (worth * (truth - said)) - penalty @ weights
        bend = (design * (worth * said * (1 - said))[:, None]).T @ design + penalty
        weights += np.linalg.solve(bend, slope)
    return [round(float(w), 5) for w in weights]
