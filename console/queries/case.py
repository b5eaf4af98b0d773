"""One trace with everything that is known of it: what happened, what was said of it, and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import GOLD_MEASURES, MEASURES, all_measured

_TRACE: Final = f"""
SELECT * EXCEPT (timestamp, received_at, scored_at, inserted_at)
    REPLACE ({all_measured((*MEASURES, *GOLD_MEASURES))}),
    toUnixTimestamp64Milli(timestamp) / 1000 AS at,
    toUnixTimestamp64Milli(scored_at) / 1000 AS scored_at_s
FROM traces FINAL
WHERE trace_id = {{trace:String}}
ORDER BY scored_at DESC LIMIT 1
"""
_LATE: Final = """
SELECT rating AS feedback_rating, comment AS feedback_comment, true AS feedback_was_late
FROM feedback FINAL WHERE trace_id = {trace:String}
"""
_VERDICTS: Final = f"""
SELECT * EXCEPT (timestamp, created_at, inserted_at) REPLACE ({all_measured()}),
    toUnixTimestamp64Milli(created_at) / 1000 AS at
FROM verdicts FINAL
WHERE trace_id = {{trace:String}}
ORDER BY role = 'verdict' DESC, error IS NULL DESC, created_at DESC LIMIT 20
"""
_SCORES: Final = f"""
SELECT role, scorer_version, failure, failure_confidence,
    {all_measured(("faithfulness", "hallucination"))}
FROM scores FINAL
WHERE trace_id = {{trace:String}}
ORDER BY scored_at DESC LIMIT 10
"""
_EVALUATIONS: Final = """
SELECT name, source, score, label, comment FROM trace_evaluations
WHERE trace_id = {trace:String} ORDER BY name, source LIMIT 30
"""
_INCIDENTS: Final = """
SELECT incident_id, status, severity, summary FROM incidents FINAL
WHERE has(cases, {trace:String}) AND status != 'absorbed' ORDER BY detected_at DESC LIMIT 10
"""
_TURNS: Final = """
SELECT trace_id, turn, failure, substringUTF8(coalesce(question, ''), 1, 2000) AS asked
FROM traces FINAL
WHERE app = {app:String} AND conversation_id = {conversation:String} AND conversation_id != ''
ORDER BY timestamp LIMIT 50
"""
_RELEASED: Final = """
SELECT part, value, previous, toUnixTimestamp64Milli(at) / 1000 AS at_s FROM release_marks FINAL
WHERE app IN ('', {app:String}) AND part != 'scorer'
    AND at <= fromUnixTimestamp64Milli({at:Int64}, 'UTC')
    AND at >= fromUnixTimestamp64Milli({at:Int64}, 'UTC') - INTERVAL 6 HOUR
ORDER BY at DESC, part = 'app', part LIMIT 4
"""
_NESTED: Final = frozenset({"history", "chunks", "evidence", "because", "signals", "claims", "extra"})
"""Columns of JSON. They are read into parts of a case, and not kept beside those: a text stands in one
place."""
RELEASE_PARTS: Final = ("app", "prompt", "index", "embedding_model", "reranker", "generator")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A claim of the answer with how well the best chunk supports it; places are in characters."""

    text: str
    start: int
    end: int
    support: float
    chunk: int | None
    chunk_id: str
    chunk_start: int | None
    chunk_end: int | None
    why: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """One retrieved passage. `text` is null where the source did not record it."""

    id: str
    doc_id: str
    text: str | None
    score: float | None
    rerank_score: float | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """What a judge says of one claim. `label` is null where its quote does not stand up."""

    text: str
    label: str | None
    claimed: str
    quote: str
    chunk: int | None
    void: str


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one judge said, as the table has it, with its claims read."""

    row: Mapping[str, Any]
    claims: tuple[JudgedClaim, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A trace as the table has it, with its nested parts read. `row` has the flat columns."""

    row: Mapping[str, Any]
    history: tuple[tuple[str, str], ...]
    """Role and text of earlier turns."""
    chunks: tuple[Chunk, ...] | None
    """Null where no retrieval was recorded, which is not the same as none found."""
    evidence: tuple[Evidence, ...]
    because: Mapping[str, Any]
    signals: Mapping[str, Any]
    texts_kept: bool = True
    """Whether its texts are still there. Where they are, what is empty was empty from the beginning."""
    opinions: tuple[Opinion, ...] = ()
    others: tuple[Mapping[str, Any], ...] = ()
    """Scores by other scorers."""
    evaluations: tuple[Mapping[str, Any], ...] = ()
    incidents: tuple[Mapping[str, Any], ...] = ()
    turns: tuple[Mapping[str, Any], ...] = ()
    """The traces of its conversation, in order, this one among them."""
    released: tuple[Mapping[str, Any], ...] = ()
    """What was released for its app in the six hours before it, the last first."""


