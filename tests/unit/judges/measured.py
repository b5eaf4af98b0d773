"""Features of one made-up trace, for tests of single measures."""

from __future__ import annotations

from collections.abc import Sequence

from judges.distilled.measuring.batch import read_case
from judges.distilled.measuring.features import Features, measure
from schemas.trace import Trace


def measure_one(answer: str, chunks: Sequence[str], question: str = "") -> Features:
    """The features of an answer to a question, from chunks."""
    return measure([read_case(trace_of(answer, chunks, question))])


def trace_of(answer: str, chunks: Sequence[str], question: str = "") -> Trace:
    """A trace of nothing but its texts."""
    retrieval = {"chunks": [{"text": text} for text in chunks]}
    return Trace.model_validate(
        {"trace_id": "t", "question": question, "answer": answer, "retrieval": retrieval}
    )
