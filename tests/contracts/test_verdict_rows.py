"""Opinions in table `verdicts`: every field arrives, hostile text too, and the right row wins."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest

from judges.llm.asking import ClaimVerdict, Opinion, Usage
from schemas.row import Sampling
from schemas.trace import Trace
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from sinks.clickhouse.reference import reference_line
from stream.judging.rows import Around, Identity, opinion_fields, unjudged_row, verdict_row
from stream.judging.sampled import Sampled

pytestmark = pytest.mark.engine

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HOSTILE = "it's \\ \"quoted\"\n\ttab \0 nul 😀 \ud800 half {{x}} '; DROP TABLE verdicts; -- 它支持吗？"
TAMED = HOSTILE.replace("\ud800", "�")
WHO = Identity("qwen", "qwen-max", "rag", "1")


@pytest.fixture
def store(dsn: str) -> ClickHouse:
    client = connect(dsn)
    migrate(client)
    return client


def sampled(trace_id: str = "t", **fields: Any) -> Sampled:
    trace = Trace(trace_id=trace_id, app="helpdesk", tenant="acme", question="？", answer="！", **fields)
    return Sampled(trace, None, Sampling(True, 0.25, ("control", "thumbs_down")), NOON)


def full(**fields: Any) -> Opinion:
    said: dict[str, Any] = {
        "failure": "hallucination",
        "failure_confidence": 0.75,
        "faithfulness": 0.5,
        "hallucination": 0.875,
        "answer_relevance": 0.25,
        "context_relevance": 0.5,
        "context_sufficiency": 0.125,
        "context_precision": 0.5,
        "context_recall": 0.75,
        "citation_precision": 1.0,
        "refusal": False,
        "refusal_correct": None,
        "parametric_leak": True,
        "ratings": {"accuracy": 2, "faithfulness": 1, "safety": 5},
        "claims": [ClaimVerdict("x", None, "supported", "made up", 0, False, "invented_quote")],
        "rationale": HOSTILE,
        "root_cause": "the index is old",
        "suggested_fix": "索引需要更新",
        "truncated": ["chunk 3", "history"],
        "not_measured": {"refusal_correct": "no_refusal"},
        "measured_by": {"answer_relevance": "embeddings"},
        "usage": Usage(3, 1000, 200, 0.0125, 640.04),
        "served_by": "qwen-max-2026-09",
    }
    return Opinion("qwen", "qwen-max", "rag", "1", "zh", **said | fields)


def columns(store: ClickHouse) -> list[str]:
    rows = store.query(
        "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'verdicts'"
    )
    return [row["name"] for row in rows if row["name"] != "inserted_at"]


def test_the_keys_of_a_verdict_are_the_columns_of_its_table(store: ClickHouse) -> None:
    judged = orjson.loads(verdict_row(sampled(), full(), Around(), NOON))
    unjudged = orjson.loads(unjudged_row(sampled(), WHO, "over_budget", "", Usage()))
    assert judged.keys() | unjudged.keys() == set(columns(store))


def test_the_reference_row_has_every_column_and_can_be_read(store: ClickHouse) -> None:
    assert orjson.loads(reference_line("verdicts")).keys() == set(columns(store))
    assert store.reads("verdicts", reference_line("verdicts"))


def test_every_field_of_an_opinion_is_in_its_row_or_in_its_line(store: ClickHouse) -> None:
    row = orjson.loads(verdict_row(sampled(), full(), Around(), NOON))
    line = opinion_fields(full())
    assert set(Opinion.__slots__) - {"usage"} <= row.keys()
    assert set(Opinion.__slots__) <= line.keys()
    assert line["usage"] == {
        "calls": 3, "input_tokens": 1000, "output_tokens": 200, "cost_usd": 0.0125, "latency_ms": 640.0
    }  # fmt: skip


def test_an_opinion_comes_back_as_it_was_said(store: ClickHouse) -> None:
    store.insert_raw(
        "verdicts", verdict_row(sampled(), full(), Around("verdict", 0.5, {"b": "timeout"}), NOON)
    )
    (row,) = store.query("SELECT * FROM verdicts FINAL")
    assert row["rationale"] == TAMED
    assert row["ratings"] == {"accuracy": 2, "faithfulness": 1, "safety": 5}
    assert row["not_measured"] == {"refusal_correct": "no_refusal"}
    assert row["truncated"] == ["chunk 3", "history"]
    assert row["refusal_correct"] is None
    assert (row["refusal"], row["parametric_leak"]) == (False, True)
    assert row["failed"] == {"b": "timeout"}
    assert (row["disagreement"], row["cost_usd"], row["calls"]) == (0.5, 0.0125, 3)
    assert (row["sample_probability"], row["sample_reasons"]) == (0.25, ["control", "thumbs_down"])
    assert orjson.loads(row["claims"])[0]["void"] == "invented_quote"
    assert row["error"] is None
    assert f"{row['timestamp']:%F %T}" == "2026-11-30 12:00:00"


def test_the_same_verdict_delivered_twice_is_one_row(store: ClickHouse) -> None:
    for second in range(2):
        store.insert_raw(
            "verdicts", verdict_row(sampled(), full(), Around(), NOON + timedelta(seconds=second))
        )
    assert store.query("SELECT count() AS n FROM verdicts FINAL") == [{"n": 1}]


@pytest.mark.parametrize("error_first", [True, False])
def test_a_verdict_takes_the_place_of_why_there_was_none_whichever_comes_first(
    store: ClickHouse, error_first: bool
) -> None:
    rows = [
        unjudged_row(sampled(), WHO, "over_budget", "the daily budget of $1", Usage()),
        verdict_row(sampled(), full(), Around(), NOON + timedelta(seconds=5)),
    ]
    for line in rows if error_first else reversed(rows):
        store.insert_raw("verdicts", line)
    (row,) = store.query("SELECT failure, error FROM verdicts FINAL")
    assert row == {"failure": "hallucination", "error": None}


def test_rows_from_before_count_as_verdicts(store: ClickHouse) -> None:
    store.insert_raw("verdicts", b'{"trace_id":"t","judge":"j","created_at":"2026-11-30 12:00:00"}')
    assert store.query("SELECT role, error_detail FROM verdicts") == [{"role": "verdict", "error_detail": ""}]


def test_a_trace_without_a_time_has_that_of_its_row_in_traces() -> None:
    row = orjson.loads(verdict_row(sampled(), full(), Around(), NOON + timedelta(hours=1)))
    assert row["timestamp"] == "2026-11-30 12:00:00.000"
    at = datetime(2026, 11, 29, 8, 30, tzinfo=UTC)
    row = orjson.loads(verdict_row(sampled(timestamp=at), full(), Around(), NOON))
    assert row["timestamp"] == "2026-11-29 08:30:00.000"
