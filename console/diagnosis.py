"""The diagnosis of a case: the first stage that failed, by which rule, and what to fix first. Pure.

Words are named here, not written: a page says them in the reader's language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from schemas.taxonomy import HEALTHY, UNSEEN, Stage

STAGES: Final = tuple(Stage)
"""From upstream to downstream."""
State = Literal["failed", "passed", "after", "unknown"]
_UNSEEN: Final = frozenset(coverage.value for coverage in UNSEEN)
_RULES: Final = frozenset(
    {
        "generation_error", "retrieval_error", "empty_answer", "cut_off", "broken_answer", "broken_chunks",
        "follow_up_missing", "follow_up_unchanged", "follow_up_wrong", "follow_up_astray", "no_chunks",
        "blank_chunks", "below_min_score", "refused_without_context", "context_off_topic",
        "answered_beside_the_question", "refused_with_context", "unsupported_claims", "doubted_as_a_whole",
        "healthy",
    }
)  # fmt: skip
"""Rules of triage that pages have words for."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is said first about a case."""

    failure: str
    confidence: float
    stages: tuple[tuple[str, State], ...]
    rule: str
    """The rule that decided; what a reader does not know is shown by its name."""
    fix: str
    """Name of the advice."""
    facts: tuple[tuple[str, Any], ...]
    """The numbers that the rule looked at, by name."""
    leak: bool
    """The answer asserts what the chunks do not hold."""
    unseen: bool
    """Too little was there to look at."""


def diagnose(row: Mapping[str, Any], because: Mapping[str, Any]) -> Diagnosis:
    """From the row of a trace and the numbers that decided."""
    failure, rule = str(row["failure"]), str(row["rule"])
    unseen = failure == HEALTHY and str(row["coverage"]) in _UNSEEN
    return Diagnosis(
        failure=failure,
        confidence=float(row["failure_confidence"]),
        stages=tuple(
            (stage.value, _state(stage, row["first_failed_stage"], failure, unseen)) for stage in STAGES
        ),
        rule=rule,
        fix=rule if rule in _RULES else "other",
        facts=tuple((name, value) for name, value in because.items() if value is not None),
        leak=bool(row["parametric_leak"]),
        unseen=unseen,
    )


def _state(stage: Stage, failed: str, failure: str, unseen: bool) -> State:
    """Only the first failure is named: of what comes before it nothing was found, what comes after is not
    asked."""
    if failure == HEALTHY:
        return "unknown" if unseen else "passed"
    places = {one.value: place for place, one in enumerate(STAGES)}
    if failed not in places:
        return "unknown"
    place = places[stage.value] - places[failed]
    return "failed" if place == 0 else "passed" if place < 0 else "after"


__all__ = ["STAGES", "Diagnosis", "State", "diagnose"]
