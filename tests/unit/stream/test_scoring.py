"""What `ragpulse score` counts."""

from __future__ import annotations

from schemas.scored import Judged, Scores
from schemas.taxonomy import Coverage
from schemas.trace import Trace
from stream.files.score import Tally
from stream.pipeline import judge_batch


class BrokenScorer:
    version = "broken"

    def score(self, batch: object) -> list[Scores]:
        raise RuntimeError("no")


def test_a_trace_that_the_scorer_failed_on_is_not_counted_as_healthy() -> None:
    (judged,) = judge_batch([Trace(trace_id="t", question="q", answer="a")], BrokenScorer())
    assert isinstance(judged, Judged)
    assert judged.scores.coverage is Coverage.SCORER_ERROR
    tally = Tally()
    tally.count(judged)
    assert tally.scorer_errors == 1
    assert tally.by_class.total() == 0
