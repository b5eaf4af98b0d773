"""Judged traces for the sampler, and a clock that the test moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schemas.scored import Judged, Scores, Verdict
from schemas.taxonomy import Failure
from schemas.trace import Trace


@dataclass
class Clock:
    """Stands still until it is told."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


def judged(
    trace_id: str, failure: Failure | None = None, hallucination: float | None = None, **fields: Any
) -> Judged:
    trace = Trace.model_validate({"trace_id": trace_id, "question": "q", "answer": "a", **fields})
    return Judged(trace, Scores("s", hallucination=hallucination), Verdict(failure, 0.9, None, "rule", {}))
