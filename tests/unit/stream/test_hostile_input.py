"""Whatever lies on a topic is scored, or refused for a reason: nothing raises, nothing grows without end."""

from __future__ import annotations

import resource
from datetime import UTC, datetime

import orjson
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from judges.distilled import load_scorer
from schemas.formats import REASONS, Unreadable
from schemas.formats.own import decode
from schemas.row import Provenance, Sampling, encode, feedback_row
from schemas.taxonomy import Coverage
from schemas.trace import LateFeedback
from stream.pipeline import judge_batch
from stream.worker.outputs import encode_judged
from tests.support import hostile

AT = datetime(2026, 12, 1, 8, tzinfo=UTC)
WHENCE = Provenance("rag.traces", 0, 7, AT)
SAMPLED = Sampling(True, 0.5, ("control",))
SCORER = load_scorer()


def outcome(data: bytes) -> str:
    """What becomes of a message: the reason of its refusal, `feedback`, or `scored`."""
    (item,) = decode(data)
    if isinstance(item, Unreadable):
        assert item.reason in REASONS
        assert len(item.detail) <= 300
        return item.reason
    if isinstance(item, LateFeedback):
        assert orjson.loads(encode(feedback_row(item, WHENCE)))["trace_id"] == item.trace_id
        return "feedback"
    (judged,) = judge_batch([item], SCORER)
    assert judged.scores.coverage is not Coverage.SCORER_ERROR, judged.scores.signals
    outgoing = encode_judged(judged, WHENCE, SAMPLED, AT)
    assert orjson.loads(outgoing.row)["trace_id"] == item.trace_id
    assert orjson.loads(outgoing.for_judges or b"")["trace"]["trace_id"] == item.trace_id
    return "scored"


@hypothesis_settings(max_examples=2_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(hostile.messages)
def test_two_thousand_hostile_messages_are_scored_or_refused(data: bytes) -> None:
    outcome(data)


@pytest.mark.parametrize("name", hostile.bombs())
def test_a_message_made_to_exhaust_its_reader_does_not(name: str) -> None:
    data = hostile.bombs()[name]
    outcome(data)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    assert grown < 2_000, f"{grown:.0f} MB at the peak"


def test_the_same_trace_twice_has_the_same_row_twice() -> None:
    (trace,) = decode(b'{"trace_id":"t","question":"q","answer":"a","timestamp":"2026-12-01T07:00:00Z"}')
    assert not isinstance(trace, Unreadable | LateFeedback)
    rows = [encode_judged(judge_batch([trace], SCORER)[0], WHENCE, SAMPLED, AT).row for _ in range(2)]
    assert rows[0] == rows[1]
