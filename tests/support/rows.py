"""Rows as the worker writes them, from the real code that makes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from schemas.row import Provenance, Sampling, encode, feedback_row, trace_row
from schemas.scored import Judged, Scores, Verdict
from schemas.taxonomy import Failure
from schemas.trace import Feedback, LateFeedback, Trace

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def trace_values(trace_id: str, **values: Any) -> dict[str, Any]:
    """One row of table `traces`; `values` replace its columns."""
    trace = Trace(
        trace_id=trace_id, timestamp=NOON, app="helpdesk", question="那它支持INT4吗？", answer="支持。"
    )
    scores = Scores("test-1", language="zh", faithfulness=0.5, hallucination=0.75)
    verdict = Verdict(Failure.HALLUCINATION, 0.875, None, "test", {})
    provenance = Provenance("rag.traces", 0, 7, NOON)
    row = trace_row(Judged(trace, scores, verdict), provenance, Sampling(), NOON + timedelta(seconds=1))
    return row | values


def trace_line(trace_id: str, **values: Any) -> bytes:
    """The same as bytes, as it travels on `rag.scored`."""
    return encode(trace_values(trace_id, **values))


def feedback_line(trace_id: str, rating: int | None, comment: str | None = None, **values: Any) -> bytes:
    """One row of table `feedback`, as bytes."""
    late = LateFeedback(trace_id=trace_id, feedback=Feedback(rating=rating, comment=comment))
    return encode(feedback_row(late, Provenance("rag.traces", 0, 8, NOON)) | values)
