"""Our own JSON is read as it was meant; what is no trace is refused for a reason that can be counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemas.bounds import CUT_KEY, MAX_CHUNKS, MAX_TURNS
from schemas.formats import REASONS, Unreadable, decoder
from schemas.formats.own import decode
from schemas.trace import LateFeedback, Trace

REQUIRED = {"trace_id": "t-1", "question": "它支持INT4吗?", "answer": "不支持。"}


def _with(**fields: Any) -> bytes:
    return json.dumps({**REQUIRED, **fields}).encode()


def _trace(data: bytes) -> Trace:
    (decoded,) = decode(data)
    assert isinstance(decoded, Trace), decoded
    return decoded


def _refused(data: bytes) -> Unreadable:
    (decoded,) = decode(data)
    assert isinstance(decoded, Unreadable), decoded
    assert decoded.reason in REASONS
    return decoded


def test_three_fields_make_a_trace() -> None:
    trace = _trace(_with())
    assert (trace.trace_id, trace.question, trace.answer) == ("t-1", "它支持INT4吗?", "不支持。")


def test_unknown_keys_are_kept_not_refused() -> None:
    assert _trace(_with(span_kind="LLM", extra={"region": "eu"})).unknown == {
        "region": "eu",
        "span_kind": "LLM",
    }


def test_feedback_without_question_and_answer_is_late_feedback() -> None:
    (late,) = decode(b'{"trace_id": "t-1", "feedback": {"rating": 1}}')
    assert isinstance(late, LateFeedback)
    assert late.feedback.rating == 1


def test_a_trace_that_lost_its_question_is_not_taken_for_feedback() -> None:
    refused = _refused(b'{"trace_id": "t-1", "answer": "yes", "feedback": {"rating": 1}}')
    assert (refused.reason, refused.detail) == ("missing_field", "question: Field required")


def test_the_confluent_wire_format_is_recognised() -> None:
    assert _trace(b"\x00\x00\x00\x00\x07" + _with()).trace_id == "t-1"


def test_a_byte_order_mark_is_no_obstacle() -> None:
    assert _trace(b"\xef\xbb\xbf" + _with()).trace_id == "t-1"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\xff\xfe\x00", "not_utf8"),
        (b"{", "not_json"),
        (b"[1, 2]", "not_an_object"),
        (b"null", "not_an_object"),
        (b'"text"', "not_an_object"),
        (b"[" * 10_000 + b"]" * 10_000, "too_deep"),
        (b"{}", "missing_field"),
        (b'{"trace_id": "t-1", "question": "q"}', "missing_field"),
        (_with(question=["q"]), "wrong_type"),
        (_with(retrieval={"chunks": "none"}), "wrong_type"),
        (_with(turn=1.5), "wrong_type"),
        (_with(trace_id=""), "bad_value"),
        (_with(trace_id="x" * 513), "bad_value"),
        (_with(timestamp="yesterday"), "bad_value"),
        (_with(schema_version=2), "unsupported_version"),
        (b'{"trace_id": "t-1", "feedback": 5}', "wrong_type"),
        (_with(retrieval={"chunks": [{}] * 300_000}), "too_large"),
    ],
)
def test_each_refusal_has_its_reason(data: bytes, reason: str) -> None:
    refused = _refused(data)
    assert refused.reason == reason
    assert refused.detail


@pytest.mark.parametrize("text", ["[" * 300_000, '\\"{[' * 100_000, "{" * 300_000 + "\\"])
def test_a_text_may_hold_any_number_of_brackets(text: str) -> None:
    assert _trace(_with(answer=text)).answer == text


def test_the_detail_names_the_field_and_not_its_content() -> None:
    refused = _refused(_with(generation={"latency_ms": "the password is 1234"}))
    assert refused.detail.startswith("generation.latency_ms:")
    assert "1234" not in refused.detail


def test_numbers_that_are_not_finite_measure_nothing() -> None:
    trace = _trace(
        b'{"trace_id":"t","question":"q","answer":"a","retrieval":{"min_score":NaN,"latency_ms":1e999}}'
    )
    assert trace.retrieval is not None
    assert (trace.retrieval.min_score, trace.retrieval.latency_ms) == (None, None)


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    trace = _trace(b'{"trace_id": "t-1", "question": "q \\ud83d", "answer": "\\ud83d\\ude00"}')
    assert (trace.question, trace.answer) == ("q \ufffd", "😀")


def test_integers_of_any_size_do_not_spoil_a_trace() -> None:
    huge = int("9" * 400)
    trace = _trace(_with(turn=huge, generation={"input_tokens": huge, "cost_usd": huge}, serial=huge))
    assert trace.turn == huge


def test_long_lists_are_cut_and_the_trace_says_so() -> None:
    chunks = [{"id": str(number)} for number in range(MAX_CHUNKS + 50)]
    history = [{"role": "user", "content": str(number)} for number in range(MAX_TURNS + 7)]
    trace = _trace(_with(retrieval={"chunks": chunks}, history=history))
    assert trace.retrieval is not None
    assert trace.retrieval.chunks is not None
    assert len(trace.retrieval.chunks) == MAX_CHUNKS
    assert trace.retrieval.chunks[0].id == "0"
    assert trace.history[0].content == "7"
    assert trace.unknown[CUT_KEY] == {"chunks": 50, "history": 7}


def test_an_unknown_format_names_those_that_exist() -> None:
    with pytest.raises(ValueError, match="auto, ragpulse"):
        decoder("morse")
