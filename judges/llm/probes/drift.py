"""Has a judge changed? The newest run against its own first runs, without crying wolf.

Even at temperature 0 a model says something else now and then: batching and parallel arithmetic are not
deterministic. How often *this* judge does so is learned from its first runs, and only what goes beyond is
an alarm. One look is false with a probability below `ALPHA` for each of two tests; a run a day gives a false
alarm in a year and more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import exp, lgamma
from statistics import fmean
from typing import Final

import numpy as np

from judges.llm.probes.run import ProbeRun

BASELINE_RUNS: Final = 3
"""The first so many runs that count are the baseline."""
ALPHA: Final = 0.001
NOISE_PRIOR: Final = (1.0, 19.0)
"""Before anything is known, one answer in twenty may flip: Beta(1, 19)."""
STILL: Final = 0.05
"""Differences of a score up to here are none."""
LEAST_SHIFT: Final = 0.05
"""A mean shift below this is not worth a person's attention, however certain it is."""
_FLIPS: Final = 20_000
"""Random signs of the permutation test; with 14 probes or fewer all of them are tried."""


class Signal(StrEnum):
    """What has changed."""

    MODEL = "model"
    """The server says that another model answers."""
    ANSWERS = "answers"
    """More classes are different than this judge's own noise explains."""
    SCORES = "scores"
    """Faithfulness has shifted as a whole."""


@dataclass(slots=True, frozen=True)
class Drift:
    """What a run says, held against the baseline."""

    signals: dict[Signal, str] = field(default_factory=dict)
    """Each with one sentence of facts; empty: nothing has changed."""
    baseline_runs: int = 0
    """How many runs it was compared with; 0 where this run begins the baseline."""
    changed: int = 0
    """Probes with another class than in the baseline."""
    chance_of_changes: float | None = None
    """Probability of so many changes or more if nothing had changed."""
    shift: float | None = None
    """Mean change of faithfulness, -1 to 1."""
    chance_of_shift: float | None = None


def detect_drift(run: ProbeRun, earlier: Sequence[ProbeRun]) -> Drift:
    """Compare a run with the runs before it, oldest first, of the same judge, model, rubric and probe set.

    Only those from the newest one on that begins a baseline are looked at. A run that does not count (too
    few answers) is compared with nothing, and is no part of a baseline.
    """
    baseline = _baseline(earlier)
    if not baseline or not run.counts or run.begins_baseline:
        return Drift()
    signals: dict[Signal, str] = {}
    before = {one.served_by for one in baseline if one.served_by}
    if run.served_by and before and run.served_by not in before:
        signals[Signal.MODEL] = f"{run.served_by} answers instead of {' or '.join(sorted(before))}"
    changed, compared, chance = _compare_answers(run, baseline)
    if chance is not None and chance < ALPHA:
        signals[Signal.ANSWERS] = (
            f"{changed} of {compared} probes have another class than before "
            f"(probability {chance:.1e} if nothing had changed)"
        )
    shift, chance_of_shift = _compare_scores(run, baseline)
    if (
        shift is not None
        and chance_of_shift is not None
        and chance_of_shift < ALPHA
        and abs(shift) >= LEAST_SHIFT
    ):
        signals[Signal.SCORES] = (
            f"faithfulness has shifted by {shift:+.2f} on average "
            f"(probability {chance_of_shift:.1e} if nothing had changed)"
        )
    return Drift(signals, len(baseline), changed, chance, shift, chance_of_shift)


def _baseline(earlier: Sequence[ProbeRun]) -> list[ProbeRun]:
    begun = max((index for index, one in enumerate(earlier) if one.begins_baseline), default=0)
    return [one for one in earlier[begun:] if one.counts][:BASELINE_RUNS]


def _compare_answers(run: ProbeRun, baseline: Sequence[ProbeRun]) -> tuple[int, int, float | None]:
    """Changed probes, compared probes, and the chance of so many changes from noise alone."""
    usual: dict[str, str | None] = {}
    flips = looks = 0
    for name, said in _by_probe(baseline).items():
        (usual[name], often), *_ = Counter(said).most_common(1)
        if len(said) > 1:  # one run alone knows nothing of its noise
            flips += len(said) - often
            looks += len(said)
    compared = [one for one in run.answered() if one.probe in usual]
    changed = sum(one.said != usual[one.probe] for one in compared)
    if not compared:
        return 0, 0, None
    alpha, beta = NOISE_PRIOR[0] + flips, NOISE_PRIOR[1] + looks - flips
    return changed, len(compared), _at_least(changed, len(compared), alpha, beta)


def _by_probe(baseline: Sequence[ProbeRun]) -> dict[str, list[str | None]]:
    said: dict[str, list[str | None]] = {}
    for one in baseline:
        for answer in one.answered():
            said.setdefault(answer.probe, []).append(answer.said)
    return said


def _at_least(count: int, of: int, alpha: float, beta: float) -> float:
    """P(X >= count) of a beta-binomial: what is to be expected after what was seen."""

    def log_beta(a: float, b: float) -> float:
        return lgamma(a) + lgamma(b) - lgamma(a + b)

    def log_choose(k: int) -> float:
        return lgamma(of + 1) - lgamma(k + 1) - lgamma(of - k + 1)

    terms = (
        log_choose(k) + log_beta(k + alpha, of - k + beta) - log_beta(alpha, beta)
        for k in range(count, of + 1)
    )
    return min(1.0, sum(exp(term) for term in terms))


def _compare_scores(run: ProbeRun, baseline: Sequence[ProbeRun]) -> tuple[float | None, float | None]:
    """Mean change of faithfulness, and its chance if up and down were equally likely (sign flips)."""
    before: dict[str, list[float]] = {}
    for one in baseline:
        for answer in one.answered():
            if answer.faithfulness is not None:
                before.setdefault(answer.probe, []).append(answer.faithfulness)
    differences = np.array(
        [
            answer.faithfulness - fmean(before[answer.probe])
            for answer in run.answered()
            if answer.faithfulness is not None and answer.probe in before
        ]
    )
    if not len(differences):
        return None, None
    moved = np.abs(differences[np.abs(differences) > STILL])
    seen = abs(float(differences[np.abs(differences) > STILL].sum()))
    return float(differences.mean()), _sign_flips(moved, seen)


def _sign_flips(sizes: np.ndarray, seen: float) -> float:
    """Share of all signs that give a sum as far from zero as the one that was seen."""
    if not len(sizes):
        return 1.0
    if len(sizes) <= 14:
        signs = 1 - 2 * ((np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes))) & 1)
        return float((np.abs(signs @ sizes) >= seen - 1e-9).mean())
    signs = np.random.default_rng(0).choice((-1, 1), size=(_FLIPS, len(sizes)))
    return float(((np.abs(signs @ sizes) >= seen - 1e-9).sum() + 1) / (_FLIPS + 1))


__all__ = ["ALPHA", "BASELINE_RUNS", "Drift", "Signal", "detect_drift"]
