"""Spans out of tables and consoles: Phoenix's data frames, attributes as JSON, OpenTelemetry JS, TruLens."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemas.formats.assembly import assemble
from schemas.formats.otlp.as_json import read_attributes
from schemas.trace import Trace
from tests.unit.schemas.formats.spans import TRACE, read_export, span, texts
from tests.unit.schemas.formats.writers_otel import DOCS, A, Q, dump

ROOT, FOUND, CALLED = "a" * 16, "b" * 16, "c" * 16
START_MS = 1_790_000_000_000


def row(kind: str, span_id: str, parent: str | None, at: int, **attributes: Any) -> dict[str, Any]:
    """A row of `get_spans_dataframe()` of Phoenix's client, written as JSON: absent cells are null."""
    held: dict[str, Any] = {
        "name": kind.lower(),
        "span_kind": kind,
        "parent_id": parent,
        "status_code": "OK",
        "events": [],
    }
    held |= {"context.span_id": span_id, "context.trace_id": TRACE, "attributes.metadata": None}
    held |= {"start_time": START_MS + at * 1_000, "end_time": START_MS + at * 1_000 + 500}
    return held | {f"attributes.{name.replace('__', '.')}": value for name, value in attributes.items()}


def table() -> list[dict[str, Any]]:
    found = [
        {"document.content": d["text"], "document.id": d["id"], "document.score": d["score"]} for d in DOCS
    ]
    part = {"message_content.type": "text", "message_content.text": Q}
    return [
        row("CHAIN", ROOT, None, 0, input__value=dump({"question": Q}), output__value=A),
        row("RETRIEVER", FOUND, ROOT, 1, input__value=Q, retrieval__documents=found),
        row(
            "LLM",
            CALLED,
            ROOT,
            2,
            llm__model_name="m-1",
            llm__token_count__prompt=90.0,
            llm__input_messages=[{"message.role": "user", "message.contents": [part]}],
            llm__output_messages=[{"message.role": "assistant", "message.content": A}],
        ),
    ]


def as_json() -> list[dict[str, Any]]:
    """The same out of a database that keeps attributes as text."""
    found = []
    for held in table():
        told = {
            k.removeprefix("attributes."): v for k, v in held.items() if k.startswith("attributes.") and v
        }
        kept = {k: v for k, v in held.items() if "." not in k} | {"attributes": dump(told), "events": "[]"}
        found.append(kept | {"trace_id": TRACE, "span_id": held["context.span_id"]})
    return found


def console() -> list[dict[str, Any]]:
    """OpenTelemetry JS 2: an id, the parent's context, microseconds."""
    found = []
    for held in as_json():
        kept = {
            "traceId": TRACE,
            "id": held["span_id"],
            "name": held["name"],
            "kind": 0,
            "status": {"code": 0},
        }
        kept |= {
            "timestamp": held["start_time"] * 1_000,
            "duration": 500_000.5,
            "attributes": held["attributes"],
        }
        kept["parentSpanContext"] = {"spanId": held["parent_id"]} if held["parent_id"] else None
        kind = {"openinference": {"span": {"kind": held["span_kind"]}}}
        found.append(kept | {"attributes": {**_opened(held["attributes"]), **kind}})
    return found


def _opened(text: str) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(text)
    return held


@pytest.mark.parametrize("write", [table, as_json, console])
def test_every_table_says_the_same(write: Any) -> None:
    trace = read_export(write(), "openinference")
    assert (trace.question, trace.answer) == (Q, A)
    assert texts(trace) == [document["text"] for document in DOCS]
    assert trace.retrieval is not None
    assert (trace.retrieval.chunks or [])[0].score == DOCS[0]["score"]
    assert trace.retrieval.latency_ms == pytest.approx(500, abs=1)
    assert trace.generation is not None
    assert (trace.generation.model, trace.generation.input_tokens) == ("m-1", 90)
    assert "ragpulse_incomplete" not in (trace.extra or {})


def test_what_a_generation_cost_is_read_from_trulens() -> None:
    prefix = "ai.observability."
    told: dict[str, Any] = {
        "span_type": "generation",
        "call.return": A,
        "cost.model": "m-1",
        "cost.num_prompt_tokens": 90,
    }
    told |= {"cost.num_completion_tokens": 9, "cost.cost": 0.01, "cost.cost_currency": "USD"}
    asked = {"span_type": "record_root", "record_root.input": Q, "record_root.output": A}
    root = span("root", lasts=4, also={prefix + name: held for name, held in asked.items()})
    trace = assemble([root, span("llm", 1, parent=root, also={prefix + k: held for k, held in told.items()})])
    assert isinstance(trace, Trace)
    generation = trace.generation
    assert generation is not None
    assert (generation.model, generation.input_tokens, generation.cost_usd) == ("m-1", 90, 0.01)


@pytest.mark.parametrize("values", [7, True, "x", {}, None])
def test_a_typed_list_that_holds_none_is_empty(values: Any) -> None:
    assert read_attributes([{"key": "a", "value": {"arrayValue": {"values": values}}}]) == {"a": []}
