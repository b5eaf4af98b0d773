"""The cheap scorers: every trace, on CPU, in Chinese and English alike."""

from __future__ import annotations

from schemas.scored import Scorer


def load_scorer() -> Scorer:
    """The scorer that ships with this version, warm: its first batch is as quick as its tenth."""
    from judges.distilled.rules import RuleScorer

    return RuleScorer()


__all__ = ["load_scorer"]
