"""Golden cases out of what people said: votes from `annotations`, texts from the queue or the traces."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from judges.golden import GoldenCase, Turn
from judges.golden.agreed import LeftOut, Truth, Vote, find_truth
from judges.golden.kinds import Chunk, find_kind, is_restricted, permissions_of
from judges.golden.redacting import redact_case
from judges.redaction import redact_trace
from schemas.annotation import ItemRole, in_utc
from schemas.golden import Kind
from schemas.restore import TRACE_COLUMNS, TextsGone, trace_from_row
from sinks.clickhouse.client import ClickHouse
from stream.distill.from_store import Period

PAGE: Final = 500
TEXTS_GONE: Final = "the texts of the trace are no longer there (RAGPULSE_CLICKHOUSE__TEXT_RETENTION_DAYS)"
NO_QUESTION: Final = "the trace has no question"

_PERIOD: Final = """timestamp >= {since:DateTime64(3, 'UTC')} AND timestamp < {until:DateTime64(3, 'UTC')}
    AND ({app:String} = '' OR app = {app:String})"""
_VOTES: Final = f"""
SELECT trace_id, app, annotator, annotated_at, role, failure, should_refuse, gold_chunk_ids, reference_answer,
    kind, weight
FROM annotations FINAL
WHERE {_PERIOD} AND weight > 0 AND role != 'skip'
ORDER BY trace_id, annotator
"""
_PAYLOADS: Final = """
SELECT trace_id, language, intent, payload FROM annotation_items FINAL
WHERE trace_id IN {ids:Array(String)}
ORDER BY trace_id, created_at DESC
LIMIT 1 BY trace_id
"""
_TRACES: Final = f"""
SELECT {", ".join(TRACE_COLUMNS)}
FROM traces FINAL
WHERE {_PERIOD} AND trace_id IN {{ids:Array(String)}}
ORDER BY trace_id, timestamp DESC, app
LIMIT 1 BY trace_id
"""


@dataclass(slots=True)
class Gathered:
    """What people agreed on, as cases, and why the rest is none."""

    cases: list[GoldenCase] = field(default_factory=list)
    labelled: int = 0
    """Traces that somebody said something of."""
    left_out: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    """What was taken out of the cases here, by kind; most was before."""


def gather(client: ClickHouse, period: Period, least: int) -> Gathered:
    """The cases of a period on which `least` annotators (or an arbitrator) agree. Raises SinkError."""
    gathered = Gathered()
    truths: dict[str, Truth] = {}
    for trace_id, votes in _read_votes(client, period).items():
        gathered.labelled += 1
        truth = find_truth(votes, least)
        if isinstance(truth, LeftOut):
            gathered.left_out[truth.value] += 1
        else:
            truths[trace_id] = truth
    ids = sorted(truths)
    for start in range(0, len(ids), PAGE):
        page = ids[start : start + PAGE]
        traces = _read_traces(client, period, page)
        for trace_id in page:
            _add(gathered, truths[trace_id], traces.get(trace_id), trace_id)
    return gathered


def make_case(trace: Mapping[str, Any], truth: Truth) -> GoldenCase:
    """A case from a trace as JSON (the contract's) and what is true of it; redacted it is not yet."""
    known: dict[str, Any] = {**(trace.get("extra") or {}), **trace}
    chunks = _chunks(trace)
    kind, _ = find_kind(
        truth.gold_chunk_ids,
        chunks,
        should_refuse=truth.should_refuse,
        restricted=is_restricted(known),
        said=truth.kind,
    )
    gold = set(truth.gold_chunk_ids)
    return GoldenCase(
        case_id=case_id_of(str(trace["trace_id"])),
        question=trace["question"],
        kind=kind,
        language=trace.get("language") or "",
        intent=trace.get("intent") or "",
        tenant=trace.get("tenant") or "",
        permissions=permissions_of(known),
        history=tuple(
            Turn(str(turn.get("role") or ""), str(turn.get("content") or ""))
            for turn in trace.get("history") or ()
        ),
        gold_chunk_ids=truth.gold_chunk_ids,
        gold_texts={chunk.id: chunk.text for chunk in chunks if chunk.id in gold and chunk.text},
        reference_answer=truth.reference_answer,
        should_refuse=truth.should_refuse,
        trace_id=str(trace["trace_id"]),
    )


def case_id_of(trace_id: str) -> str:
    """The same trace is the same case in every version."""
    return f"g-{hashlib.sha256(trace_id.encode()).hexdigest()[:12]}"


def _add(gathered: Gathered, truth: Truth, trace: Mapping[str, Any] | None, trace_id: str) -> None:
    if trace is None:
        gathered.left_out[TEXTS_GONE] += 1
    elif not isinstance(trace.get("question"), str) or not trace["question"].strip():
        gathered.left_out[NO_QUESTION] += 1
    else:
        case, taken = redact_case(make_case({**trace, "trace_id": trace_id}, truth))
        gathered.cases.append(case)
        gathered.redacted += taken


def _read_votes(client: ClickHouse, period: Period) -> dict[str, list[Vote]]:
    votes: defaultdict[str, list[Vote]] = defaultdict(list)
    for row in client.query(_VOTES, period.parameters):
        votes[row["trace_id"]].append(
            Vote(
                annotator=row["annotator"],
                at=in_utc(row["annotated_at"]),
                is_last_word=row["role"] == ItemRole.ARBITRATION,
                should_refuse=row["should_refuse"],
                gold_chunk_ids=frozenset(row["gold_chunk_ids"]),
                reference_answer=row["reference_answer"],
                failure=row["failure"],
                kind=Kind(row["kind"]) if row["kind"] in set(Kind) else None,
                weight=float(row["weight"]),
            )
        )
    return votes


def _read_traces(client: ClickHouse, period: Period, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """As annotators saw them, which was redacted; what never was in the queue comes from the traces."""
    found: dict[str, Mapping[str, Any]] = {}
    for row in client.query(_PAYLOADS, {"ids": list(ids)}):
        trace = (orjson.loads(row["payload"]) if row["payload"] else {}).get("trace")
        if trace:
            found[row["trace_id"]] = {**trace, "language": row["language"], "intent": row["intent"]}
    missing = [trace_id for trace_id in ids if trace_id not in found]
    if missing:
        found |= dict(_from_traces(client, period, missing))
    return found


def _from_traces(
    client: ClickHouse, period: Period, ids: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    for row in client.query(_TRACES, period.parameters | {"ids": list(ids)}):
        try:
            trace = trace_from_row(row)
        except (TextsGone, ValueError):
            continue
        yield row["trace_id"], redact_trace(trace.model_dump(mode="json"))[0]


def _chunks(trace: Mapping[str, Any]) -> list[Chunk]:
    """Chunks by id. What has none of its own goes by its place, as annotators see it: 1, 2, 3 …"""
    retrieval = trace.get("retrieval") or {}
    return [
        Chunk(str(chunk.get("id") or place), chunk.get("doc_id"), chunk.get("text"))
        for place, chunk in enumerate(retrieval.get("chunks") or (), 1)
    ]


__all__ = ["NO_QUESTION", "TEXTS_GONE", "Gathered", "case_id_of", "gather", "make_case"]
