"""Whose answer is whose: traces to the cases of a golden set, by case_id, else by the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from judges.gate.ranking import folded
from judges.golden import GoldenCase, GoldenSet
from schemas.trace import LateFeedback, Trace


@dataclass(slots=True)
class Joined:
    """The answer of each case, by its id, and what found no place."""

    answers: dict[str, Trace] = field(default_factory=dict)
    strangers: int = 0
    """Traces of no case."""
    ambiguous: int = 0
    """Traces whose question several cases ask: only a case_id says which is meant."""
    repeated: Counter[str] = field(default_factory=Counter)
    """Cases that were answered more than once: the last answer counts."""


def join(golden: GoldenSet, items: Iterable[Trace | LateFeedback | None]) -> Joined:
    """Traces to cases. A case_id (of the trace, or its trace_id) goes before the question."""
    by_id = {case.case_id: case for case in golden.cases}
    by_question: dict[str, list[GoldenCase]] = {}
    for case in golden.cases:
        by_question.setdefault(folded(case.question), []).append(case)
    joined = Joined()
    for item in items:
        if not isinstance(item, Trace):
            continue
        named = [name for name in (item.unknown.get("case_id"), item.trace_id) if name in by_id]
        cases = [by_id[named[0]]] if named else _asking(by_question, item)
        if len(cases) == 1:
            case_id = cases[0].case_id
            joined.repeated[case_id] += case_id in joined.answers
            joined.answers[case_id] = item
        elif cases:
            joined.ambiguous += 1
        else:
            joined.strangers += 1
    joined.repeated = +joined.repeated
    return joined


def _asking(by_question: dict[str, list[GoldenCase]], trace: Trace) -> list[GoldenCase]:
    cases = by_question.get(folded(trace.question or ""), [])
    if len(cases) > 1 and trace.tenant:
        return [case for case in cases if case.tenant == trace.tenant] or cases
    return cases


__all__ = ["Joined", "join"]
