"""The odds of yes against no, from the likeliest next tokens."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

YES: Final = frozenset({"yes", "true", "是", "对", "有"})
NO: Final = frozenset({"no", "false", "否", "不", "不是", "没有", "没"})
FLOOR: Final = 1e-6
"""A word that is not among the likeliest has at most about this probability."""


def log_odds(top: Iterable[tuple[str, float]]) -> float | None:
    """log(P(yes) / P(no)) from tokens and their log-probabilities; null where neither is among them."""
    yes = no = 0.0
    for token, logprob in top:
        word = token.strip().casefold()
        if word in YES:
            yes += math.exp(logprob)
        elif word in NO:
            no += math.exp(logprob)
    if yes == no == 0.0:
        return None
    return math.log(max(yes, FLOOR)) - math.log(max(no, FLOOR))


__all__ = ["NO", "YES", "log_odds"]
