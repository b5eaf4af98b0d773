"""One case measured: what the candidate retrieved and answered, by layer. Null is never a score."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from judges.gate.checks import answer_checks, minimum_checks
from judges.gate.metrics import RANKED, Layer
from judges.gate.ranking import can_be_told, find_gold, in_retrievers_order, rank, was_reranked
from judges.gate.result import CaseResult, Check, Demand
from judges.golden import GoldenCase
from schemas.blank import is_blank
from schemas.bounds import was_recorded
from schemas.scored import Judged, Scores
from schemas.taxonomy import Coverage
from schemas.trace import Chunk, Trace

MISSING: Final = "no_answer_given"
"""Why nothing was measured of a case that nobody answered."""
_NOT_ASKED: Final = frozenset({"refusal", "no_gold_answer", "no_statements", "no_claims", "no_answer"})
"""Reasons of judges for a null that make no sense of the metric, rather than leave it unmeasured."""
_SHOWN_CHARS: Final = 300
_JUDGED: Final = {
    "judged_faithfulness": "faithfulness",
    "judged_answer_relevance": "answer_relevance",
    "judged_context_precision": "context_precision",
    "judged_context_recall": "context_recall",
}


@dataclass(frozen=True, slots=True)
class Answered:
    """All that is known of a candidate's answer to a case."""

    judged: Judged
    reference: Scores | None = None
    """Scores of the reference answer over the candidate's chunks; null where there is none to score."""
    opinion: Mapping[str, Any] | None = None
    """What the LLM judges say, as `ragpulse score --judge` prints it; null where they were not asked."""


@dataclass(slots=True)
class _Sheet:
    """What is filled in of one case."""

    values: dict[str, float] = field(default_factory=dict)
    gaps: dict[str, str] = field(default_factory=dict)

    def put(self, name: str, value: float | bool | None, gap: str) -> None:
        """A value, or why there is none."""
        if value is None:
            self.gaps[name] = gap
        else:
            self.values[name] = round(float(value), 6)


def measure(
    case: GoldenCase, answered: Answered | None, *, k: int, index: Collection[str] | None = None
) -> CaseResult:
    """What is measured of a case. `index` holds the ids of all chunks there are; null where nobody says."""
    strata = {
        "kind": case.kind.value,
        "intent": case.intent,
        "language": case.language,
        "tenant": case.tenant,
    }
    question = case.question[:_SHOWN_CHARS]
    if answered is None:
        gaps = dict.fromkeys(_expected(case), MISSING)
        unanswered = Check(Demand.ANSWERED, Layer.GENERATION, False, detail="nobody answered it")
        return CaseResult(case.case_id, question, strata, {}, gaps, (unanswered,))
    sheet = _Sheet()
    trace, scores = answered.judged.trace, answered.judged.scores
    _measure_index(sheet, case, trace, index)
    _measure_retrieval(sheet, case, trace, answered.reference, k)
    has_answer = _measure_generation(sheet, case, trace, scores)
    if answered.opinion is not None:
        _measure_by_judges(sheet, case, answered.opinion, has_answer)
    checks = answer_checks(case, trace, scores, sheet.values, has_answer)
    texts = [one.passed for one in checks if one.demand in (Demand.MUST_CONTAIN, Demand.MUST_NOT_CONTAIN)]
    if texts:
        sheet.values["texts"] = float(all(texts))
    return CaseResult(
        case.case_id,
        question,
        strata,
        sheet.values,
        sheet.gaps,
        (*checks, *minimum_checks(case, sheet.values, sheet.gaps)),
        (trace.answer or "")[:_SHOWN_CHARS],
    )


def _expected(case: GoldenCase) -> list[str]:
    """What an answer to this case would have been measured by."""
    names = ["answered", "refusal_correctness"]
    if case.gold_chunk_ids:
        names += ["found_anything", *RANKED]
    if not case.should_refuse:
        names += ["faithfulness", "answer_relevance"]
        names += ["context_recall"] if case.reference_answer else []
    if case.must_contain or case.must_not_contain:
        names.append("texts")
    return names


