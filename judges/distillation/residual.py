"""A candidate on top of its parent: trees for what the parent gets wrong, appended to its forests.

Labels are given for whole answers, and it is claims that are wrong. So claims are learned from answers as
from bags (multiple-instance learning, Dietterich et al. 1997): every claim of a good answer is good; of a
bad one, only the claim that looks worst is taken to be bad, unless somebody marked what is. That is fitted
twice, the second time with the worst claims as the first fit sees them.

How many rounds are worth having is decided on folds of whole groups, and so is what calibration sees:
no logit that is judged here comes from trees that saw its label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from judges.distillation.examples import Spans
from judges.distillation.lapses import Lapses, fit_lapses
from judges.distillation.measured import Claims, Tell
from judges.distillation.trees import Boost, fit_boost
from judges.distilled.calibration import ANY_LANGUAGE, Calibration
from judges.distilled.forest import Forest, Rows
from judges.distilled.tokens import Ints
from judges.distilled.units import Floats
from judges.distilled.weights import Weights

FOLDS: Final = 5
CLAIM_ROUNDS: Final = (20, 50, 100, 200)
"""How many trees on claims are tried; none at all is tried as well."""
TRACE_ROUNDS: Final = 25
CLAIM: Final = Boost(rounds=CLAIM_ROUNDS[-1], leaves=7)
TRACE: Final = Boost(rounds=TRACE_ROUNDS, leaves=4)
PER_LANGUAGE: Final = 25
"""Labels of each class from which a language gets a calibration of its own."""
WORTH: Final = 2.0
"""Log-likelihood (in nats) that more trees must gain on unseen folds to be kept."""

Bools = npt.NDArray[np.bool_]
Curves = dict[str, dict[str, Calibration]]


@dataclass(slots=True)
class Lessons:
    """What the teaching traces are labelled, one entry a trace."""

    bad: Floats
    """1: at least one claim is unsupported; 0: none is."""
    weight: Floats
    spans: Sequence[Spans | None]
    fold: Ints

    def loss(self, logits: Floats) -> float:
        """How badly unseen logits explain the labels, lapses allowed for (nats)."""
        return fit_lapses(logits, self.bad, self.weight).loss


@dataclass(slots=True)
class Fitted:
    """What came of it."""

    forests: dict[str, Forest]
    calibration: Curves
    unseen: Floats
    """The trace logits of every lesson, from trees that did not see its group; not calibrated."""
    parent_unseen: Floats
    """The parent's."""
    claim_rounds: int
    trace_rounds: int


def fit_residual(claims: Claims, lessons: Lessons, parent: Weights, seed: int, tell: Tell) -> Fitted:
    """Fit trees on claims, then on traces, then the curves of both. All lessons must have claims."""
    start = parent.forests["claim"].score(claims.vectors)
    head = parent.forests["trace"]
    unseen = _cross_fit_claims(claims, lessons, start, seed, tell)
    vectors = {r: claims.trace_vectors(logits) for r, logits in unseen.items()}
    heads = {r: head.score(rows) for r, rows in vectors.items()}
    rounds = _choose(heads, lessons)
    rows, base = vectors[rounds], heads[rounds]
    lifted = base + _cross_fit_traces(rows, base, lessons, seed)
    trace_rounds = TRACE_ROUNDS if lessons.loss(lifted) < lessons.loss(base) - WORTH else 0
    logits = lifted if trace_rounds else base
    forests = dict(parent.forests)
    if rounds:
        everyone = np.ones(len(lessons.bad), dtype=bool)
        grown = _fit_claims(claims, lessons, everyone, start, seed)
        forests["claim"] = forests["claim"].extend(_first_trees(grown, rounds))
    if trace_rounds:
        forests["trace"] = head.extend(fit_boost(rows, lessons.bad, lessons.weight, base, TRACE, seed))
    curves = _calibrate(claims, lessons, unseen[rounds], logits)
    return Fitted(forests, curves, logits, heads[0], rounds, trace_rounds)


def _cross_fit_claims(
    claims: Claims, lessons: Lessons, start: Floats, seed: int, tell: Tell
) -> dict[int, Floats]:
    """By number of rounds (0 too): the logit of each claim from trees that did not see its group."""
    unseen = {rounds: start.copy() for rounds in (0, *CLAIM_ROUNDS)}
    for fold in range(FOLDS):
        grown = _fit_claims(claims, lessons, lessons.fold != fold, start, seed)
        mine = np.flatnonzero(lessons.fold[claims.owner] == fold)
        for rounds in CLAIM_ROUNDS:
            unseen[rounds][mine] += _first_trees(grown, rounds).score(claims.vectors[mine])
        tell("fitting claims", fold + 1, FOLDS)
    return unseen


