"""What failed first, as a judge says, held to what the trace shows and to what the judge found itself.

Errors and empty retrievals stand in the trace; nobody need be asked for them. A class that does not go with
the judge's own findings (a refusal too many without a refusal) is no verdict, and neither is one that a part
of the trace that was not shown could overturn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from judges.finding import Finding
from judges.llm.asking import Opinion
from judges.llm.material import Material
from judges.llm.rubrics.forms import ScoresForm
from judges.triage import find_empty_recall, find_system_error
from schemas.scored import Scores
from schemas.taxonomy import HEALTHY, Failure
from schemas.trace import Trace

CONFIDENCE: Final = {"certain": 0.95, "likely": 0.75, "unsure": 0.5}
INCONSISTENT: Final = "inconsistent"


def find_shown(trace: Trace) -> Finding | None:
    """The failure that a trace shows by itself: a program that failed, or nothing retrieved."""
    nothing = Scores(scorer_version="")
    return find_system_error(trace, nothing) or find_empty_recall(trace, nothing)


def settle_failure(
    form: ScoresForm | None, opinion: Opinion, material: Material, shown: Finding | None
) -> None:
    """Fill in the failure class of an opinion and how sure it is, or why there is none."""
    if shown is not None:
        opinion.failure, opinion.failure_confidence = shown.failure.value, shown.confidence
        opinion.measured_by["failure"] = "trace"
        opinion.not_measured.pop("failure", None)
        return
    if form is None:
        return
    failure = put_in_order(form.failure, opinion)
    why = _why_not(failure, opinion, material)
    if why:
        opinion.not_measured["failure"] = why
        return
    opinion.failure, opinion.failure_confidence = failure, CONFIDENCE[form.confidence]
    opinion.measured_by["failure"] = "judge" if failure == form.failure else "order of blame"


def put_in_order(failure: str, opinion: Opinion) -> str:
    """The class that comes first in the order of blame, after what the same judge found.

    Where the documents do not hold the answer, what the generator made of them is not what failed first: not
    an answer of its own, and least of all a refusal.
    """
    if opinion.context_sufficiency != 0.0:
        return failure
    downstream = failure in (Failure.OVER_REFUSAL, Failure.HALLUCINATION)
    unnoticed = failure == HEALTHY and bool(opinion.refusal or opinion.parametric_leak)
    return Failure.POOR_RETRIEVAL.value if downstream or unnoticed else failure


def _why_not(failure: str, opinion: Opinion, material: Material) -> str:
    if failure == Failure.SYSTEM_ERROR:
        return ""
    if not material.question:
        return "no_question"
    if not material.documents:
        return _why_not_without(failure, material)
    if failure in _CLASHES and _CLASHES[failure](opinion, material):
        return INCONSISTENT
    if material.was_cut("question"):
        return "truncated"
    return _could_be_otherwise(failure, opinion, material)


def _why_not_without(failure: str, material: Material) -> str:
    """Without documents only a failure that the trace shows is known."""
    retrieval = material.trace.retrieval
    if retrieval is None:
        return "no_retrieval"
    return "not_recorded" if failure != Failure.EMPTY_RECALL else INCONSISTENT


def _contradicted(opinion: Opinion) -> bool:
    return any(claim.label == "contradicted" for claim in opinion.claims)


_CLASHES: Final[dict[str, Callable[[Opinion, Material], bool]]] = {
    Failure.OVER_REFUSAL: lambda o, m: not o.refusal,
    Failure.HALLUCINATION: lambda o, m: bool(o.refusal) or o.hallucination == 0.0,
    Failure.EMPTY_RECALL: lambda o, m: bool(m.documents),
    Failure.POOR_RETRIEVAL: lambda o, m: o.context_sufficiency == 1.0,
    Failure.REWRITE_FAILURE: lambda o, m: o.context_sufficiency == 1.0 or not (m.history or m.rewritten),
    HEALTHY: lambda o, m: _contradicted(o),
}
"""Classes that cannot be, after what the same judge found."""


def _could_be_otherwise(failure: str, opinion: Opinion, material: Material) -> str:
    """Why what was not shown could overturn a class; empty where it could not."""
    if failure == Failure.OVER_REFUSAL:
        return ""  # the documents were seen to hold the answer
    if failure == Failure.HALLUCINATION:
        return "" if _contradicted(opinion) else material.unseen
    if failure == HEALTHY:
        whole_answer = "" if not material.was_cut("answer") else "truncated"
        supported = opinion.faithfulness == 1.0
        return whole_answer or ("" if supported else material.unseen)
    return material.unseen


__all__ = ["INCONSISTENT", "find_shown", "put_in_order", "settle_failure"]
