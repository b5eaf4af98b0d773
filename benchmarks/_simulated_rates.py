"""Simulated traffic whose truth is known: conversations, a scorer that errs, thumbs down, the sampler."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from schemas.scored import Judged, Scores, Verdict
from schemas.taxonomy import Failure
from schemas.trace import Feedback, Release, Trace
from stream.sampling import sampler
from stream.settings.sampling import SamplingSettings

AUROC = 0.85
TURNS = 3
SHARED = 0.5
"""Share of conversations whose turns are all good or all bad."""
_APART = math.sqrt(2) * NormalDist().inv_cdf(AUROC)
_SPAN_S = 1_800.0

Floats = NDArray[np.float64]


@dataclass(slots=True, frozen=True)
class Traffic:
    """One period: one entry a trace."""

    truth: NDArray[np.bool_]
    score: Floats
    """Probability of a hallucination, as the scorer says it."""
    thumbs_down: NDArray[np.bool_]
    conversation: NDArray[np.intp]


def simulate(rng: np.random.Generator, traces: int, rate: float, scorer: str = "calibrated") -> Traffic:
    """Traffic of a hallucination rate; a scorer that is `calibrated`, `alarmist` or `timid`.

    An alarmist says its probability as if 30 % were bad.
    Scores are normal in either class, AUROC apart, and said as a probability. A timid scorer halves the log
    odds: it is sure of nothing.
    """
    conversation = np.arange(traces) // TURNS
    fates = rng.random(conversation[-1] + 1)
    shared = (rng.random(len(fates)) < SHARED)[conversation]
    truth = np.where(shared, fates[conversation], rng.random(traces)) < rate
    logit = _APART * (rng.normal(size=traces) + _APART * truth - _APART / 2)
    prior = 0.3 if scorer == "alarmist" else rate
    logit = (logit + math.log(prior / (1 - prior))) * (0.5 if scorer == "timid" else 1.0)
    thumbs = rng.random(traces) < np.where(truth, 0.06, 0.01)
    return Traffic(truth, 1 / (1 + np.exp(-logit)), thumbs, conversation)


def rates_of(traffic: Traffic, settings: SamplingSettings) -> Floats:
    """What the sampler makes of it without limits and memory; a test holds it to the real one."""
    s = traffic.score
    unsure = (s >= settings.uncertain_low) & (s <= settings.uncertain_high)
    rates = [
        np.full(len(s), max(settings.base_rate, settings.floor_rate)),
        np.where(s >= 0.5, settings.suspected_rate, 0.0),
        np.where(unsure, settings.uncertain_rate, 0.0),
        np.where(traffic.thumbs_down, settings.thumbs_down_rate, 0.0),
    ]
    return np.maximum.reduce(rates)


class Worker:
    """The real sampler over simulated traffic: half an hour of it, with a new release in the last third."""

    def __init__(self, traces: int) -> None:
        self._old, self._new = Release(app="v1"), Release(app="v2")
        self._judged = [
            Judged(
                Trace(trace_id=f"t-{at}", question="q", answer="a", app="app"),
                Scores("simulated"),
                Verdict(None, 0.9, None, "simulated", {}),
            )
            for at in range(traces)
        ]

    def choose(self, traffic: Traffic, settings: SamplingSettings) -> tuple[NDArray[np.bool_], Floats]:
        """Who is chosen, and with what probability. Another salt in the settings is another draw."""
        now, count = 0.0, len(self._judged)
        choose = sampler(settings, lambda: now)
        chosen, probability = np.zeros(count, dtype=np.bool_), np.zeros(count)
        for at, one in enumerate(self._judged):
            now = at * _SPAN_S / count
            self._dress(one, at, traffic)
            sampling = choose(one)
            chosen[at], probability[at] = sampling.selected, sampling.probability
        return chosen, probability

    def _dress(self, one: Judged, at: int, traffic: Traffic) -> None:
        score = float(traffic.score[at])
        one.scores.hallucination = score
        one.verdict.failure = Failure.HALLUCINATION if score >= 0.5 else None
        one.trace.release = self._new if at > len(self._judged) * 2 / 3 else self._old
        one.trace.feedback = Feedback(rating=-1) if traffic.thumbs_down[at] else None
        one.trace.tenant = "rare" if traffic.conversation[at] % 50 == 0 else "loud"