def _fit_claims(claims: Claims, lessons: Lessons, teaches: Bools, start: Floats, seed: int) -> Forest:
    """Trees on the claims of some traces, fitted twice (see above)."""
    logits = start
    for _ in range(2):
        labels, weights = _claim_labels(claims, lessons, logits)
        used = np.flatnonzero(teaches[claims.owner] & (weights > 0))
        forest = fit_boost(claims.vectors[used], labels[used], weights[used], start[used], CLAIM, seed)
        logits = start + forest.score(claims.vectors)
    return forest


def _claim_labels(claims: Claims, lessons: Lessons, logits: Floats) -> tuple[Floats, Floats]:
    """What each claim is taken to be (1 is bad), and how much it counts; 0: nothing is known of it.

    The claims of a good answer count for less where there are many. Of a bad one, its worst claim counts, or
    all of them where those that are wrong were marked.
    """
    marked, wrong = _read_spans(claims, lessons)
    whole = lessons.weight[claims.owner]
    shared = whole / np.sqrt(np.diff(claims.first)[claims.owner])
    bad = lessons.bad[claims.owner] > 0
    worst = claims.worst(logits) & bad & ~marked
    labels = np.where(marked, wrong, worst)
    return labels, np.where(worst, whole, np.where(marked | ~bad, shared, 0.0))


def _read_spans(claims: Claims, lessons: Lessons) -> tuple[Bools, Floats]:
    """Which claims belong to a bad answer whose faults were marked, and which of these are bad."""
    marked = np.zeros(len(claims.owner), dtype=bool)
    bad = np.zeros(len(claims.owner))
    for i, spans in enumerate(lessons.spans):
        if spans and lessons.bad[i]:
            touched = [any(a < c.end and c.start < b for a, b in spans) for c in claims.spans(i)]
            if any(touched):  # marks outside of any claim say nothing of the claims
                marked[claims.first[i] : claims.first[i + 1]] = True
                bad[claims.first[i] : claims.first[i + 1]] = touched
    return marked, bad


def _cross_fit_traces(rows: Rows, base: Floats, lessons: Lessons, seed: int) -> Floats:
    """What trees on traces add, from trees that did not see the trace's group."""
    added = np.zeros(len(base))
    for fold in range(FOLDS):
        others = np.flatnonzero(lessons.fold != fold)
        mine = np.flatnonzero(lessons.fold == fold)
        grown = fit_boost(
            rows[others], lessons.bad[others], lessons.weight[others], base[others], TRACE, seed
        )
        added[mine] = grown.score(rows[mine])
    return added


def _choose(heads: Mapping[int, Floats], lessons: Lessons) -> int:
    """The fewest rounds that nothing beats by more than it is worth."""
    losses = {rounds: lessons.loss(logits) for rounds, logits in heads.items()}
    least = min(losses.values())
    return min(rounds for rounds, loss in losses.items() if loss <= least + WORTH)


def _calibrate(claims: Claims, lessons: Lessons, claim_logits: Floats, trace_logits: Floats) -> Curves:
    """Curves for claims and traces: one for all, and one for each language with enough labels."""
    languages = np.array([language or "" for language in claims.languages])
    labels, weights = _claim_labels(claims, lessons, claim_logits)
    return {
        "claim": _curves(claim_logits, labels, weights, languages[claims.owner]),
        "trace": _curves(trace_logits, lessons.bad, lessons.weight, languages),
    }


def _curves(
    logits: Floats, labels: Floats, weights: Floats, languages: npt.NDArray[np.str_]
) -> dict[str, Calibration]:
    curves = {ANY_LANGUAGE: _line(fit_lapses(logits, labels, weights))}
    for language in sorted(set(languages.tolist()) - {""}):
        mine = np.flatnonzero(languages == language)
        of_one = int(labels[mine].sum())
        if min(of_one, len(mine) - of_one) >= PER_LANGUAGE:
            curves[language] = _line(fit_lapses(logits[mine], labels[mine], weights[mine]))
    return curves


def _line(fit: Lapses) -> Calibration:
    return Calibration.line(fit.slope, fit.intercept)


def _first_trees(forest: Forest, count: int) -> Forest:
    """The first trees of a forest: trees stand one after another."""
    if count >= len(forest.root):
        return forest
    end = int(forest.root[count])
    return replace(
        forest,
        feature=forest.feature[:end],
        threshold=forest.threshold[:end],
        left=forest.left[:end],
        value=forest.value[:end],
        root=forest.root[:count],
    )


__all__ = ["FOLDS", "Fitted", "Lessons", "fit_residual"]
