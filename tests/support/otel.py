"""Real spans of many libraries beside the checkout, and what is known to have happened in each trace.

The files of ../shared/data/traces/otel, as messages, as spans, and as what must be read in them.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from pathlib import Path
from typing import Any

import orjson

from schemas.formats.assembly import assemble
from schemas.formats.otlp import read_json, read_proto
from schemas.formats.span import Span
from schemas.trace import Trace

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "traces" / "otel"
NAMES = sorted(path.name.removesuffix(".expected.jsonl") for path in FOLDER.glob("*.expected.jsonl"))


def messages(name: str, encoding: str) -> list[bytes]:
    """The messages of a file, as the Collector's Kafka exporter wrote them: `proto` or `json`."""
    if encoding == "json":
        return (FOLDER / f"{name}.otlp.jsonl").read_bytes().splitlines()
    return frames((FOLDER / f"{name}.otlp.binpb").read_bytes())


def all_expected() -> dict[str, dict[str, Any]]:
    """What is known of every trace of every file, by its id."""
    lines = [line for name in NAMES for line in (FOLDER / f"{name}.expected.jsonl").read_bytes().splitlines()]
    return {expected["trace_id"]: expected for expected in map(orjson.loads, lines)}


def frames(data: bytes) -> list[bytes]:
    """Length-prefixed messages."""
    found, at = [], 0
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        found.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return found


def read(name: str, encoding: str) -> dict[str, list[Span]]:
    """All spans of a file, by trace id."""
    reader = read_json if encoding == "json" else read_proto
    traces = defaultdict(list)
    for message in messages(name, encoding):
        spans = reader(message)
        assert isinstance(spans, list)
        for span in spans:
            traces[span.trace_id].append(span)
    return traces


def converted(name: str, expected: dict[str, Any], encoding: str = "proto") -> Trace:
    """One trace of a file, put together."""
    trace = assemble(read(name, encoding)[expected["trace_id"]])
    assert isinstance(trace, Trace)
    return trace


def check_texts(trace: Trace, expected: dict[str, Any]) -> None:
    """Question, rewrite, answer, history, model and error are what happened, or null where not recorded."""
    present = expected["present"]
    for field in ("question", "rewritten_query", "answer"):
        wanted = expected[field] if present.get(field) else None
        assert getattr(trace, field) == wanted, field
    wanted_history = expected["history"] if present.get("history") else []
    assert [turn.model_dump() for turn in trace.history] == wanted_history
    assert (trace.generation.model if trace.generation else None) == expected["model"]
    failed = "retrieval" if trace.retrieval and trace.retrieval.error else None
    failed = failed or ("generation" if trace.generation and trace.generation.error else None)
    assert failed == expected["error_stage"]


def check_chunks(trace: Trace, expected: dict[str, Any]) -> None:
    """The chunks are there in order, or lie in the prompt, or are null: as the library recorded them."""
    present, cut = expected["present"], expected.get("cut") or ()
    retrieval = trace.retrieval
    chunks = retrieval.chunks if retrieval else None
    texts = [chunk["text"] for chunk in expected["chunks"]]
    if "chunks" in cut:
        assert all(chunk.text is None or chunk.text in texts for chunk in chunks or ())
    elif not present.get("chunks"):
        assert not any(chunk.text for chunk in chunks or ())
        assert retrieval is None or retrieval.prompt_context is None
    elif present["chunks_apart"] or not texts:
        assert [chunk.text for chunk in chunks or ()] == texts
    else:
        assert retrieval is not None
        assert all(text in (retrieval.prompt_context or "") for text in texts)
        assert not any(chunk.text for chunk in chunks or ())


def check_cuts(trace: Trace, expected: dict[str, Any]) -> None:
    """What was cut on its way is marked, and its beginning is kept apart."""
    extra = trace.extra or {}
    marks = extra.get("ragpulse_cut", {})
    assert ("answer" in marks) == ("answer" in (expected.get("cut") or ()))
    assert ("chunk_texts" in marks) == ("chunks" in (expected.get("cut") or ()))
    if "answer" in marks:
        assert expected["answer"].startswith(extra["ragpulse_beginnings"]["answer"])
