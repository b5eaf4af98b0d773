"""Messages of the topic: cases, and what is none."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from stream.annotation.handed_in import NO_CASE, NOT_JSON, UnreadableCase, read_case

SENT = datetime(2026, 11, 1, tzinfo=UTC)
TRACE = {"trace_id": "t", "question": "电池保修多久？", "answer": "六个月。"}


def read(**case: Any) -> Any:
    return read_case(orjson.dumps({"trace": TRACE, **case}), SENT)


def test_a_trace_alone_is_a_case() -> None:
    found = read().evidence
    assert (found.trace_id, found.timestamp, found.failure, found.confidence) == ("t", SENT, "healthy", 0.0)
    assert found.said == ()


def test_scores_and_verdicts_come_along() -> None:
    found = read(
        trace={**TRACE, "timestamp": "2026-10-31T08:00:00+08:00", "feedback": {"rating": -1}},
        scores={"failure": "hallucination", "first_failed_stage": "generation", "failure_confidence": 0.8},
        verdicts=[{"judge": "panel", "failure": "healthy", "disagreement": 0.6}],
    ).evidence
    assert found.timestamp == datetime(2026, 10, 31, tzinfo=UTC)
    assert (found.failure, found.stage, found.confidence, found.rating) == (
        "hallucination",
        "generation",
        0.8,
        -1,
    )
    assert [(said.judge, said.failure, said.disagreement) for said in found.said] == [
        ("panel", "healthy", 0.6)
    ]


@pytest.mark.parametrize(
    "scores",
    [
        None, 7, [], {"failure": "sparkling"}, {"failure": {"a": 1}}, {"failure_confidence": "high"},
        {"failure_confidence": 7}, {"hallucination": True}, {"hallucination": -1}, {"language": 3},
    ],
)  # fmt: skip
def test_scores_that_make_no_sense_are_as_if_they_were_not_there(scores: Any) -> None:
    found = read(scores=scores).evidence
    assert (found.failure, found.confidence, found.hallucination) == ("healthy", 0.0, None)


def test_verdicts_that_make_no_sense_are_as_if_they_were_not_there() -> None:
    found = read(verdicts=[3, None, {"judge": 4, "failure": 5, "hallucination": "yes"}]).evidence
    assert [(said.judge, said.failure, said.hallucination) for said in found.said] == [("", None, None)]
    assert read(verdicts="none").evidence.said == ()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"", NOT_JSON), (None, NOT_JSON), (b"{", NOT_JSON), (b"[]", NO_CASE), (b"null", NO_CASE),
        (b'{"trace": "t"}', NO_CASE), (b'{"trace": {"question": "q", "answer": null}}', NO_CASE),
    ],
)  # fmt: skip
def test_what_is_no_case_is_named(value: bytes | None, reason: str) -> None:
    with pytest.raises(UnreadableCase) as refused:
        read_case(value, SENT)
    assert refused.value.reason == reason


@pytest.mark.parametrize("evidence", [[3], [None], ["text"]])
def test_evidence_that_no_case_could_be_made_of_is_named_at_once(evidence: Any) -> None:
    trace = {**TRACE, "retrieval": {"chunks": [{"id": "a", "text": "call 13812345678"}]}}
    with pytest.raises(UnreadableCase) as refused:
        read(trace=trace, scores={"evidence": evidence})
    assert refused.value.reason == NO_CASE


def test_the_reason_for_a_dead_letter_quotes_nothing_of_the_message() -> None:
    with pytest.raises(UnreadableCase) as refused:
        read(trace={"trace_id": "t", "question": {"phone": "13812345678"}, "answer": "a"})
    assert "13812345678" not in str(refused.value)
