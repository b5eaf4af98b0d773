"""What a rule of triage found, and what rules read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from schemas.scored import Scores, Signals
from schemas.taxonomy import Failure, Stage
from schemas.trace import Trace


@dataclass(slots=True, frozen=True)
class Finding:
    """A failure, and the rule and the numbers that decided it."""

    failure: Failure
    stage: Stage
    confidence: float
    rule: str
    because: dict[str, Any]


HALLUCINATED: Final = 0.5
"""Chance of a hallucination from which an answer counts as invented."""
ON_TOPIC: Final = 0.5
"""Share of the history that one chunk speaks of, from which the retriever found the topic all the same."""
SAME_TOPIC: Final = 0.35
"""The same where the rewrite looks wrong: it may only have found better words."""
WRONG_REWRITE: Final = "wrong"

Rule = Callable[[Trace, Scores], Finding | None]


def read_number(signals: Signals, name: str) -> float | None:
    """A signal that is a number; null for anything else, flags among them."""
    value = signals.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def is_invented(scores: Scores) -> bool:
    """Whether the answer counts as invented; not where that was not measured."""
    return scores.hallucination is not None and scores.hallucination >= HALLUCINATED


def found_topic(scores: Scores) -> bool:
    """Whether one chunk holds so much of the history that the retriever found what it was about."""
    held = read_number(scores.signals, "history_cover")
    bar = SAME_TOPIC if scores.signals.get("rewrite_state") == WRONG_REWRITE else ON_TOPIC
    return held is not None and held >= bar


def best_grounded(scores: Scores) -> float | None:
    """Share of the question that the passages behind the answer, or the answer, speak of (0..1)."""
    shares = (
        read_number(scores.signals, "question_in_support"),
        read_number(scores.signals, "rewrite_in_support"),
        scores.answer_relevance,
    )
    return max((s for s in shares if s is not None), default=None)


def name_invention(scores: Scores) -> str:
    """The rule for a hallucination: claims of it, or (every claim passing) the answer as a whole."""
    return "doubted_as_a_whole" if scores.faithfulness == 1.0 else "unsupported_claims"
