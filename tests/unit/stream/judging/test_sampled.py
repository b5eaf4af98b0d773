"""What lies on the judges' topic, read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from schemas.row import Provenance, Sampling
from schemas.scored import Judged, Scores, Verdict
from schemas.trace import Trace
from stream.judging.sampled import UnreadableSample, read_sampled
from stream.worker.outputs import encode_judged

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ONE = datetime(2026, 11, 30, 13, 0, tzinfo=UTC)
TRACE = {"trace_id": "t", "question": "RK3588 有 NPU 吗？", "answer": "有。"}


def test_what_the_worker_writes_is_what_the_lane_reads() -> None:
    trace = Trace.model_validate(TRACE)
    judged = Judged(trace, Scores("s-1", hallucination=0.5), Verdict(None, 0.5, None, "r", {}))
    sampling = Sampling(True, 0.25, ("control", "thumbs_down"))
    message = encode_judged(judged, Provenance("rag.traces", 0, 7, NOON), sampling, NOON).for_judges
    assert message is not None
    sampled = read_sampled(message, ONE)
    assert sampled.trace == trace
    assert sampled.scores is not None
    assert sampled.scores["hallucination"] == 0.5
    assert sampled.sampling == sampling
    assert sampled.received_at == NOON


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"", "not_json"),
        (b"\xff\xfe", "not_json"),
        (b'{"trace":', "not_json"),
        (b"[]", "wrong_shape"),
        (b"{}", "wrong_shape"),
        (b'{"trace":{"trace_id":"t"}}', "wrong_shape"),
        (b'{"trace":"t"}', "wrong_shape"),
    ],
)
def test_what_holds_no_trace_is_refused_with_a_reason(value: bytes, reason: str) -> None:
    with pytest.raises(UnreadableSample) as caught:
        read_sampled(value, ONE)
    assert caught.value.reason == reason
    assert caught.value.detail


@pytest.mark.parametrize(
    "sample",
    [None, {}, [], "x", {"probability": None}, {"probability": 0}, {"probability": -1}, {"probability": 2},
     {"probability": True}, {"probability": "0.5"}],
)  # fmt: skip
def test_a_probability_that_is_none_is_not_known_and_not_made_up(sample: Any) -> None:
    sampled = read_sampled(orjson.dumps({"trace": TRACE, "sample": sample}), ONE)
    assert sampled.sampling.probability == 0.0
    assert sampled.received_at == ONE
