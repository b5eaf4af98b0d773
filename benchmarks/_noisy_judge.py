"""Simulated measurements of a system by a judge who does not say the same twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from judges.gate.baseline import Baseline, Pins, baseline_of
from judges.gate.result import CaseResult
from judges.gate.suite import Suite, read_suite

KINDS: Final = {"single_hop": 0.55, "multi_hop": 0.2, "unanswerable": 0.15, "conflicting": 0.1}
INTENTS: Final = ("accounts", "billing", "shipping", "devices")
PINS: Final = Pins("desk", "0" * 16, 5, "simulated", ("judge-1",), "rag 1")
SUITE: Final[Suite] = read_suite(
    {"suite": {"golden": "desk.jsonl", "judges": True, "required": ["judged_faithfulness"]}}
)
_CLAIMS: Final = 3
_RIGHT: Final = 0.92
"""Share of the claims that are supported, of the cases found, and so on."""


@dataclass(frozen=True, slots=True)
class Noise:
    """How often a judge says the contrary of what it mostly says.

    `flips` is the mean over cases; cases differ: some are plain, some a toss-up (beta distribution with
    `spread` pseudo-observations; the fewer, the more they differ).
    """

    flips: float
    spread: float = 2.0
    jitter: float = 0.05
    """Standard deviation of marks between 0 and 1."""
    worse_on: str = ""
    """A kind of case on which the judge flips three times as often."""


class Desk:
    """One system on one golden set: what is true of it, and how doubtful each case is."""

    def __init__(self, cases: int, noise: Noise, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        random = self._random
        kinds = [k for kind, share in KINDS.items() for k in [kind] * round(share * cases)]
        self.strata = [
            {
                "kind": kind,
                "intent": str(random.choice(INTENTS)),
                "language": "zh" if number % 2 else "en",
                "tenant": "",
            }
            for number, kind in enumerate(kinds)
        ]
        self.noise = noise
        size = len(kinds)
        a = max(noise.flips, 1e-9) * noise.spread
        often = np.array([3.0 if kind == noise.worse_on else 1.0 for kind in kinds])
        doubt = random.beta(a, noise.spread - a, size) if noise.flips else np.zeros(size)
        self._doubt = np.minimum(0.5, often * doubt)
        self._claims = random.random((size, _CLAIMS)) < _RIGHT
        self._found = random.random(size) < _RIGHT
        self._refuses = random.random(size) < _RIGHT
        self._relevance = np.clip(random.normal(0.85, 0.1, size), 0, 1)

    def measure(self, seed: int, lost: Mapping[str, float] | None = None) -> list[CaseResult]:
        """One run of the judge. `lost`: share of the cases of a kind on which the system now fails."""
        random = np.random.default_rng(seed)
        size = len(self.strata)
        broken = np.array([random.random() < (lost or {}).get(one["kind"], 0.0) for one in self.strata])
        said = self._claims & ~broken[:, None]
        flipped = random.random((size, _CLAIMS)) < self._doubt[:, None]
        faithfulness = (said ^ flipped).mean(axis=1)
        relevance = np.clip(
            np.where(broken, 0.3, self._relevance) + random.normal(0, self.noise.jitter, size), 0, 1
        )
        recall = self._found ^ (random.random(size) < self._doubt)
        refusals = self._refuses ^ (random.random(size) < self._doubt)
        return [
            CaseResult(
                f"c-{at:04d}",
                "q",
                strata,
                {
                    "answered": 1.0,
                    "judged_context_recall": float(recall[at]),
                    "judged_faithfulness": round(float(faithfulness[at]), 6),
                    "judged_answer_relevance": round(float(relevance[at]), 6),
                    "judged_refusal_correctness": float(refusals[at]),
                },
                {},
            )
            for at, strata in enumerate(self.strata)
        ]


def baseline(results: list[CaseResult]) -> Baseline:
    """A baseline of one run."""
    return baseline_of(PINS, "2026-11-30", results)


__all__ = ["KINDS", "PINS", "SUITE", "Desk", "Noise", "baseline"]
