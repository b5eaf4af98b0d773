"""May a candidate serve? Only where nothing says that it is worse, and something says that it is better.

Four things are asked, and each answer that stands against a promotion is a sentence with its numbers:

* overall, on labelled rows that neither scorer was fitted on: better, or at least as good;
* in every language, tenant and class with enough rows: not worse. The lower end of the 95 % interval of the
  paired difference may fall at most a margin below zero (a test of non-inferiority). With fewer rows the
  interval is wide whatever the candidate is worth; there it stands against a promotion only if the loss is
  beyond the margin and beyond chance, several slices being looked at;
* on canaries, whose truth nobody had to label: not worse in ranking either. This is what labels that are
  wrong on both sides of the split cannot hide from;
* the labels themselves: do they contradict what is plain, and do people and judges agree?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from judges.distillation.evaluate import CLASS, OVERALL, Slice
from judges.distillation.lapses import MOST, fit_lapses
from judges.distilled.measuring.units import Floats

MARGINS: Final = {"auroc": 0.06, "brier": 0.03, "f1": 0.1}
"""How far below zero the interval of a gain may reach, by measure."""
CANARY_MARGIN: Final = 0.08
ENOUGH: Final = 60
"""Rows of each kind (bad and good; of a class and of the others) from which a slice is held to a margin."""
SOME: Final = 15
"""Rows of each kind from which a slice is looked at at all."""

CONTRADICTED: Final = 0.2
"""Share of plain cases that labels may contradict."""
RARE: Final = 1 / 3
"""Share of the labels up to which one of the two is rare."""
CERTAIN: Final = 2.71
"""Twice the log-likelihood by which a larger share must fit better (χ² of one degree, 90 %): to refuse good
labels costs a second look, to learn from bad ones costs the trust in every score."""
TOGETHER: Final = 30
"""Traces with a label of a person and of a judge, from which their agreement is asked for."""
AGREE: Final = 0.3
"""Cohen's kappa below which people and judges do not speak of the same thing."""


LABELS: Final = "labels"
_BEYOND_CHANCE: Final = 2.81 / (2 * 1.96)
"""Half of a 99.5 % interval, in widths of a 95 % one: ten slices are looked at, or so."""


@dataclass(frozen=True, slots=True)
class Objection:
    """One thing that stands against a promotion."""

    slice: str
    """What it was found in, e.g. `language zh`, `canaries en`, `labels`."""
    sentence: str
    numbers: dict[str, Any]


def check_overall(slices: Sequence[Slice]) -> list[Objection]:
    """Better in ranking, or surely in Brier score with better decisions, and worse in neither.

    A Brier score alone is not enough: chances that are merely drawn to the middle score better on labels
    that lie, and decide nothing better.
    """
    whole = next((s for s in slices if s.kind == OVERALL), None)
    if whole is None or min(whole.positives, whole.negatives) < SOME:
        found = f"{whole.positives} and {whole.negatives}" if whole else "none"
        return [
            Objection(
                OVERALL,
                f"Too few held-out labels to tell the two apart: {SOME} of each kind are needed, "
                f"there are {found}.",
                {},
            )
        ]
    against = _worse(whole, "auroc", "overall") + _worse(whole, "brier", "overall")
    ranking, error, decisions = (whole.gain[m] for m in ("auroc", "brier", "f1"))
    calibrated = error.low > 0 and decisions.value > 0
    if not against and ranking.value <= 0 and not calibrated:
        against.append(
            Objection(
                OVERALL,
                "The candidate is not better overall: AUROC "
                f"{whole.candidate['auroc'].value:.3f} against {whole.serving['auroc'].value:.3f}, "
                f"Brier score {whole.candidate['brier'].value:.4f} against "
                f"{whole.serving['brier'].value:.4f}, F1 {whole.candidate['f1'].value:.3f} against "
                f"{whole.serving['f1'].value:.3f} on {whole.rows:,} held-out rows.",
                {"auroc": ranking.as_json(), "brier": error.as_json(), "f1": decisions.as_json()},
            )
        )
    return against


def check_slices(slices: Sequence[Slice]) -> list[Objection]:
    """Not worse in any language, tenant or class that has enough rows."""
    against = []
    for found in slices:
        name = f"{found.kind} {found.name or '(none)'}"
        measures = ("f1",) if found.kind == CLASS else ("auroc", "brier")
        rows = min(found.positives, found.negatives)
        if found.kind != OVERALL and rows >= SOME:
            for measure in measures:
                against += _worse(found, measure, name, clearly=rows < ENOUGH)
    return against


