"""Score, then triage: pure, the same for the worker, for `ragpulse score` and for benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judges.finding import HALLUCINATED
from judges.triage import triage
from schemas.bounds import was_cut, was_recorded
from schemas.scored import Judged, Scorer, Scores, Verdict
from schemas.taxonomy import Coverage
from schemas.trace import Trace

RULE_SCORER_ERROR: Final = "scorer_error"
_DETAIL_CHARS: Final = 300
_HIDES_A_CUT: Final = (
    Coverage.FULL, Coverage.PROMPT_CONTEXT, Coverage.NOT_RECORDED, Coverage.NO_ANSWER, Coverage.NO_CONTEXT,
)  # fmt: skip
"""What is said of a trace whose texts were cut on their way: they were there, but not whole."""
_CONTEXT: Final = ("chunk_texts", "prompt_context")
"""What a claim may stand on without our seeing it: support found elsewhere counts, its absence does not."""


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
        _mind_what_is_missing(trace, scores)
    return [Judged(t, s, triage(t, s)) for t, s in zip(traces, all_scores, strict=True)]


def _mind_what_is_missing(trace: Trace, scores: Scores) -> None:
    """Say so where texts were cut or never recorded, and take nothing for a fault that may be a gap."""
    if scores.coverage is Coverage.NO_ANSWER and not was_recorded(trace.extra, "answer"):
        scores.coverage = Coverage.NOT_RECORDED
    if not was_cut(trace.extra):
        return
    lost_context = any(not was_recorded(trace.extra, name) for name in _CONTEXT)
    if lost_context and (scores.hallucination is None or scores.hallucination >= HALLUCINATED):
        scores.faithfulness = scores.hallucination = scores.classes = None
        scores.context_relevance = scores.context_sufficiency = scores.citation_precision = None
        scores.evidence = []
    if scores.coverage in _HIDES_A_CUT:
        scores.coverage = Coverage.TRUNCATED


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
