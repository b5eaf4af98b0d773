"""Rows as the worker writes them, from the real code that makes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from schemas.row import Provenance, Role, Sampling, encode, feedback_row, score_row, trace_row
from schemas.scored import Judged, Scores, Verdict
from schemas.taxonomy import Failure
from schemas.trace import Feedback, LateFeedback, Trace

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def trace_values(trace_id: str, **values: Any) -> dict[str, Any]:
    """One row of table `traces`; `values` replace its columns."""
    provenance = Provenance("rag.traces", 0, 7, NOON)
    row = trace_row(_judged(trace_id, "test-1"), provenance, Sampling(), NOON + timedelta(seconds=1))
    return row | values


def score_values(
    trace_id: str, scorer_version: str = "test-2", role: Role = "shadow", **values: Any
) -> dict[str, Any]:
    """One row of table `scores`, of the same trace; `values` replace its columns."""
    return score_row(_judged(trace_id, scorer_version), NOON, role, NOON + timedelta(seconds=2)) | values


def score_line(trace_id: str, scorer_version: str = "test-2", role: Role = "shadow", **values: Any) -> bytes:
    """The same as bytes, as it travels on `rag.scored`."""
    return encode(score_values(trace_id, scorer_version, role, **values))


def trace_line(trace_id: str, **values: Any) -> bytes:
    """The same as bytes, as it travels on `rag.scored`."""
    return encode(trace_values(trace_id, **values))


def feedback_line(trace_id: str, rating: int | None, comment: str | None = None, **values: Any) -> bytes:
    """One row of table `feedback`, as bytes."""
    late = LateFeedback(trace_id=trace_id, feedback=Feedback(rating=rating, comment=comment))
    return encode(feedback_row(late, Provenance("rag.traces", 0, 8, NOON)) | values)


def _judged(trace_id: str, scorer_version: str) -> Judged:
    trace = Trace(
        trace_id=trace_id, timestamp=NOON, app="helpdesk", question="那它支持INT4吗？", answer="支持。"
    )
    scores = Scores(scorer_version, language="zh", faithfulness=0.5, hallucination=0.75)
    return Judged(trace, scores, Verdict(Failure.HALLUCINATION, 0.875, None, "test", {}))
