"""Rows and messages for the judges, whole where they fit and cut where they do not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from confluent_kafka import KafkaError

from judges.distilled import load_scorer
from schemas.row import Provenance, Sampling
from schemas.scored import Judged
from schemas.trace import Trace
from stream.kafka.producer import DeliveryFailed
from stream.pipeline import judge_batch
from stream.worker.cuts import CUT_SIGNAL, cut_judge, cut_scored
from stream.worker.outputs import TO_TRACES, Outgoing, encode_judged

AT = datetime(2026, 12, 1, 8, tzinfo=UTC)
WHENCE = Provenance("rag.traces", 0, 7, AT)
NOT_SAMPLED = Sampling(False, 0.02)
SAMPLED = Sampling(True, 0.5, ("control",))


def _judged(**fields: Any) -> Judged:
    trace = Trace.model_validate({"trace_id": "t-1", "question": "q", "answer": "a", **fields})
    return judge_batch([trace], load_scorer())[0]


def _encoded(judged: Judged, sampling: Sampling = NOT_SAMPLED) -> Outgoing:
    return encode_judged(judged, WHENCE, sampling, AT)


def test_a_cut_row_keeps_scores_and_names_and_says_what_went() -> None:
    chunks = [{"id": f"k{number}", "text": "很长的文字" * 4_000} for number in range(20)]
    judged = _judged(app="helpdesk", answer="A" * 100_000, retrieval={"chunks": chunks})
    whole = _encoded(judged).row
    value, headers = cut_scored(whole, TO_TRACES, 20_000)
    before, after = orjson.loads(whole), orjson.loads(value)
    assert len(value) <= 20_000 < len(whole)
    assert headers == TO_TRACES
    assert before.keys() == after.keys()
    kept = (
        "trace_id",
        "app",
        "timestamp",
        "failure",
        "faithfulness",
        "scorer_version",
        "chunk_count",
        "because",
    )
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert after["chunks"] is None
    assert after["answer"].startswith("AAAA")
    assert "chunks" in orjson.loads(after["signals"])[CUT_SIGNAL]


@pytest.mark.parametrize("limit", [1_000_000, 100_000, 10_000])
def test_a_cut_message_for_the_judges_stays_readable(limit: int) -> None:
    chunks = [{"id": f"k{number}", "text": "long " * 1_000} for number in range(900)]
    value = _encoded(_judged(retrieval={"chunks": chunks}), SAMPLED).for_judges or b""
    shorter, _ = cut_judge(value, [], limit)
    message = orjson.loads(shorter)
    assert len(shorter) <= limit < len(value)
    assert message["sample"] == {"probability": 0.5, "reasons": ["control"]}
    assert Trace.model_validate(message["trace"]).trace_id == "t-1"


def test_cutting_never_shortens_a_trace_id() -> None:
    value = _encoded(_judged(trace_id="x" * 512, question="q" * 90_000), SAMPLED).for_judges or b""
    shorter, _ = cut_judge(value, [], 10_000)
    assert orjson.loads(shorter)["trace"]["trace_id"] == "x" * 512


def test_values_that_no_row_holds_are_mended_and_the_rest_stays() -> None:
    chunks = [{"id": "k1", "text": "t", "rank": 10**30}, {"id": "k2", "text": "u", "rank": 2}]
    judged = _judged(retrieval={"chunks": chunks}, serial=10**30, timestamp="2026-12-01T07:00:00Z")
    outgoing = _encoded(judged, SAMPLED)
    said = orjson.loads(outgoing.row)
    assert outgoing.mended
    assert [chunk["rank"] for chunk in orjson.loads(said["chunks"])] == [None, 2]
    assert orjson.loads(said["extra"]) == {"serial": str(10**30)}
    assert said["timestamp"] == "2026-12-01 07:00:00.000"
    assert orjson.loads(outgoing.for_judges or b"")["trace"]["serial"] == str(10**30)


def test_a_broker_that_refuses_the_time_of_a_message_has_us_look_at_the_clock() -> None:
    refused = DeliveryFailed.refused("kafka:9092", KafkaError.INVALID_TIMESTAMP, "Invalid timestamp")
    assert "set the clock and start again" in str(refused)
    other = DeliveryFailed.refused("kafka:9092", KafkaError.TOPIC_AUTHORIZATION_FAILED, "not authorized")
    assert "clock" not in str(other)
    assert "not authorized" in str(other)
