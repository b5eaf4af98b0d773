"""Which stage failed first? One forest a class, and what a trace admits: probabilities that sum to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from judges.distilled.heads.calibration import Calibration, calibrate
from judges.distilled.heads.forest import Forest, Rows
from judges.distilled.measuring.units import Floats
from judges.finding import found_topic, is_invented
from schemas.scored import Scores
from schemas.taxonomy import HEALTHY, Failure

HEAD: Final = "class"
CLASSES: Final = (
    Failure.REWRITE_FAILURE.value, Failure.POOR_RETRIEVAL.value, Failure.OVER_REFUSAL.value,
    Failure.HALLUCINATION.value, HEALTHY,
)  # fmt: skip
"""Errors and empty retrievals are not learned: a trace shows them."""


@dataclass(slots=True, frozen=True)
class ClassHead:
    """A forest for each of `CLASSES`, in their order, and a curve for each class and language."""

    forests: tuple[Forest, ...]
    curves: Mapping[str, Mapping[str, Calibration]]

    def classify(self, vectors: Rows, scores: Sequence[Scores], follows: Sequence[bool]) -> Floats:
        """Probabilities, shape (cases, len(CLASSES)): rows sum to 1. `follows`: there is a history."""
        languages = [s.language for s in scores]
        chances = np.stack(
            [
                calibrate(self.curves.get(name, {}), forest.score(vectors), languages)
                for name, forest in zip(CLASSES, self.forests, strict=True)
            ],
            axis=1,
        )
        return normalise(np.maximum(chances, 1e-9) * admit(scores, follows))

    @classmethod
    def restore(
        cls, forests: Mapping[str, Forest], calibration: Mapping[str, Mapping[str, Calibration]]
    ) -> Self:
        """The head from a scorer's weights. Raises KeyError where a class has no forest."""
        return cls(
            tuple(forests[forest_name(name)] for name in CLASSES),
            {name: calibration.get(forest_name(name), {}) for name in CLASSES},
        )


def admit(scores: Sequence[Scores], follows: Sequence[bool]) -> Floats:
    """1 where a trace may be of a class, else 0.

    Only a follow-up can be rewritten wrongly, and only if no chunk speaks of what was talked about: else the
    retriever found the topic all the same. A refusal is neither healthy nor invented, and nothing else is
    one refusal too many. An answer is invented if its hallucination score says so, and only then.
    """
    allowed = np.ones((len(scores), len(CLASSES)))
    for i, (score, follow) in enumerate(zip(scores, follows, strict=True)):
        invented = is_invented(score)
        astray = follow and not found_topic(score)
        allowed[i] = (astray, True, score.refusal, not score.refusal and invented,
                      not score.refusal and not invented)  # fmt: skip
    return allowed


def normalise(chances: Floats) -> Floats:
    """Rows that sum to 1."""
    shares: Floats = chances / chances.sum(axis=1, keepdims=True)
    return shares


def forest_name(name: str) -> str:
    """Under which name the forest of a class is stored."""
    return f"{HEAD}_{name}"
