"""The spans of one trace to one trace of ours: pure, whatever libraries wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from schemas.formats.assembly.build import build_trace
from schemas.formats.assembly.compose import read_moment
from schemas.formats.assembly.feedback import as_json, by_user, read_feedback
from schemas.formats.assembly.parts import without_doubles
from schemas.formats.assembly.roles import promote
from schemas.formats.assembly.segments import DEFAULT, Segments
from schemas.formats.assembly.tree import Tree
from schemas.formats.conventions import read_step
from schemas.formats.span import Span
from schemas.formats.step import Evaluation, Step
from schemas.trace import Feedback, LateFeedback, Trace

NO_RAG: Final = "no_retrieval_no_generation"
"""Neither a retrieval nor an answer was seen: web requests, indexing, jobs."""
EVALUATION_ONLY: Final = "evaluation_only"
"""Scores by evaluators, and no trace to go with them."""
NO_SPANS: Final = "no_spans"
NOT_RAG_REASONS: Final = (NO_RAG, EVALUATION_ONLY, NO_SPANS)


@dataclass(slots=True, frozen=True)
class NotRag:
    """A trace that ragpulse has nothing to say of: a reason of a closed set, and a detail for people."""

    reason: str
    detail: str
    late: LateFeedback | None = None
    """What evaluators said of a trace that is elsewhere."""


def assemble(
    spans: Sequence[Span], *, segments: Segments = DEFAULT, incomplete: str | None = None
) -> Trace | LateFeedback | NotRag:
    """One trace out of its spans, in any order, with doubles. They must share their trace id.

    `incomplete` says why more spans are known to be missing; it is noted under `extra`, as is a root
    that is not there. A user's score whose trace is elsewhere comes back as late feedback.
    """
    spans = without_doubles(spans)
    if not spans:
        return NotRag(NO_SPANS, "no spans")
    steps = [read_step(span) for span in spans]
    said = sorted((step for step in steps if step.evaluations), key=_said_at)
    evaluations = [evaluation for step in said for evaluation in step.evaluations]
    tree = Tree(steps)
    promote(tree)
    trace = build_trace(tree, spans, segments, evaluations, incomplete) if len(tree) else None
    return trace or _without_trace(spans, evaluations)


def _said_at(step: Step) -> tuple[int, str]:
    """Whatever order spans come in, of two opinions the later one is the last word."""
    return step.span.end_ns, step.span.span_id


def _without_trace(spans: Sequence[Span], evaluations: list[Evaluation]) -> LateFeedback | NotRag:
    if not evaluations:
        return NotRag(NO_RAG, f"{len(spans)} spans, none of which retrieves or answers")
    feedback = read_feedback(evaluations)
    late = LateFeedback.model_validate(
        {
            "trace_id": spans[0].trace_id,
            "timestamp": read_moment(max(span.end_ns for span in spans)),
            "feedback": feedback or Feedback(),
            "evaluations": [as_json(said) for said in evaluations if said.name and not by_user(said)],
        }
    )
    if feedback is not None:
        return late
    names = ", ".join(sorted({evaluation.name for evaluation in evaluations})[:5])
    said = f"{len(evaluations)} evaluations ({names}) without their trace"
    return NotRag(EVALUATION_ONLY, said, late if late.evaluations else None)


__all__ = ["EVALUATION_ONLY", "NOT_RAG_REASONS", "NO_RAG", "NO_SPANS", "NotRag", "assemble"]