def _measure_index(sheet: _Sheet, case: GoldenCase, trace: Trace, index: Collection[str] | None) -> None:
    if index is not None and case.gold_chunk_ids:
        sheet.put("indexed", sum(one in index for one in case.gold_chunk_ids) / len(case.gold_chunk_ids), "")
    if case.should_refuse and not case.gold_chunk_ids:
        return
    chunks = _chunks(trace)
    usable = None if chunks is None else any(c.text is None or not is_blank(c.text) for c in chunks)
    sheet.put("found_anything", usable, "not_recorded")


def _measure_retrieval(
    sheet: _Sheet, case: GoldenCase, trace: Trace, reference: Scores | None, k: int
) -> None:
    chunks = _chunks(trace)
    if case.gold_chunk_ids:
        _measure_ranks(sheet, case, chunks, k)
    if not case.reference_answer or case.should_refuse:
        return
    if chunks is not None and not chunks:
        sheet.put("context_recall", 0.0, "")
    elif reference is None:
        sheet.put("context_recall", None, "not_recorded")
    elif reference.coverage is not Coverage.NO_CLAIMS:
        sheet.put("context_recall", reference.faithfulness, reference.coverage.value)


def _measure_ranks(sheet: _Sheet, case: GoldenCase, chunks: list[Chunk] | None, k: int) -> None:
    if chunks is None or not can_be_told(case, chunks):
        sheet.gaps.update(dict.fromkeys(RANKED, "not_recorded" if chunks is None else "no_chunk_ids"))
        return
    wanted = len(case.gold_chunk_ids)
    final = rank(find_gold(case, chunks), wanted, k)
    if not was_reranked(chunks):
        sheet.values.update(final)
        return
    sheet.values.update({f"rerank_{name}": value for name, value in final.items()})
    before = in_retrievers_order(chunks)
    if before is None:
        sheet.gaps.update(dict.fromkeys(RANKED, "no_retriever_scores"))
    else:
        sheet.values.update(rank(find_gold(case, before), wanted, k))


def _measure_generation(sheet: _Sheet, case: GoldenCase, trace: Trace, scores: Scores) -> bool:
    """Whether there is an answer to look at."""
    failed = bool(trace.generation and trace.generation.error)
    recorded = not is_blank(trace.answer) or was_recorded(trace.extra, "answer")
    has_answer = not failed and not is_blank(trace.answer)
    sheet.put("answered", has_answer if recorded or failed else None, "not_recorded")
    if not has_answer:
        return False
    unread = scores.coverage in (Coverage.UNSUPPORTED_LANGUAGE, Coverage.SCORER_ERROR)
    refused = None if unread else scores.refusal
    sheet.put(
        "refusal_correctness",
        None if refused is None else refused == case.should_refuse,
        scores.coverage.value,
    )
    if not scores.refusal and scores.coverage is not Coverage.NO_CLAIMS:
        sheet.put("faithfulness", scores.faithfulness, scores.coverage.value)
        sheet.put("answer_relevance", scores.answer_relevance, scores.coverage.value)
    return True


def _measure_by_judges(sheet: _Sheet, case: GoldenCase, opinion: Mapping[str, Any], has_answer: bool) -> None:
    if not has_answer:
        return
    error = opinion.get("error")
    refusal = opinion.get("refusal")
    sheet.put(
        "judged_refusal_correctness",
        None if refusal is None else bool(refusal) == case.should_refuse,
        str(error or "not_measured"),
    )
    why: Mapping[str, str] = opinion.get("not_measured") or {}
    for name, said in _JUDGED.items():
        value, reason = opinion.get(said), str(error or why.get(said) or "not_measured")
        if value is not None:
            sheet.put(name, float(value), "")
        elif reason not in _NOT_ASKED and not (refusal and said == "faithfulness"):
            sheet.put(name, None, reason)


def _chunks(trace: Trace) -> list[Chunk] | None:
    """What was retrieved; nothing where the retrieval failed; null where it is not known."""
    retrieval = trace.retrieval
    if retrieval is None:
        return None
    if retrieval.chunks is None:
        return [] if retrieval.error else None
    return retrieval.chunks


__all__ = ["MISSING", "Answered", "measure"]
