"""From measures to `Scores`: what every scorer of this package says of a trace, however it judges claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judges.distilled.coverage import decide_coverage
from judges.distilled.evidence import find_weakest
from judges.distilled.gold import measure_gold
from judges.distilled.measuring.batch import Case
from judges.distilled.measuring.cited import citation_precision
from judges.distilled.measuring.features import Features
from judges.distilled.measuring.part import HISTORY, QUESTION, REWRITE
from judges.distilled.measuring.units import Floats
from judges.distilled.reading.answerable import NUMBER, TIME, kind_of_answer
from judges.distilled.reading.garbled import find_broken_answer, find_broken_text
from judges.distilled.relevance import score_relevance
from judges.distilled.rewriting import judge_rewrite
from judges.distilled.support import SUPPORTED
from schemas.scored import Scores, Signals
from schemas.taxonomy import MEASURED


@dataclass(slots=True, frozen=True)
class Judgement:
    """What a scorer makes of the claims of one part of a batch."""

    support: Floats
    """One entry a claim, 0..1."""
    reasons: Sequence[str]
    """Why a claim is unsupported; "" where it is supported."""
    hallucination: Floats
    """One entry a case, 0..1: chance that at least one claim is unsupported."""


def assemble_scores(features: Features, judgement: Judgement, version: str) -> list[Scores]:
    """One `Scores` for each case of the part, in order."""
    return [_score_case(features, i, judgement, version) for i in range(len(features.part.cases))]


def _score_case(features: Features, i: int, judgement: Judgement, version: str) -> Scores:
    part = features.part
    case = part.cases[i]
    first, last = int(part.claim_first[i]), int(part.claim_first[i + 1])
    scores = Scores(
        scorer_version=version,
        language=case.language,
        coverage=decide_coverage(case, claims=last - first),
        refusal=case.refusal.kind == "full",
        refusal_kind=case.refusal.kind,
    )
    if scores.coverage in MEASURED:
        scores.faithfulness = float((judgement.support[first:last] >= SUPPORTED).mean())
        scores.hallucination = float(judgement.hallucination[i])
        scores.evidence = find_weakest(features, i, judgement.support, judgement.reasons)
    if case.citations and not scores.refusal:
        scores.citation_precision = citation_precision(part, i)
    state = judge_rewrite(features, i)
    score_relevance(features, i, scores, state)
    scores.signals = _list_signals(features, i, state)
    return scores


def _list_signals(features: Features, i: int, rewrite_state: str) -> Signals:
    """What triage looks at besides the scores."""
    part, cover, measures = features.part, features.cover, features.traces
    case = part.cases[i]
    at = part.layout.chunk_first[i]  # the answer stands right before the chunks
    suspect_answer, *suspect = features.suspect[at - 1 : at + len(case.chunks)].tolist()
    broken = [find_broken_text(c) if s else None for c, s in zip(case.chunks, suspect, strict=True)]
    reasons = [b for b in broken if b]
    return {
        "refusal_style": case.refusal.style,
        "rewrite_state": rewrite_state,
        "question_cover": float(cover.chunk[part.group_of(i, QUESTION)]),
        "rewrite_cover": float(cover.chunk[part.group_of(i, REWRITE)]) if case.rewrite else None,
        "history_cover": float(cover.chunk[part.group_of(i, HISTORY)]) if case.history else None,
        "question_in_support": _known(measures["question_in_support"][i]) if case.claims else None,
        "rewrite_in_support": _known(measures["rewrite_in_support"][i]) if case.claims else None,
        "answer_fits": _fits(features, i),
        "broken_chunks": len(reasons) / len(broken) if broken else 0.0,
        "broken_chunk": reasons[0] if reasons else None,
        "broken_answer": _find_broken_answer(case, suspect_answer),
    } | measure_gold(case.trace)


def _fits(features: Features, i: int) -> bool:
    """The question asks for a number or a time, and the answer has one."""
    tokens, case = features.part.tokens, features.part.cases[i]
    if kind_of_answer(case.question) not in (NUMBER, TIME):
        return False
    answer = features.part.layout.chunk_first[i] - 1
    first, last = tokens.text_token[answer : answer + 2].tolist()
    return bool((tokens.number[first:last] >= 0).any())


def _find_broken_answer(case: Case, suspect: bool) -> str | None:
    return find_broken_answer(case.trace.answer, suspect=suspect) if case.trace.answer else None


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
