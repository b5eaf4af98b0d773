"""One trace that a scorer cannot take never spoils its batch."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from judges.distilled import load_scorer
from schemas.bounds import CUT_KEY
from schemas.scored import Scores
from schemas.taxonomy import Coverage
from schemas.trace import Trace
from stream.pipeline import judge_batch
from tests.support.traces import StubScorer


def _traces(*names: str) -> list[Trace]:
    return [Trace(trace_id=name, question="q", answer="a") for name in names]


def test_a_batch_comes_back_in_order() -> None:
    judged = judge_batch(_traces("a", "b", "c"), StubScorer())
    assert [one.trace.trace_id for one in judged] == ["a", "b", "c"]


def test_an_empty_batch_is_no_batch() -> None:
    assert judge_batch([], load_scorer()) == []


def test_the_culprit_alone_comes_back_unscored_with_the_error() -> None:
    judged = judge_batch(_traces("good", "bad", "better"), StubScorer(fails_on="bad"))
    assert [one.scores.coverage for one in judged] == [Coverage.FULL, Coverage.SCORER_ERROR, Coverage.FULL]
    assert judged[1].scores.signals["error"] == "RuntimeError: no idea what to say of this"
    assert judged[1].line()["coverage"] == "scorer_error"


def test_a_scorer_that_answers_for_too_few_is_not_believed() -> None:
    class Forgetful(StubScorer):
        def score(self, batch: Sequence[Trace]) -> list[Scores]:
            return super().score(batch)[: max(1, len(batch) - 1)]

    judged = judge_batch(_traces("a", "b"), Forgetful())
    assert [one.trace.trace_id for one in judged] == ["a", "b"]


@pytest.mark.parametrize(("cut", "coverage"), [(True, Coverage.TRUNCATED), (False, Coverage.FULL)])
def test_a_trace_whose_lists_were_cut_is_not_fully_covered(cut: bool, coverage: Coverage) -> None:
    trace = Trace(trace_id="t", question="q", answer="a", extra={CUT_KEY: {"chunks": 9}} if cut else None)
    assert judge_batch([trace], StubScorer())[0].scores.coverage is coverage
