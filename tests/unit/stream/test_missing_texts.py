"""Texts that were cut on their way, or never recorded, are no fault of the application."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from schemas.scored import Judged, Scores
from schemas.taxonomy import Coverage, Failure
from schemas.trace import Trace
from stream.pipeline import judge_batch


class Fixed:
    """A scorer that says the same of every trace."""

    version = "fixed-1"

    def __init__(self, **scores: Any) -> None:
        self._scores = scores

    def score(self, batch: Sequence[Trace]) -> list[Scores]:
        return [Scores(self.version, **self._scores) for _ in batch]


def judged(extra: dict[str, Any] | None, answer: str | None = "an answer", **scores: Any) -> Judged:
    trace = Trace(trace_id="t", question="q", answer=answer, extra=extra)
    return judge_batch([trace], Fixed(**scores))[0]


def test_an_answer_that_was_never_recorded_is_no_system_error() -> None:
    empty = judged(None, None, coverage=Coverage.NO_ANSWER)
    assert empty.verdict.failure is Failure.SYSTEM_ERROR
    hidden = judged({"ragpulse_unrecorded": ["question", "answer"]}, None, coverage=Coverage.NO_ANSWER)
    assert hidden.verdict.failure is None
    assert hidden.scores.coverage is Coverage.NOT_RECORDED


def test_an_answer_of_which_only_the_beginning_is_there_is_no_system_error() -> None:
    cut = judged({"ragpulse_cut": {"answer": 1}}, None, coverage=Coverage.NO_ANSWER)
    assert cut.verdict.failure is None
    assert cut.scores.coverage is Coverage.TRUNCATED


@pytest.mark.parametrize("name", ["chunk_texts", "prompt_context"])
def test_a_claim_may_stand_in_what_was_cut(name: str) -> None:
    scores: dict[str, Any] = {"faithfulness": 0.2, "hallucination": 0.9, "context_sufficiency": 0.1}
    assert judged(None, **scores).verdict.failure is not None
    cut = judged({"ragpulse_cut": {name: 1}}, **scores)
    assert cut.verdict.failure is None
    assert cut.scores.coverage is Coverage.TRUNCATED
    assert (cut.scores.faithfulness, cut.scores.hallucination) == (None, None)


def test_support_in_the_chunks_that_are_whole_counts() -> None:
    cut = judged({"ragpulse_cut": {"chunk_texts": 1}}, faithfulness=1.0, hallucination=0.1)
    assert cut.scores.faithfulness == 1.0
    assert cut.scores.coverage is Coverage.TRUNCATED


def test_chunks_beyond_the_thousandth_leave_the_scores_alone() -> None:
    cut = judged({"ragpulse_cut": {"chunks": 9}}, faithfulness=0.2, hallucination=0.9)
    assert cut.verdict.failure is Failure.HALLUCINATION
    assert cut.scores.coverage is Coverage.TRUNCATED
