"""From examples to a candidate and a report on it: split, refuse, fit, examine, decide. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judges.distillation.evaluate import Slice, compare, compare_chances, score_all
from judges.distillation.examples import Example
from judges.distillation.guards import (
    LABELS,
    Objection,
    check_agreement,
    check_canaries,
    check_contradictions,
    check_overall,
    check_slices,
)
from judges.distillation.leaks import refuse_leaks
from judges.distillation.measured import Tell, measure_claims
from judges.distillation.metrics import draw_weights
from judges.distillation.refuse import refuse_few, refuse_single_annotator
from judges.distillation.report import describe
from judges.distillation.residual import FOLDS, Fitted, Lessons, fit_residual
from judges.distillation.split import Split, fold_of, split_examples
from judges.distillation.trusted import make_canaries
from judges.distilled.heads.weights import Manifest, Weights
from judges.distilled.measuring.tokens import Ints
from judges.distilled.student import StudentScorer


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked for."""

    version: str
    made_at: str
    seed: int = 0
    allow_single_annotator: bool = False


@dataclass(slots=True)
class Distilled:
    """The candidate, and what is known of it."""

    weights: Weights
    objections: list[Objection]
    report: dict[str, Any]

    @property
    def may_serve(self) -> bool:
        """Whether nothing stands against a promotion."""
        return not self.objections

    @property
    def worth_trying(self) -> bool:
        """Whether its labels can be trusted, so that trying it beside the serving scorer may tell more."""
        return all(objection.slice != LABELS for objection in self.objections)


def distill(examples: Sequence[Example], parent: Weights, plan: Plan, tell: Tell) -> Distilled:
    """Fit a candidate on the earlier examples and examine it on the later ones.

    `parent`: the weights that serve. The same examples in the same order, the same parent and plan give the
    same arrays. Raises LabelsRefused where there is nothing to learn from.
    """
    refuse_few(examples)
    if not plan.allow_single_annotator:
        refuse_single_annotator(examples)
    split = split_examples(examples, plan.seed)
    refuse_leaks(examples, split.clusters)
    lessons, teaching, fitted = _fit(examples, split, parent, plan, tell)
    candidate = _candidate(fitted, parent, plan, teaching)
    examined = np.flatnonzero(split.examines)
    examining = [examples[i] for i in examined.tolist()]
    slices, canaries = _examine(examining, split.clusters[examined], parent, candidate, plan, tell)
    plain = (fitted.unseen + fitted.parent_unseen) / 2  # what lies taught must not vouch for them alone
    objections = [
        *check_overall(slices),
        *check_slices(slices),
        *check_canaries(canaries),
        *check_contradictions(plain, lessons.bad, lessons.weight),
        *_check_agreement(examples),
    ]
    report = describe(
        manifest=candidate.manifest,
        examples=examples,
        teaching=teaching,
        examining=examining,
        cut=split.cut,
        trees=fitted.rounds,
        slices=slices,
        canaries=canaries,
        objections=objections,
        plain=plain,
    )
    metrics = {"held_out": slices[0].as_json()["candidate"] if slices else {}}
    candidate = replace(candidate, manifest=replace(candidate.manifest, metrics=metrics))
    return Distilled(candidate, objections, report)


def _fit(
    examples: Sequence[Example], split: Split, parent: Weights, plan: Plan, tell: Tell
) -> tuple[Lessons, list[Example], Fitted]:
    """Fit on those teaching traces whose answers make claims that can be measured."""
    known = np.array([e.label.hallucination is not None for e in examples])
    chosen = np.flatnonzero(split.teaches & known)
    claims = measure_claims([examples[i].trace for i in chosen.tolist()], tell)
    chosen = chosen[claims.measured]
    teaching = [examples[i] for i in chosen.tolist()]
    refuse_few(teaching, teaching=True)
    lessons = Lessons(
        bad=np.array([float(bool(e.label.hallucination)) for e in teaching]),
        weight=np.array([e.label.weight for e in teaching]),
        spans=[e.label.spans for e in teaching],
        fold=fold_of(split.clusters[chosen], FOLDS, plan.seed),
    )
    return (
        lessons,
        teaching,
        fit_residual(claims.only_measured(), lessons, parent, plan.seed, tell),
    )


def _candidate(fitted: Fitted, parent: Weights, plan: Plan, teaching: Sequence[Example]) -> Weights:
    """The parent with the new trees and curves. Heads that were not learned stay as they are."""
    manifest = Manifest(
        version=plan.version,
        made_at=plan.made_at,
        seed=plan.seed,
        parent=parent.manifest.version,
        data={"labels": len(teaching), "parent": dict(parent.manifest.data)},
    )
    curves = {head: dict(found) for head, found in parent.calibration.items()} | fitted.calibration
    return replace(parent, manifest=manifest, forests=fitted.forests, calibration=curves)


def _examine(
    examining: Sequence[Example],
    clusters: Ints,
    parent: Weights,
    candidate: Weights,
    plan: Plan,
    tell: Tell,
) -> tuple[list[Slice], list[Slice]]:
    """Both scorers, whole, on the held-out rows and on canaries made of them."""
    old, new = StudentScorer(parent), StudentScorer(candidate)
    traces = [e.trace for e in examining]
    serving = score_all(old, traces, "scoring held-out traces as served", tell)
    trying = score_all(new, traces, "scoring held-out traces anew", tell)
    slices = compare(examining, serving, trying, clusters, plan.seed)
    canaries = make_canaries(examining, serving, plan.seed)
    before = score_all(old, canaries.traces, "scoring canaries", tell).hallucination
    after = score_all(new, canaries.traces, "scoring canaries anew", tell).hallucination
    measured = np.isfinite(before) & np.isfinite(after)
    found = []
    for language in sorted(set(canaries.language)):
        rows = np.flatnonzero(measured & (np.array(canaries.language) == language))
        if len(rows):
            into = Slice("canaries", language, len(rows), int(canaries.bad[rows].sum()))
            draws = draw_weights(canaries.source[rows], np.ones(len(rows)), plan.seed)
            found.append(compare_chances(into, canaries.bad[rows], before[rows], after[rows], draws))
    return slices, found


def _check_agreement(examples: Sequence[Example]) -> list[Objection]:
    both = [
        (e.label.hallucination, e.also >= 0.5)
        for e in examples
        if e.also is not None and e.label.hallucination is not None
    ]
    return check_agreement([person for person, _ in both], [judge for _, judge in both])


__all__ = ["Distilled", "Plan", "distill"]
