"""A row of our own making for each table, with something in every column.

A table that cannot read it has changed under us.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any

import orjson

from schemas.row import Provenance, Sampling, evaluation_rows, feedback_row, score_row, trace_row
from schemas.scored import Claim, Judged, Scores, Verdict
from schemas.taxonomy import Failure, Quadrant, Stage
from schemas.trace import LateFeedback, Trace

_AT = datetime(2026, 1, 1, tzinfo=UTC)
_PROVENANCE = Provenance("rag.traces", 0, 0, _AT)

_TRACE: dict[str, Any] = {
    "trace_id": "reference",
    "timestamp": _AT,
    "app": "a",
    "tenant": "t",
    "environment": "e",
    "intent": "i",
    "language": "en",
    "release": dict.fromkeys(("app", "prompt", "index", "embedding_model", "reranker", "generator"), "r"),
    "conversation_id": "c",
    "turn": 1,
    "history": [{"role": "user", "content": "x"}],
    "question": "q",
    "rewritten_query": "q",
    "retrieval": {
        "top_k": 1,
        "min_score": 0.5,
        "latency_ms": 1.5,
        "error": "x",
        "prompt_context": "x",
        "chunks": [{"id": "k", "text": "x", "score": 0.5, "rank": 1}],
    },
    "generation": {
        "model": "m",
        "finish_reason": "stop",
        "latency_ms": 1.5,
        "ttft_ms": 0.5,
        "input_tokens": 1,
        "output_tokens": 1,
        "cost_usd": 0.5,
        "error": "x",
    },
    "answer": "x",
    "feedback": {"rating": -1, "comment": "x"},
    "extra": {"x": 1},
}

_VERDICT = {
    "trace_id": "r", "timestamp": "2026-01-01 00:00:00.000", "app": "a", "tenant": "t", "judge": "j",
    "model": "m", "rubric": "r", "rubric_version": "1", "language": "en", "role": "verdict",
    "failure": "healthy", "failure_confidence": 0.5, "faithfulness": 0.5, "hallucination": 0.5,
    "answer_relevance": 0.5, "context_relevance": 0.5, "context_sufficiency": 0.5, "context_precision": 0.5,
    "context_recall": 0.5, "citation_precision": 0.5, "refusal": True, "refusal_correct": True,
    "parametric_leak": True,
    "ratings": {"accuracy": 5}, "rationale": "x", "root_cause": "x", "suggested_fix": "x", "claims": "[]",
    "truncated": ["chunk 1"], "not_measured": {"x": "truncated"}, "measured_by": {"x": "trace"},
    "disagreement": 0.5, "failed": {"k": "timeout"}, "served_by": "m", "sample_probability": 0.5,
    "sample_reasons": ["control"],
    "calls": 1, "input_tokens": 1, "output_tokens": 1, "cost_usd": 0.5, "latency_ms": 1.5, "error": "x",
    "error_detail": "x", "created_at": "2026-01-01 00:00:00.000",
}  # fmt: skip
"""As `stream.judging.rows` writes it (a test holds the two together): sinks know nothing of judges."""


@cache
def reference_line(table: str) -> bytes:
    """The row as JSON; an empty object for a table that we know no row of."""
    if table == "traces":
        return orjson.dumps(trace_row(_judged(), _PROVENANCE, Sampling(True, 0.5, ("base",)), _AT))
    if table == "scores":
        return orjson.dumps(score_row(_judged(), _AT, "shadow", _AT))
    if table == "feedback":
        late = LateFeedback.model_validate({"trace_id": "r", "feedback": {"rating": 1, "comment": "x"}})
        return orjson.dumps(feedback_row(late, _PROVENANCE))
    if table == "evaluations":
        said = {"name": "n", "score": 0.5, "label": "x", "comment": "x", "source": "s"}
        late = LateFeedback.model_validate({"trace_id": "r", "feedback": {}, "evaluations": [said]})
        return orjson.dumps(evaluation_rows(late, _PROVENANCE)[0])
    if table == "verdicts":
        return orjson.dumps(_VERDICT)
    return b"{}"


def _judged() -> Judged:
    measures = dict.fromkeys(("hit_at_k", "mrr", "recall_at_k", "ndcg"), 0.5)
    scores = Scores(
        "reference",
        faithfulness=0.5,
        hallucination=0.5,
        answer_relevance=0.5,
        context_relevance=0.5,
        context_sufficiency=0.5,
        citation_precision=0.5,
        refusal=True,
        evidence=[Claim("x", 0, 1, 0.5)],
        signals=dict(measures),
    )
    verdict = Verdict(Failure.HALLUCINATION, 0.5, Stage.GENERATION, "x", {"x": 1}, True, Quadrant.GOOD)
    return Judged(Trace.model_validate(_TRACE), scores, verdict)


__all__ = ["reference_line"]
