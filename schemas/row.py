"""The wide event: one flat JSON row a trace, as it travels on `rag.scored` and lies in ClickHouse.

The keys are the columns of table `traces`, so the sink inserts the bytes as they are. Nested parts
that no metric query reads (history, chunks, evidence, extra) are JSON in a string column.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

import orjson

from schemas.scored import Judged, Scores, claim_fields, rounded
from schemas.taxonomy import HEALTHY
from schemas.trace import LateFeedback, Trace

Role = Literal["shadow", "rescore", "encoder"]
"""Why a trace was scored by another scorer than the serving one."""

_MOST_EVALUATIONS: Final = 100
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
AHEAD = timedelta(days=2)


@dataclass(slots=True, frozen=True)
class Provenance:
    """Where a trace came from: stable under redelivery, so that its row is the same each time."""

    topic: str
    partition: int
    offset: int
    received_at: datetime
    """The broker's timestamp of the message, in UTC."""
    format: str = "ragpulse"


@dataclass(slots=True, frozen=True)
class Sampling:
    """Whether a trace goes to the judges, with what probability, and why (reason names)."""

    selected: bool = False
    probability: float = 0.0
    reasons: tuple[str, ...] = field(default=())


def event_time(trace: Trace | LateFeedback, received_at: datetime) -> tuple[datetime, str]:
    """When it happened, and who says so: the trace itself, or the broker where that is absurd.

    A clock that reads year 1 or next month would hide the trace from every window (and from the
    retention rules). The broker's time is used, not ours, so that a redelivery gives the same row.
    """
    said = trace.timestamp
    if said is None:
        return received_at, "broker"
    if said < EARLIEST or said > received_at + AHEAD:
        return received_at, "broker_implausible"
    return said, "trace"


def trace_row(
    judged: Judged, provenance: Provenance, sampling: Sampling, scored_at: datetime
) -> dict[str, Any]:
    """Flatten a judged trace into the columns of table `traces`."""
    trace, scores, verdict = judged.trace, judged.scores, judged.verdict
    release, retrieval, generation = trace.release, trace.retrieval, trace.generation
    chunks = retrieval.chunks if retrieval else None  # flat, like messages: `vars` is all of them
    at, at_source = event_time(trace, provenance.received_at)
    return {
        "trace_id": trace.trace_id,
        "timestamp": stamp(at),
        "timestamp_source": at_source,
        "received_at": stamp(provenance.received_at),
        "scored_at": stamp(scored_at),
        "app": trace.app or "",
        "tenant": trace.tenant or "",
        "environment": trace.environment or "",
        "intent": trace.intent or "",
        "language": scores.language or trace.language or "",
        "release_app": (release and release.app) or "",
        "release_prompt": (release and release.prompt) or "",
        "release_index": (release and release.index) or "",
        "release_embedding_model": (release and release.embedding_model) or "",
        "release_reranker": (release and release.reranker) or "",
        "release_generator": (release and release.generator) or "",
        "conversation_id": trace.conversation_id or "",
        "turn": _int(trace.turn, 31),
        "question": trace.question,
        "rewritten_query": trace.rewritten_query,
        "answer": trace.answer,
        "history": _json([vars(message) for message in trace.history]),
        "chunks": _json([vars(chunk) for chunk in chunks]) if chunks is not None else None,
        "prompt_context": retrieval.prompt_context if retrieval else None,
        "retrieval_state": _retrieval_state(trace),
        "retrieval_error": retrieval.error if retrieval else None,
        "retrieval_latency_ms": retrieval.latency_ms if retrieval else None,
        "top_k": _int(retrieval.top_k, 31) if retrieval else None,
        "min_score": retrieval.min_score if retrieval else None,
        "chunk_count": len(chunks) if chunks is not None else None,
        "top_score": max((c.score for c in chunks if c.score is not None), default=None) if chunks else None,
        "model": (generation and generation.model) or "",
        "finish_reason": (generation and generation.finish_reason) or "",
        "generation_error": generation.error if generation else None,
        "generation_latency_ms": generation.latency_ms if generation else None,
        "ttft_ms": generation.ttft_ms if generation else None,
        "input_tokens": _int(generation.input_tokens, 63) if generation else None,
        "output_tokens": _int(generation.output_tokens, 63) if generation else None,
        "cost_usd": generation.cost_usd if generation else None,
        "feedback_rating": _rating(trace.feedback.rating) if trace.feedback else None,
        "feedback_comment": trace.feedback.comment if trace.feedback else None,
        "failure": verdict.failure.value if verdict.failure else HEALTHY,
        "failure_confidence": rounded(verdict.confidence),
        "first_failed_stage": verdict.stage.value if verdict.stage else "",
        "quadrant": verdict.quadrant.value if verdict.quadrant else "",
        "rule": verdict.rule,
        "because": _json(verdict.because),
        **_measures(scores),
        "parametric_leak": verdict.parametric_leak,
        "coverage": scores.coverage.value,
        "evidence": _json([claim_fields(c) for c in scores.evidence]),
        "signals": _json(scores.signals),
        "scorer_version": scores.scorer_version,
        "sampled": sampling.selected,
        "sample_probability": sampling.probability,
        "sample_reasons": list(sampling.reasons),
        "hit_at_k": _signal(scores.signals, "hit_at_k"),
        "mrr": _signal(scores.signals, "mrr"),
        "recall_at_k": _signal(scores.signals, "recall_at_k"),
        "ndcg": _signal(scores.signals, "ndcg"),
        "source_topic": provenance.topic,
        "source_partition": provenance.partition,
        "source_offset": provenance.offset,
        "source_format": provenance.format,
        "extra": _json(trace.unknown) if trace.unknown else "",
    }


