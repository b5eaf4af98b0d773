"""Small traces for tests of scoring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judges.distilled import load_scorer
from judges.triage import triage
from schemas.scored import Judged, Scores
from schemas.trace import Trace

SCORER = load_scorer()

CHUNKS = (
    "The Fjell tent weighs 2.1 kg and costs 349 euros. It stands on two poles and sleeps two people.",
    "Shipping to Norway takes eight working days. Returns are free within 30 days of delivery.",
)


def make_trace(
    question: str | None = "How much does the Fjell tent weigh?",
    answer: str | None = "The Fjell tent weighs 2.1 kg.",
    chunks: Sequence[str | None] | None = CHUNKS,
    **fields: Any,
) -> Trace:
    """A healthy trace; `chunks` are texts, and `fields` replace or add to the rest."""
    found = None if chunks is None else [{"id": f"k{i}", "text": text} for i, text in enumerate(chunks)]
    return Trace.model_validate(
        {"trace_id": "t", "question": question, "answer": answer, "retrieval": {"chunks": found}} | fields
    )


def score(trace: Trace) -> Scores:
    """The scores of one trace alone."""
    return SCORER.score([trace])[0]


def judge(trace: Trace) -> Judged:
    """One trace scored and sorted."""
    scores = score(trace)
    return Judged(trace, scores, triage(trace, scores))
