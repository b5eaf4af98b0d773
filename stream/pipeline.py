"""Score, then triage: pure, the same for the worker, for `ragpulse score` and for benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judges.triage import triage
from schemas.bounds import was_cut
from schemas.scored import Judged, Scorer, Scores, Verdict
from schemas.taxonomy import Coverage
from schemas.trace import Trace

RULE_SCORER_ERROR: Final = "scorer_error"
_DETAIL_CHARS: Final = 300


def judge_batch(traces: Sequence[Trace], scorer: Scorer) -> list[Judged]:
    """Everything ragpulse has to say about each trace, in order. Never raises for a trace.

    A trace on which the scorer fails does not spoil its batch: the others are scored one by one, and
    the culprit comes back with coverage `scorer_error` and the error as signal `error`.
    """
    try:
        return judge_or_raise(traces, scorer)
    except Exception:
        return [_judge_alone(trace, scorer) for trace in traces]


def judge_or_raise(traces: Sequence[Trace], scorer: Scorer) -> list[Judged]:
    """The same, for a scorer that is not trusted yet: whatever it raises is raised."""
    all_scores = scorer.score(traces)
    for trace, scores in zip(traces, all_scores, strict=True):
        if was_cut(trace.extra) and scores.coverage is Coverage.FULL:
            scores.coverage = Coverage.TRUNCATED
    return [Judged(t, s, triage(t, s)) for t, s in zip(traces, all_scores, strict=True)]


def _judge_alone(trace: Trace, scorer: Scorer) -> Judged:
    try:
        return judge_or_raise([trace], scorer)[0]
    except Exception as error:  # whatever a scorer may raise: it is kept, counted and shown
        detail = f"{type(error).__name__}: {error}"[:_DETAIL_CHARS]
    scores = Scores(scorer.version, coverage=Coverage.SCORER_ERROR, signals={"error": detail})
    verdict = Verdict(
        failure=None, confidence=0.0, stage=None, rule=RULE_SCORER_ERROR, because={"error": detail}
    )
    return Judged(trace, scores, verdict)


__all__ = ["RULE_SCORER_ERROR", "judge_batch", "judge_or_raise"]
