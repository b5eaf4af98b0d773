"""What is demanded of a single case: found, answered, grounded; what its answer must and must not contain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from judges.finding import is_invented
from judges.gate.metrics import METRICS, Layer
from judges.gate.ranking import folded
from judges.gate.result import Check, Demand
from judges.golden import GoldenCase, Kind
from schemas.scored import Scores
from schemas.trace import Trace

_GENERATION = Layer.GENERATION


def answer_checks(
    case: GoldenCase, trace: Trace, scores: Scores, values: Mapping[str, float], has_answer: bool
) -> tuple[Check, ...]:
    """The checks of one answer, bottom-up. Null stays null: not measured is not passed."""
    return (
        *_found(case, values),
        Check(Demand.ANSWERED, _GENERATION, has_answer, detail="" if has_answer else _no_answer(trace)),
        *_refusals(case, values, has_answer),
        *_texts(case, trace.answer if has_answer else None),
        *_grounded(scores, has_answer),
    )


def minimum_checks(
    case: GoldenCase, values: Mapping[str, float], gaps: Mapping[str, str]
) -> tuple[Check, ...]:
    """The case's own floors. Raises ValueError where one names no metric."""
    checks = []
    for name, floor in sorted(case.minima.items()):
        if name not in METRICS:
            raise ValueError(f"case {case.case_id}: minima name {name!r}; there are: {', '.join(METRICS)}")
        value = values.get(name)
        passed = None if value is None else value >= floor
        found = f"not measured ({gaps.get(name, 'it makes no sense of this answer')})"
        detail = f"{found if value is None else format(value, '.3g')}, {floor:g} is demanded"
        checks.append(Check(Demand.MINIMUM, METRICS[name].layer, passed, name, detail))
    return tuple(checks)


def _found(case: GoldenCase, values: Mapping[str, float]) -> Iterator[Check]:
    if not case.gold_chunk_ids:
        return
    wanted = len(case.gold_chunk_ids)
    needed = wanted if case.kind is Kind.MULTI_HOP else 1
    before, after = (
        None if share is None else round(share * wanted)
        for share in (values.get("recall_at_k"), values.get("rerank_recall_at_k"))
    )
    found = before if after is None else after
    passed = None if found is None else found >= needed
    reranked_away = after is not None and before is not None and before >= needed
    detail = "not measured" if found is None else f"{found} of {wanted} gold chunks found"
    layer = Layer.RERANK if reranked_away else Layer.RETRIEVAL
    yield Check(Demand.FOUND, layer, passed, detail="" if passed else detail)


def _refusals(case: GoldenCase, values: Mapping[str, float], has_answer: bool) -> Iterator[Check]:
    right = values.get("refusal_correctness")
    passed = None if right is None else right > 0
    if case.should_refuse:
        detail = "not measured" if passed is None else "it answers what it should refuse"
        yield Check(Demand.SHOULD_REFUSE, _GENERATION, passed, detail="" if passed else detail)
    elif has_answer:
        detail = "it refuses what it should answer"
        yield Check(Demand.ANSWERS, _GENERATION, passed, detail=detail if passed is False else "")


def _texts(case: GoldenCase, answer: str | None) -> Iterator[Check]:
    said = folded(answer or "")
    for text in case.must_contain:
        holds = folded(text) in said
        yield Check(Demand.MUST_CONTAIN, _GENERATION, holds, text, "" if holds else "the answer lacks it")
    for text in case.must_not_contain:
        free = folded(text) not in said
        yield Check(Demand.MUST_NOT_CONTAIN, _GENERATION, free, text, "" if free else "the answer has it")


def _grounded(scores: Scores, has_answer: bool) -> Iterator[Check]:
    if has_answer and scores.hallucination is not None and not scores.refusal:
        invented = is_invented(scores)
        weakest = scores.evidence[0].text if invented and scores.evidence else ""
        yield Check(
            Demand.GROUNDED, _GENERATION, not invented, detail=f"unsupported: {weakest}" if invented else ""
        )


def _no_answer(trace: Trace) -> str:
    error = trace.generation.error if trace.generation else None
    return f"error: {error}" if error else "the answer is empty"


__all__ = ["answer_checks", "minimum_checks"]
