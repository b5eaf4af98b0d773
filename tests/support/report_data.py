"""A store with two weeks of the demo's traffic, as a weekly report reads it.

The traces are the demo's, scored by the shipped scorer. In the second week one tenant's model begins to
invent things, with a release; the watch has seen it, and a judge has looked at a sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import orjson

from judges.distilled import load_scorer
from schemas.row import Provenance, Sampling, encode, stamp, trace_row
from schemas.trace import Trace
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.migrate import migrate
from stream.demo.traffic import Traffic, Truth
from stream.pipeline import judge_batch
from stream.sampling import draw

DAYS: Final = 14
SPIKES_ON: Final = 8
"""The day, from 0, on which the release comes."""
SAMPLED: Final = 0.2
HOSTILE: Final = "<script>alert(1)</script> ![x](http://evil.example/p.png) | **bold** `code` 拨打13812345678"


@dataclass(frozen=True, slots=True)
class Weeks:
    """What was stored, and what was injected into it."""

    begin: datetime
    end: datetime
    truths: dict[str, Truth]


def fill_weeks(client: ClickHouse, end: datetime, traces: int = 2_800, seed: int = 23) -> Weeks:
    """Migrate, and store everything. Raises SinkError."""
    migrate(client)
    begin = end - timedelta(days=DAYS)
    made = list(_traces(begin, traces, seed))
    rows = [orjson.loads(line) for line in _rows([trace for trace, _ in made])]
    _insert(client, "traces", rows)
    _insert(client, "verdicts", [_verdict(row) for row in rows if row["sampled"]])
    _insert(client, "judge_calibration", _calibrations(end - timedelta(days=2)))
    released = begin + timedelta(days=SPIKES_ON)
    _insert(client, "release_marks", [_mark(released)])
    _insert(client, "incidents", [_incident(released, rows)])
    return Weeks(begin, end, {trace.trace_id: truth for trace, truth in made})


def _traces(begin: datetime, wanted: int, seed: int) -> Iterator[tuple[Trace, Truth]]:
    traffic, step = Traffic(seed), timedelta(days=DAYS) / wanted
    number, hostile = 0, 3
    while number < wanted:
        for message in traffic.next(spiking=number >= wanted * SPIKES_ON / DAYS):
            if message.truth and number < wanted:
                trace = Trace.model_validate_json(message.value)
                changes: dict[str, Any] = {"timestamp": begin + number * step}
                if hostile and number > wanted * 0.7 and message.truth.failure == "empty_recall":
                    changes |= {"question": HOSTILE, "rewritten_query": None}
                    hostile -= 1
                yield trace.model_copy(update=changes), message.truth
                number += 1


def _rows(traces: list[Trace]) -> Iterator[bytes]:
    scorer = load_scorer()
    for first in range(0, len(traces), 200):
        for judged in judge_batch(traces[first : first + 200], scorer):
            when = judged.trace.timestamp
            assert when is not None
            sampled = Sampling(draw(judged.trace.trace_id, "test") < SAMPLED, SAMPLED, ("control",))
            yield encode(trace_row(judged, Provenance("rag.traces", 0, first, when), sampled, when))


def _verdict(row: dict[str, Any]) -> dict[str, Any]:
    doubts = draw(row["trace_id"], "doubt") < 0.1
    names = ("trace_id", "timestamp", "app", "tenant", "language", "faithfulness", "hallucination")
    return {name: row[name] for name in names} | {
        "judge": "strict", "model": "qwen-max", "rubric": "rag", "rubric_version": "1", "role": "verdict",
        "failure": "healthy" if doubts else row["failure"], "sample_probability": SAMPLED,
        "sample_reasons": ["control"], "calls": 2, "input_tokens": 900, "output_tokens": 120,
        "cost_usd": 0.002, "latency_ms": 900.0, "created_at": row["timestamp"],
        "error": "timeout" if draw(row["trace_id"], "fails") < 0.02 else None,
    }  # fmt: skip


def _calibrations(at: datetime) -> list[dict[str, Any]]:
    return [
        {
            "judge": "strict", "model": "qwen-max", "rubric": "rag", "rubric_version": "1",
            "language": language, "measure": measure, "n": 100, "kappa": kappa, "low": kappa - 0.12,
            "high": kappa + 0.1, "raw": 0.9, "ac1": 0.8, "traffic_kappa": None, "reason": "",
            "min_kappa": 0.6, "min_labels": 50,
            "calibrated": kappa >= 0.7, "at": stamp(at),
        }
        for language, measure, kappa in (
            ("", "failure", 0.71), ("zh", "failure", 0.68), ("en", "failure", 0.74),
            ("", "hallucination", 0.63),
        )
    ]  # fmt: skip


def _mark(at: datetime) -> dict[str, Any]:
    return {
        "at": stamp(at), "app": "helpdesk", "part": "prompt", "value": "p8", "previous": "p7",
        "source": "detected", "note": "", "made_by": "watch",
    }  # fmt: skip


def _incident(at: datetime, rows: list[dict[str, Any]]) -> dict[str, Any]:
    cases = [row["trace_id"] for row in rows if row["release_prompt"] == "p8"][:5]
    return {
        "incident_id": "i-1", "status": "open", "severity": "page", "kind": "change",
        "measure": "hallucination", "segment": "app=helpdesk,tenant=lumen", "app": "helpdesk",
        "tenant": "lumen", "language": "", "onset": stamp(at), "detected_at": stamp(at + timedelta(hours=5)),
        "resolved_at": None, "baseline": 0.15, "value": 0.43, "low": 0.36, "high": 0.5, "traces": 130,
        "evidence": 14.0, "parent": "", "explained_by": "app=helpdesk,tenant=lumen", "release": "prompt=p8",
        "summary": "Hallucination of app=helpdesk,tenant=lumen rose from 15.0% to 43.0%", "explanation": "{}",
        "cases": cases, "notifications": 1, "notified_at": None, "updated_at": stamp(at + timedelta(hours=6)),
    }  # fmt: skip


def _insert(client: ClickHouse, table: str, rows: list[dict[str, Any]]) -> None:
    client.insert_raw(table, b"\n".join(orjson.dumps(row) for row in rows))


__all__ = ["DAYS", "HOSTILE", "SPIKES_ON", "Weeks", "fill_weeks"]
