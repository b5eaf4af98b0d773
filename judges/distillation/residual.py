"""A candidate on top of its parent: trees for what the parent gets wrong about claims, and new curves.

Labels are given for whole answers, and it is claims that are wrong. So claims are learned from answers as
from bags (multiple-instance learning, Dietterich et al. 1997): every claim of a good answer is good; of a
bad one, only the claim that looks worst is taken to be bad, unless somebody marked what is. That is fitted
twice, the second time with the worst claims as the first fit sees them. What the parent makes of an answer's
claims together stays as it is: trees on whole answers were tried, and learned the errors of the labels.

Labels err. Each counts for as much as it is likely to be right, given how often labels lapse (see `lapses`)
and what the parent makes of the trace.

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
from judges.distilled.heads.calibration import ANY_LANGUAGE, Calibration, calibrate
from judges.distilled.heads.forest import Forest
from judges.distilled.heads.weights import Weights
from judges.distilled.measuring.tokens import Ints
from judges.distilled.measuring.units import Floats

FOLDS: Final = 5
CLAIM_ROUNDS: Final = (20, 50, 100, 200)
"""How many trees on claims are tried; none at all is tried as well."""
CLAIM: Final = Boost(rounds=CLAIM_ROUNDS[-1], leaves=7)
PER_LANGUAGE: Final = 400
"""Labels of each class from which a language is calibrated by itself."""
SHIFT: Final = 0.1
"""How far calibration may follow the base rate of the teaching period (logits): a scorer that took calm weeks
for granted would be blind to the spike that it is there to see."""
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

    def credit(self, logits: Floats) -> Floats:
        """The chance that each label is right, given what the parent makes of its trace (Bayes)."""
        fit = fit_lapses(logits, self.bad, self.weight)
        bad = 1.0 / (1.0 + np.exp(-(fit.slope * np.clip(logits, -15.0, 15.0) + fit.intercept)))
        true_alarm, false_alarm = (1.0 - fit.misses) * bad, fit.false_alarms * (1.0 - bad)
        true_calm, miss = (1.0 - fit.false_alarms) * (1.0 - bad), fit.misses * bad
        credit: Floats = np.where(
            self.bad > 0, true_alarm / (true_alarm + false_alarm), true_calm / (true_calm + miss)
        )
        return credit

    def loss(self, logits: Floats) -> float:
        """How badly unseen logits explain the labels, lapses allowed for (nats)."""
        return fit_lapses(logits, self.bad, self.weight).loss


@dataclass(slots=True)
class Fitted:
    """What came of it."""

    forests: dict[str, Forest]
    calibration: Curves
    unseen: Floats
    """The trace logits of every lesson, from trees that did not see its group, by the parent's curves."""
    parent_unseen: Floats
    """The parent's."""
    rounds: int
    """How many trees were added to the claim forest."""


def fit_residual(claims: Claims, lessons: Lessons, parent: Weights, seed: int, tell: Tell) -> Fitted:
    """Fit trees on claims, then the curves of claims and of traces. All lessons must have claims."""
    start = parent.forests["claim"].score(claims.vectors)
    head = parent.forests["trace"]
    believed = replace(
        lessons, weight=lessons.weight * lessons.credit(head.score(claims.trace_vectors(start)))
    )
    unseen = _cross_fit_claims(claims, believed, start, seed, tell)
    heads = {rounds: head.score(claims.trace_vectors(logits)) for rounds, logits in unseen.items()}
    rounds = _choose(heads, lessons)
    forests = dict(parent.forests)
    if rounds:
        everyone = np.ones(len(lessons.bad), dtype=bool)
        grown = _fit_claims(claims, believed, everyone, start, seed)
        forests["claim"] = forests["claim"].extend(_first_trees(grown, rounds))
    curves = _calibrate(claims, lessons, parent, unseen[rounds], heads[rounds])
    old = parent.calibration.get("trace", {})
    now, before = (apply_curves(old, heads[r], claims.languages) for r in (rounds, 0))
    return Fitted(forests, curves, now, before, rounds)


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


def _choose(heads: Mapping[int, Floats], lessons: Lessons) -> int:
    """The fewest rounds that nothing beats by more than it is worth."""
    losses = {rounds: lessons.loss(logits) for rounds, logits in heads.items()}
    least = min(losses.values())
    return min(rounds for rounds, loss in losses.items() if loss <= least + WORTH)


def _calibrate(
    claims: Claims, lessons: Lessons, parent: Weights, claim_logits: Floats, trace_logits: Floats
) -> Curves:
    """The parent's curves of claims and traces, bent by what the labels say of all languages together.

    A language with many labels is bent by its own; fewer would tear apart how languages compare.
    """
    languages = np.array([language or "" for language in claims.languages])
    labels, weights = _claim_labels(claims, lessons, claim_logits)
    used = np.flatnonzero(weights > 0)
    of_claims, of_traces = (parent.calibration.get(head, {}) for head in ("claim", "trace"))
    own = languages[claims.owner]
    return {
        "claim": _bend(of_claims, claim_logits[used], labels[used], weights[used], own[used]),
        "trace": _bend(of_traces, trace_logits, lessons.bad, lessons.weight, languages),
    }


def _bend(
    curves: Mapping[str, Calibration],
    logits: Floats,
    labels: Floats,
    weights: Floats,
    languages: npt.NDArray[np.str_],
) -> dict[str, Calibration]:
    before = apply_curves(curves, logits, languages.tolist())
    everyone = fit_lapses(before, labels, weights, shift=SHIFT)
    plain = curves.get(ANY_LANGUAGE, Calibration.line(1.0, 0.0))
    bent = {ANY_LANGUAGE: _bent(plain, everyone)}
    for language in sorted({*languages.tolist(), *curves} - {"", ANY_LANGUAGE}):
        mine = np.flatnonzero(languages == language)
        bad = int(labels[mine].sum())
        many = min(bad, len(mine) - bad) >= PER_LANGUAGE
        fit = fit_lapses(before[mine], labels[mine], weights[mine], shift=SHIFT) if many else everyone
        if many or language in curves:
            bent[language] = _bent(curves.get(language, plain), fit)
    return bent


def _bent(curve: Calibration, fit: Lapses) -> Calibration:
    return Calibration(curve.raw, fit.slope * curve.calibrated + fit.intercept)


def apply_curves(
    curves: Mapping[str, Calibration], logits: Floats, languages: Sequence[str | None]
) -> Floats:
    """Calibrated logits, each by the curve of its language."""
    chances = np.clip(calibrate(curves, logits, list(languages)), 1e-9, 1 - 1e-9)
    calibrated: Floats = np.log(chances / (1.0 - chances))
    return calibrated


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