def read_case(client: ClickHouse, trace_id: str) -> Case | None:
    """Everything about one trace; null where there is none of this id. Raises SinkError."""
    asked = {"trace": trace_id}
    found = client.query(_TRACE, asked)
    if not found:
        return None
    late = client.query(_LATE, asked) or [{"feedback_was_late": False}]
    row = {**found[0], **late[0]}
    conversation = {"app": row["app"], "conversation": row["conversation_id"]}
    turns = client.query(_TURNS, conversation) if row["conversation_id"] else []
    return case_of(
        row,
        verdicts=client.query(_VERDICTS, asked),
        others=client.query(_SCORES, asked),
        evaluations=client.query(_EVALUATIONS, asked),
        incidents=client.query(_INCIDENTS, asked),
        turns=turns,
        released=client.query(_RELEASED, {"app": row["app"], "at": round(row["at"] * 1000)}),
    )


def case_of(row: Mapping[str, Any], *, verdicts: Any = (), **beside: Any) -> Case:
    """The row of a trace with its nested parts read. They come from JSON in text columns: what does not have
    the expected form is left out, never an error."""
    chunks = _read(row.get("chunks"))
    return Case(
        row=_flat(row),
        history=tuple(
            (str(turn.get("role") or ""), str(turn.get("content") or "")) for turn in _objects(row["history"])
        ),
        chunks=tuple(_chunk(one) for one in chunks if isinstance(one, dict))
        if isinstance(chunks, list)
        else None,
        evidence=tuple(_evidence(one) for one in _objects(row["evidence"])),
        because=_dict(row["because"]),
        signals=_dict(row["signals"]),
        texts_kept=bool(row["history"]),  # written as a list, be it an empty one, and emptied with the texts
        opinions=tuple(
            Opinion(_flat(one), tuple(_claim(c) for c in _objects(one["claims"]))) for one in verdicts
        ),
        **{name: tuple(rows) for name, rows in beside.items()},
    )


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _NESTED}


def _chunk(said: Mapping[str, Any]) -> Chunk:
    text = said.get("text")
    return Chunk(
        id=str(said.get("id") or ""),
        doc_id=str(said.get("doc_id") or ""),
        text=None if text is None else str(text),
        score=_number(said.get("score")),
        rerank_score=_number(said.get("rerank_score")),
        rank=_whole(said.get("rank")),
    )


def _evidence(said: Mapping[str, Any]) -> Evidence:
    return Evidence(
        text=str(said.get("text") or ""),
        start=_whole(said.get("start")) or 0,
        end=_whole(said.get("end")) or 0,
        support=_number(said.get("support")) or 0.0,
        chunk=_whole(said.get("chunk")),
        chunk_id=str(said.get("chunk_id") or ""),
        chunk_start=_whole(said.get("chunk_start")),
        chunk_end=_whole(said.get("chunk_end")),
        why=str(said.get("why") or ""),
    )


def _claim(said: Mapping[str, Any]) -> JudgedClaim:
    label = said.get("label")
    return JudgedClaim(
        text=str(said.get("text") or ""),
        label=None if label is None else str(label),
        claimed=str(said.get("claimed") or ""),
        quote=str(said.get("quote") or ""),
        chunk=_whole(said.get("chunk")),
        void=str(said.get("void") or ""),
    )


def _read(text: Any) -> Any:
    try:
        return orjson.loads(text) if text else None
    except orjson.JSONDecodeError:
        return None


def _objects(text: Any) -> list[dict[str, Any]]:
    said = _read(text)
    return [one for one in said if isinstance(one, dict)] if isinstance(said, list) else []


def _dict(text: Any) -> dict[str, Any]:
    said = _read(text)
    return said if isinstance(said, dict) else {}


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


__all__ = [
    "RELEASE_PARTS",
    "Case",
    "Chunk",
    "Evidence",
    "JudgedClaim",
    "Opinion",
    "case_of",
    "read_case",
]
