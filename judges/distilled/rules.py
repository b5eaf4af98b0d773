"""The first scorers: deterministic rules, no model."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.scored import Scores
from schemas.trace import Trace


class RuleScorer:
    """Placeholder while the real one is being written on this branch."""

    version = "rules-0"

    def score(self, batch: Sequence[Trace]) -> list[Scores]:
        return [Scores(scorer_version=self.version) for _ in batch]