def check_canaries(canaries: Sequence[Slice]) -> list[Objection]:
    """Not worse at telling changed answers from unchanged ones."""
    return [
        objection
        for found in canaries
        if min(found.positives, found.negatives) >= ENOUGH
        for objection in _worse(found, "auroc", f"canaries {found.name}", margin=CANARY_MARGIN)
    ]


def check_contradictions(sure: Floats, labels: Floats, weights: Floats) -> list[Objection]:
    """Do labels contradict what is plain? `sure`: logits, out of sample.

    The share of plain negatives labelled 1, and of plain positives labelled 0, is estimated together with
    the calibration of the logits (see `lapses`). A logit may be steeper than it claims, not much flatter:
    a scorer that says nothing at all about these labels is taken to be contradicted by them. Of a
    rare label there are few plain cases, and a scorer that raises an alarm too often would be mistaken for
    labels that lie: there only the other share counts.
    """
    bad = float(labels @ weights) / max(float(weights.sum()), 1e-12)
    most = (MOST if bad > 1 - RARE else CONTRADICTED, MOST if bad < RARE else CONTRADICTED)
    free = fit_lapses(sure, labels, weights, least_slope=0.8)
    bound = fit_lapses(sure, labels, weights, most=most, least_slope=0.8)
    if 2 * (bound.loss - free.loss) < CERTAIN:
        return []
    numbers = {"labelled_bad_though_good": free.false_alarms, "labelled_good_though_bad": free.misses}
    return [
        Objection(
            LABELS,
            f"The labels contradict what is plain: about {free.false_alarms:.0%} of clearly supported "
            f"answers are labelled as hallucinated, about {free.misses:.0%} of clear hallucinations as "
            f"supported; up to {CONTRADICTED:.0%} can be learned from. See `contradictions` in the report.",
            {name: round(value, 3) for name, value in numbers.items()},
        )
    ]


def check_agreement(people: Sequence[bool], judges: Sequence[bool]) -> list[Objection]:
    """Do people and judges agree, on the traces that both have labelled?"""
    if len(people) < TOGETHER:
        return []
    kappa = cohens_kappa(people, judges)
    if kappa >= AGREE:
        return []
    return [
        Objection(
            LABELS,
            f"People and judges agree on little: Cohen's kappa is {kappa:.2f} on the {len(people):,} traces "
            f"that both labelled, {AGREE} is needed. Compare guideline and rubric.",
            {"kappa": round(kappa, 3), "traces": len(people)},
        )
    ]


def cohens_kappa(first: Sequence[bool], second: Sequence[bool]) -> float:
    """Agreement beyond chance (Cohen 1960): 1 is perfect, 0 is chance. 0 where all agree on one label."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    seen = float((a == b).mean())
    chance = float(a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean()))
    return (seen - chance) / (1 - chance) if chance < 1 else 0.0


def _worse(
    found: Slice, measure: str, name: str, *, clearly: bool = False, margin: float | None = None
) -> list[Objection]:
    """An objection, where the gain may be below minus the margin (`clearly`: where it surely is a loss)."""
    allowed = MARGINS[measure] if margin is None else margin
    gain = found.gain[measure]
    if not np.isfinite(gain.low):
        return []
    loss = max(allowed, _BEYOND_CHANCE * (gain.high - gain.low))
    if gain.value >= -loss if clearly else gain.low >= -allowed:
        return []
    bound = f"a loss beyond {loss:.2f} is none of chance" if clearly else f"it may begin at {-allowed:+.2f}"
    return [
        Objection(
            name,
            f"In {name} the candidate may be worse: {measure} {found.candidate[measure].value:.3f} against "
            f"{found.serving[measure].value:.3f} on {found.rows:,} rows ({found.positives:,} positive), "
            f"a gain of {gain.value:+.3f}, 95 % interval {gain.low:+.3f} to {gain.high:+.3f}; {bound}.",
            {"measure": measure, "gain": gain.as_json(), "margin": allowed},
        )
    ]


__all__ = [
    "LABELS", "Objection", "check_agreement", "check_canaries", "check_contradictions", "check_overall",
    "check_slices", "cohens_kappa",
]  # fmt: skip
