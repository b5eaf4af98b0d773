"""Scores to one failure class: pure, explainable."""

from __future__ import annotations

from schemas.scored import Scores, Verdict
from schemas.trace import Trace


def triage(trace: Trace, scores: Scores) -> Verdict:
    """Name the first failed stage of a trace, or none."""
    return Verdict(failure=None, confidence=0.5, stage=None, rule="none", because={})
