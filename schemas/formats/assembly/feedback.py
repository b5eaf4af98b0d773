"""What users and evaluators said of a trace: our `feedback`, and everything else as it came."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from schemas.formats.step import Evaluation
from schemas.trace import Feedback

_BY_USERS: Final = re.compile(
    r"feedback|thumb|user.?(rating|score|vote|satisf)|satisfaction|\b(up|down)?vote|like|rating|csat|helpful|点赞|反馈|满意",
    re.I,
)
_GOOD: Final = frozenset(
    {
        "good",
        "positive",
        "up",
        "thumbs_up",
        "thumbs up",
        "like",
        "liked",
        "👍",
        "helpful",
        "yes",
        "true",
        "satisfied",
        "赞",
        "好",
        "满意",
        "有用",
    }
)
_BAD: Final = frozenset(
    {
        "bad",
        "negative",
        "down",
        "thumbs_down",
        "thumbs down",
        "dislike",
        "disliked",
        "👎",
        "unhelpful",
        "not helpful",
        "no",
        "false",
        "dissatisfied",
        "踩",
        "差",
        "不满意",
        "没用",
    }
)
_NEUTRAL: Final = frozenset({"neutral", "ok", "okay", "一般"})


def read_feedback(evaluations: Iterable[Evaluation]) -> Feedback | None:
    """What the user said, of the last evaluation that is one of a user's; null where none is."""
    found = None
    for evaluation in evaluations:
        if not by_user(evaluation):
            continue
        rating = rate(evaluation)
        if rating is not None or evaluation.comment:
            found = Feedback(rating=rating, comment=evaluation.comment)
    return found


def by_user(evaluation: Evaluation) -> bool:
    """Whether its name speaks of users, and its source of no evaluator."""
    source = (evaluation.source or "").upper()
    if source in ("EVAL", "LLM", "CODE", "MODEL", "AUTO_EVAL"):
        return False
    return _BY_USERS.search(evaluation.name) is not None


def rate(evaluation: Evaluation) -> int | None:
    """-1, 0 or 1; null where the score says neither.

    A yes or no and a score of 0 or 1 are thumbs; of five stars three are neutral; a share of one half
    is neutral; a negative score is bad.
    """
    label = (evaluation.label or "").strip().lower()
    if label in _GOOD:
        return 1
    if label in _BAD:
        return -1
    if label in _NEUTRAL:
        return 0
    score = evaluation.score
    if score is None:
        return None
    if isinstance(score, bool):
        return 1 if score else -1
    if score <= 0:
        return -1
    if score <= 1:
        return 1 if score > 0.5 else 0 if score == 0.5 else -1
    if score <= 5:
        return 1 if score > 3 else 0 if score == 3 else -1
    return None


def as_json(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation as it is kept under `extra`."""
    held = {
        "name": evaluation.name,
        "score": evaluation.score,
        "label": evaluation.label,
        "comment": evaluation.comment,
        "source": evaluation.source,
    }
    return {key: value for key, value in held.items() if value is not None}


__all__ = ["as_json", "by_user", "rate", "read_feedback"]
