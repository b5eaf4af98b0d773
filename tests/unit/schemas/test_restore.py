"""A trace comes back from its row as it was, as far as anything that judges it can tell."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings

from judges.distilled.rules import RuleScorer
from schemas.formats.own import decode
from schemas.restore import TRACE_COLUMNS, TextsGone, trace_from_row
from schemas.row import Provenance, Sampling
from schemas.trace import Trace
from stream.demo.traffic import Traffic
from stream.pipeline import judge_batch
from stream.worker.outputs import encode_judged
from tests.support import hostile

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = AT + timedelta(seconds=1)
WHENCE = Provenance("rag.traces", 0, 7, AT)
SCORER = RuleScorer()


def row_of(trace: Trace) -> dict[str, Any]:
    """The row as the worker writes it."""
    (judged,) = judge_batch([trace], SCORER)
    row: dict[str, Any] = orjson.loads(encode_judged(judged, WHENCE, Sampling(), LATER).row)
    return row


def assert_comes_back(trace: Trace) -> None:
    row = row_of(trace)
    again = row_of(trace_from_row({name: row[name] for name in TRACE_COLUMNS}))
    row["timestamp_source"] = again["timestamp_source"]  # the row's time, whoever said it
    assert again == row


def test_simulated_traffic_in_both_languages_comes_back() -> None:
    messages = list(Traffic(3, lambda: AT).traces(120))
    traces = [item for m in messages for item in decode(m.value) if isinstance(item, Trace)]
    assert {m.truth.language for m in messages if m.truth} == {"en", "zh"}
    for trace in traces:
        assert_comes_back(trace)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(hostile.messages)
def test_hostile_traces_come_back(data: bytes) -> None:
    for item in decode(data):
        if isinstance(item, Trace):
            assert_comes_back(item.model_copy(update={"gold": None}))


@pytest.mark.parametrize(
    "retrieval", [None, {"chunks": None}, {"chunks": []}, {"chunks": [{"text": None}]}, {"error": "down"}]
)
def test_the_three_ways_of_having_no_chunks_stay_apart(retrieval: dict[str, Any] | None) -> None:
    trace = Trace.model_validate({"trace_id": "t", "question": "q", "answer": "a", "retrieval": retrieval})
    assert trace_from_row(row_of(trace)).retrieval == trace.retrieval


def test_a_time_of_the_store_is_utc_though_it_does_not_say_so() -> None:
    row = row_of(Trace(trace_id="t", question="q", answer="a", timestamp=AT))
    assert trace_from_row(row | {"timestamp": AT.replace(tzinfo=None)}).timestamp == AT


def test_texts_that_retention_took_are_said_to_be_gone() -> None:
    row = row_of(Trace(trace_id="t-9", question="q", answer="a"))
    with pytest.raises(TextsGone, match="t-9"):
        trace_from_row(row | {"history": "", "question": None, "answer": None, "chunks": None})


@pytest.mark.parametrize(
    "part", [{"feedback": {"comment": ""}}, {"generation": {"error": ""}}, {"retrieval": {"error": ""}}]
)
def test_an_empty_text_is_not_taken_for_none(part: dict[str, Any]) -> None:
    assert_comes_back(Trace.model_validate({"trace_id": "t", "question": "q", "answer": "a"} | part))
