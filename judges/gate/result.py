"""What was measured of one case, and which of its demands hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from judges.gate.metrics import Layer


class Demand(StrEnum):
    """What is demanded of a single case."""

    ANSWERED = "answered"
    FOUND = "found"
    GROUNDED = "grounded"
    ANSWERS = "answers"
    """It does not refuse what can be answered."""
    SHOULD_REFUSE = "should_refuse"
    MUST_CONTAIN = "must_contain"
    MUST_NOT_CONTAIN = "must_not_contain"
    MINIMUM = "minimum"


HARD = frozenset({Demand.SHOULD_REFUSE, Demand.MUST_CONTAIN, Demand.MUST_NOT_CONTAIN, Demand.MINIMUM})
"""What the golden set demands of this very case: one that does not hold blocks by itself."""


@dataclass(frozen=True, slots=True)
class Check:
    """One demand of one case. `passed` is null where it was not measured; `detail` says what was found."""

    demand: Demand
    layer: Layer
    passed: bool | None
    about: str = ""
    """The text or the metric that it is about."""
    detail: str = ""

    @property
    def key(self) -> str:
        """Names it from one run to the next."""
        return f"{self.demand}:{self.about}" if self.about else self.demand.value

    @property
    def is_hard(self) -> bool:
        """Whether it blocks by itself."""
        return self.demand in HARD


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case of the golden set, with the candidate's answer measured."""

    case_id: str
    question: str
    strata: Mapping[str, str]
    """kind, language, intent and tenant; empty where the case says nothing."""
    values: Mapping[str, float]
    """By metric, 0..1. A metric that makes no sense for this case is neither here nor in `gaps`."""
    gaps: Mapping[str, str]
    """Metrics that were not measured although the case allows it, and why."""
    checks: tuple[Check, ...] = ()
    answer: str = ""
    """How it begins."""

    @property
    def failed(self) -> tuple[Check, ...]:
        """Demands that do not hold, or that nobody could look at: not measured is not passed."""
        return tuple(
            check
            for check in self.checks
            if check.passed is False or (check.passed is None and check.is_hard)
        )

    @property
    def passed(self) -> bool:
        """Whether all that is demanded of it holds."""
        return not self.failed


__all__ = ["HARD", "CaseResult", "Check", "Demand"]
