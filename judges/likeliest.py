"""The failure that a scorer's learned classes make likeliest, put in the words that rules use.

`Scores.classes` are probabilities of what went wrong *first*: they know the order of blame already. What
is seen in the trace itself (errors, nothing retrieved) is settled before they are asked.
"""

from __future__ import annotations

from typing import Any, Final

from judges.finding import Finding, best_grounded, name_invention, read_number
from schemas.scored import Scores
from schemas.taxonomy import HEALTHY, Failure, Stage
from schemas.trace import Trace

BESIDE: Final = 0.2
"""Share of the question below which an answer speaks of something else."""
_STAGES: Final = {
    Failure.REWRITE_FAILURE: Stage.QUERY,
    Failure.POOR_RETRIEVAL: Stage.RETRIEVAL,
    Failure.OVER_REFUSAL: Stage.GENERATION,
    Failure.HALLUCINATION: Stage.GENERATION,
}


def find_likeliest(trace: Trace, scores: Scores) -> Finding | None:
    """The likeliest class, if it is a failure; null for a healthy trace, or where nothing was learned."""
    if not scores.classes:
        return None
    name = max(scores.classes, key=lambda c: scores.classes[c] if scores.classes else 0.0)
    if name == HEALTHY:
        return None
    failure = Failure(name)
    rule, because = _explain(failure, scores)
    probability = scores.classes[name]
    return Finding(failure, _STAGES[failure], probability, rule, because | {"probability": probability})


def _explain(failure: Failure, scores: Scores) -> tuple[str, dict[str, Any]]:
    """The rule that comes nearest to why, and what it looks at."""
    sufficiency = {"context_sufficiency": scores.context_sufficiency}
    match failure:
        case Failure.REWRITE_FAILURE:
            state = scores.signals.get("rewrite_state")
            named = state if state in ("missing", "unchanged", "wrong") else "astray"
            topic = read_number(scores.signals, "history_cover")
            return f"follow_up_{named}", {"rewrite_state": state, "history_cover": topic}
        case Failure.OVER_REFUSAL:
            return "refused_with_context", sufficiency
        case Failure.HALLUCINATION:
            return name_invention(scores), {
                "hallucination": scores.hallucination,
                "faithfulness": scores.faithfulness,
            }
        case _:
            numbers = sufficiency | {"context_relevance": scores.context_relevance}
            if scores.refusal:
                return "refused_without_context", numbers
            grounded = best_grounded(scores)
            beside = grounded is not None and grounded < BESIDE
            rule = "answered_beside_the_question" if beside else "context_off_topic"
            return rule, numbers | {"question_in_support": grounded}