def score_row(judged: Judged, received_at: datetime, role: Role, scored_at: datetime) -> dict[str, Any]:
    """What another scorer than the serving one says of a trace, as the columns of table `scores`.

    Key and time are those of the trace's own row, so that the two can be compared.
    """
    trace, scores, verdict = judged.trace, judged.scores, judged.verdict
    at, _ = event_time(trace, received_at)
    return {
        "trace_id": trace.trace_id,
        "timestamp": stamp(at),
        "received_at": stamp(received_at),
        "app": trace.app or "",
        "tenant": trace.tenant or "",
        "language": scores.language or trace.language or "",
        "role": role,
        "scorer_version": scores.scorer_version,
        "failure": verdict.failure.value if verdict.failure else HEALTHY,
        "failure_confidence": rounded(verdict.confidence),
        "first_failed_stage": verdict.stage.value if verdict.stage else "",
        **_measures(scores),
        "parametric_leak": verdict.parametric_leak,
        "coverage": scores.coverage.value,
        "scored_at": stamp(scored_at),
    }


def feedback_row(late: LateFeedback, provenance: Provenance) -> dict[str, Any]:
    """Flatten late feedback into the columns of table `feedback`."""
    at, _ = event_time(late, provenance.received_at)
    return {
        "trace_id": late.trace_id,
        "timestamp": stamp(at),
        "received_at": stamp(provenance.received_at),
        "rating": _rating(late.feedback.rating),
        "comment": late.feedback.comment,
    }


def evaluation_rows(late: LateFeedback, provenance: Provenance) -> list[dict[str, Any]]:
    """What evaluators said, as rows of table `evaluations`; the last of those under one name and source."""
    at, _ = event_time(late, provenance.received_at)
    rows = {}
    for said in late.evaluations[-_MOST_EVALUATIONS:]:
        rows[said.name, said.source] = {
            "trace_id": late.trace_id,
            "timestamp": stamp(at),
            "received_at": stamp(provenance.received_at),
            "name": said.name,
            "source": said.source or "",
            "score": said.score,
            "label": said.label,
            "comment": said.comment,
        }
    return list(rows.values())


def encode(row: dict[str, Any]) -> bytes:
    """One JSONEachRow line, without the newline."""
    return orjson.dumps(row)


def _measures(scores: Scores) -> dict[str, Any]:
    """The columns that a scorer's measures have in every table that holds any."""
    return {
        "faithfulness": rounded(scores.faithfulness),
        "hallucination": rounded(scores.hallucination),
        "answer_relevance": rounded(scores.answer_relevance),
        "context_relevance": rounded(scores.context_relevance),
        "context_sufficiency": rounded(scores.context_sufficiency),
        "citation_precision": rounded(scores.citation_precision),
        "refusal": scores.refusal,
        "refusal_kind": scores.refusal_kind,
    }


def _retrieval_state(trace: Trace) -> str:
    retrieval = trace.retrieval
    if retrieval is None:
        return "none"
    if retrieval.error:
        return "error"
    if retrieval.chunks is None:
        return "not_recorded"
    return "recorded" if retrieval.chunks else "empty"


def stamp(moment: datetime) -> str:
    """A time as the tables read it: UTC, in milliseconds."""
    return moment.astimezone(UTC).isoformat(" ", "milliseconds")[:23]


def _json(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()


_RATINGS: Final = range(-1, 2)


def _rating(value: int | None) -> int | None:
    """Thumbs down, neither, up. A number of another scale (stars) says nothing on this one."""
    return value if value in _RATINGS else None


def _int(value: int | None, bits: int) -> int | None:
    """A count that does not fit its column measures nothing."""
    return value if value is not None and -(2**bits) <= value < 2**bits else None


def _signal(signals: dict[str, Any], name: str) -> float | None:
    value = signals.get(name)
    return round(float(value), 4) if isinstance(value, int | float) else None
