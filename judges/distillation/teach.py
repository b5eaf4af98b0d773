"""Fit the shipped scorer's forests: claims first, then answers on top of what the claim forest says.

Whatever is fitted on what was fitted before sees it out of fold, so that no answer meets trees that
learned from its own passages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from judges.distillation.rows import FOLDS
from judges.distillation.table import UNKNOWN, Names, Table
from judges.distillation.trees import Boost, fit_boost
from judges.distilled.heads.forest import Forest, Rows
from judges.distilled.heads.vectors import CLAIM_FEATURES, TRACE_FEATURES
from judges.distilled.measuring.tokens import Bools, Ints
from judges.distilled.measuring.units import Floats

CLAIM: Final = Boost(rounds=180, leaves=10, rate=0.05, rows_a_leaf=40, columns_share=0.5, rows_share=0.8)
TRACE: Final = Boost(
    rounds=250, leaves=16, rate=0.045, rows_a_leaf=15, columns_share=0.3, rows_share=0.8, chances=True
)
SEEDS: Final = 2
"""Forests whose mean is taken."""
WORTH_OF_PAIRS: Final = {"claim": 0.3, "trace": 0.05}
"""What a made row counts for beside a natural one of a source as large."""
HARD: Final = 0.35
"""How much of an answer's target is its own label; the rest is how often its writer errs at that task. One
label of one answer is noisy, and who wrote it is known in training alone."""
AS_WRITTEN: Final = frozenset({"ragtruth", "ragtruth_extra"})
PRIOR: Final = {
    "claim": {"prior": 1.0, "negation_differs": 0.7},
    "trace": {"prior": 0.25, "short_prior": 1.0, "brief_prior": 2.5, "short": -0.5},
}
"""What the rules' logits count for beside the trees. They are added afterwards, and not learned: trees grown
on top of them would take them back wherever the labelled sources differ from what the rules were made for."""

RISING: Final = frozenset(
    "missing_weight missing_from_chunk numbers_unknown numbers_contradicted names_unknown opposites missing "
    "missing_share heaviest_missing longest_gap denied displaced loose loose_stretch no_kin says_no "
    "says_no_weight says_no_only denies_nothing denies_yes clause_missing faults negation_differs "
    "recombined".split()
)
FALLING: Final = frozenset(
    "any chunk pair window clause runs2 runs3 runs4 rules beside around linked".split()
)
"""Claim features that may only speak against a claim, or only for it: what is learned of them then holds
for sources that were never seen."""

Slope = npt.NDArray[np.float32]
Tell = Callable[[str, int, int], None]


@dataclass(slots=True)
class Unseen:
    """Logits from forests that did not see the group: one entry a claim, one entry a row (not calibrated)."""

    claims: Floats
    traces: Floats


def fit_forests(table: Table, teaches: Bools, seed: int, tell: Tell) -> tuple[dict[str, Forest], Unseen]:
    """The forests `claim` and `trace` from the rows that `teaches` flags, and logits for every row.

    Rows that do not teach get theirs from forests fitted without their fold as well.
    """
    claims = np.zeros(len(table.claim_bad))
    for fold in range(FOLDS):
        forest = _fit_claims(table, teaches & (table.fold != fold), seed)
        mine = table.fold[table.owner] == fold
        claims[mine] = forest.score(table.vectors[mine])
        tell("fitting claims", fold + 1, FOLDS + 1)
    claim = _fit_claims(table, teaches, seed)
    tell("fitting claims", FOLDS + 1, FOLDS + 1)
    vectors = table.trace_vectors(claims)
    traces = np.zeros(len(table.rows))
    for fold in range(FOLDS):
        forest = _fit_traces(table, vectors, teaches & (table.fold != fold), seed)
        mine = table.fold == fold
        traces[mine] = forest.score(vectors[mine])
        tell("fitting answers", fold + 1, FOLDS + 1)
    trace = _fit_traces(table, vectors, teaches, seed)
    tell("fitting answers", FOLDS + 1, FOLDS + 1)
    return {"claim": claim, "trace": trace}, Unseen(claims, traces)


def apply_forests(forests: Mapping[str, Forest], table: Table) -> Unseen:
    """What finished forests say of every row of a table."""
    claims = forests["claim"].score(table.vectors)
    return Unseen(claims, forests["trace"].score(table.trace_vectors(claims)))


def balance(source: Names, bad: Ints, made: Bools, worth: float) -> Floats:
    """Weights by which small sources count for more than their size, and both labels of each alike.

    `worth`: what rows that are `made` count for.
    """
    weights = np.zeros(len(bad))
    for name in np.unique(source):
        for label in (0, 1):
            mine = (source == name) & (bad == label)
            if mine.any():
                weights[mine] = 1.0 / np.sqrt(mine.sum())
    weights[made] *= worth
    return weights


def _fit_claims(table: Table, teaches: Bools, seed: int) -> Forest:
    used = np.flatnonzero(teaches[table.owner] & (table.claim_bad != UNKNOWN))
    bad = table.claim_bad[used]
    owner = table.owner[used]
    weights = balance(table.source[owner], bad, table.made[owner], WORTH_OF_PAIRS["claim"])
    signs = tuple((name in RISING) - (name in FALLING) for name in CLAIM_FEATURES)
    how = replace(CLAIM, monotone=signs)
    slope = _prior_slope(CLAIM_FEATURES, PRIOR["claim"])
    return _average(table.vectors[used], bad.astype(np.float64), weights, slope, how, seed)


def _fit_traces(table: Table, vectors: Rows, teaches: Bools, seed: int) -> Forest:
    used = np.flatnonzero(teaches & table.claims)
    weights = balance(table.source[used], table.bad[used], table.made[used], WORTH_OF_PAIRS["trace"])
    slope = _prior_slope(TRACE_FEATURES, PRIOR["trace"])
    return _average(vectors[used], soften(table, used), weights, slope, TRACE, seed)


def soften(table: Table, used: Ints) -> Floats:
    """Targets of the rows `used`, 0..1: the label, drawn towards how often its writer errs at its task.

    Only where the rows are what a writer wrote, and not a choice of good and bad of it (`AS_WRITTEN`).
    """
    bad = table.bad[used].astype(np.float64)
    rows = [table.rows[i] for i in used]
    writer = np.array([f"{r.task}/{r.writer}" if r.source in AS_WRITTEN else "" for r in rows])
    target = bad.copy()
    for name in np.unique(writer[writer != ""]):
        mine = writer == name
        target[mine] = HARD * bad[mine] + (1.0 - HARD) * bad[mine].mean()
    return target


def _average(rows: Rows, target: Floats, weights: Floats, slope: Slope, how: Boost, seed: int) -> Forest:
    """The mean of `SEEDS` forests, with a slope beside them."""
    start = np.zeros(len(rows))
    grown = [fit_boost(rows, target, weights, start, how, seed + k) for k in range(SEEDS)]
    mean = grown[0].scale(1.0 / SEEDS)
    for forest in grown[1:]:
        mean = mean.extend(forest, 1.0 / SEEDS)
    return replace(mean, slope=slope)


def _prior_slope(columns: tuple[str, ...], weights: Mapping[str, float]) -> Slope:
    """The weights of some columns, and 0 for the others."""
    slope = np.zeros(len(columns), dtype=np.float32)
    for name, weight in weights.items():
        slope[columns.index(name)] = weight
    return slope
