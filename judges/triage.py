"""Scores to one failure class: pure, explainable, the first failed stage only.

The rules run from upstream to downstream, each a small function that looks at a trace and its scores
and either stays silent or names a failure with the numbers that decided it. The first one that
speaks is the verdict. Where a scorer has learned which failure is likeliest (`Scores.classes`), that takes
the place of the rules that compare scores with thresholds; what the trace itself shows comes first all the
same.
"""

from __future__ import annotations

from typing import Any

from judges.finding import (
    Finding,
    Rule,
    best_grounded,
    found_topic,
    is_invented,
    name_invention,
    read_number,
)
from judges.likeliest import find_likeliest
from schemas.blank import is_blank
from schemas.bounds import was_recorded
from schemas.scored import Scores, Verdict
from schemas.taxonomy import HEALTHY, Failure, Quadrant, Stage
from schemas.trace import Trace

SUFFICIENT = 0.35
"""Context sufficiency from which the chunks are taken to hold an answer."""
RELEVANT = 0.15
OFF_TOPIC = 0.15
"""Sufficiency below which even an invented answer is blamed on the chunks, not on the generator."""
FITTING = 0.05
"""The same for an answer that the chunks support and that is of the kind asked for."""
GROUNDED = 0.2
"""Share of the question that the passages behind the answer should speak of."""
ASIDE = 0.2
BROKEN_SHARE = 0.34
ERROR_FINISHES = frozenset(
    {"error", "length", "max_tokens", "content_filter", "timeout", "cancelled", "failed"}
)


def triage(trace: Trace, scores: Scores) -> Verdict:
    """Name the first failed stage of a trace, or none. Never raises; looks at no text."""
    rules = LEARNED if scores.classes else RULES
    found = next((f for rule in rules if (f := rule(trace, scores)) is not None), None)
    failure = found.failure if found else None
    return Verdict(
        failure=failure,
        confidence=found.confidence if found else _health(scores),
        stage=found.stage if found else None,
        rule=found.rule if found else HEALTHY,
        because=_round(found.because if found else _why_healthy(scores)),
        parametric_leak=leaks(trace, scores, failure),
        quadrant=quadrant(scores, failure),
    )


def find_system_error(trace: Trace, scores: Scores) -> Finding | None:
    """Some program failed: an error field, a cut or empty answer, or text that a parser broke."""
    generation, retrieval, signals = trace.generation, trace.retrieval, scores.signals
    if generation and generation.error:
        return _system(Stage.GENERATION, 0.99, "generation_error", error=generation.error[:200])
    if retrieval and retrieval.error:
        return _system(Stage.RETRIEVAL, 0.99, "retrieval_error", error=retrieval.error[:200])
    if is_blank(trace.answer) and was_recorded(trace.extra, "answer"):
        return _system(Stage.GENERATION, 0.95, "empty_answer")
    finish = (generation.finish_reason or "").lower() if generation else ""
    if finish in ERROR_FINISHES:
        return _system(Stage.GENERATION, 0.95, "cut_off", finish_reason=finish)
    if signals.get("broken_answer"):
        return _system(Stage.GENERATION, 0.9, "broken_answer", kind=signals["broken_answer"])
    share = read_number(signals, "broken_chunks") or 0.0
    if share >= BROKEN_SHARE:
        return _system(Stage.INGESTION, 0.9, "broken_chunks", share=share, kind=signals.get("broken_chunk"))
    return None


def find_rewrite_failure(trace: Trace, scores: Scores) -> Finding | None:
    """A follow-up went to the retriever unresolved, or resolved to something else, and missed."""
    state = scores.signals.get("rewrite_state")
    if state not in ("missing", "unchanged", "wrong") or not _chunks_have_text(trace):
        return None
    if found_topic(scores):
        return None  # the retriever found the topic all the same
    return Finding(
        Failure.REWRITE_FAILURE,
        Stage.QUERY,
        0.85 if state == "wrong" else 0.75,
        f"follow_up_{state}",
        {"rewrite_state": state, "history_cover": read_number(scores.signals, "history_cover")},
    )


def find_empty_recall(trace: Trace, scores: Scores) -> Finding | None:
    """Retrieval ran and brought nothing usable: no chunk, blank ones, or all below the bar."""
    retrieval = trace.retrieval
    if retrieval is None or retrieval.chunks is None:
        return None
    chunks = retrieval.chunks
    if not chunks:
        return _empty("no_chunks", chunks=0)
    if all(c.text is not None and is_blank(c.text) for c in chunks):
        return _empty("blank_chunks", chunks=len(chunks))
    bar = retrieval.min_score
    ranked = [c.score for c in chunks if c.score is not None]
    if bar is not None and len(ranked) == len(chunks) and max(ranked) < bar:
        return _empty("below_min_score", top_score=max(ranked), min_score=bar)
    return None


def find_poor_retrieval(trace: Trace, scores: Scores) -> Finding | None:
    """The question was clear, chunks came, and they do not hold an answer to it."""
    sufficiency = scores.context_sufficiency
    if sufficiency is None:
        return None
    numbers = {"context_sufficiency": sufficiency, "context_relevance": scores.context_relevance}
    if scores.refusal:
        if sufficiency < _refusal_bar(scores):
            return _poor(1.0 - sufficiency, "refused_without_context", numbers)
        return None
    best = best_grounded(scores)
    invented = is_invented(scores)
    bar = OFF_TOPIC if invented else RELEVANT
    if not invented and scores.signals.get("answer_fits"):
        bar = FITTING  # what the chunks say has the form of an answer, whatever words the question used
    if sufficiency < bar or (
        bar != FITTING and sufficiency < SUFFICIENT and best is not None and best < GROUNDED
    ):
        return _poor(1.0 - sufficiency, "context_off_topic", numbers | {"question_in_support": best})
    if best is not None and best < ASIDE and bar != FITTING:
        return _poor(0.6, "answered_beside_the_question", numbers | {"question_in_support": best})
    return None


def find_over_refusal(trace: Trace, scores: Scores) -> Finding | None:
    """The chunks hold an answer, and the model declined."""
    if not scores.refusal or scores.context_sufficiency is None:
        return None
    if scores.context_sufficiency < _refusal_bar(scores):
        return None
    return Finding(
        Failure.OVER_REFUSAL,
        Stage.GENERATION,
        max(0.5, scores.context_sufficiency),
        "refused_with_context",
        {"context_sufficiency": scores.context_sufficiency},
    )


def find_hallucination(trace: Trace, scores: Scores) -> Finding | None:
    """The answer claims what the chunks do not say."""
    if scores.hallucination is None or not is_invented(scores) or scores.refusal:
        return None
    return Finding(
        Failure.HALLUCINATION,
        Stage.GENERATION,
        scores.hallucination,
        name_invention(scores),
        {"hallucination": scores.hallucination, "faithfulness": scores.faithfulness},
    )


RULES: tuple[Rule, ...] = (
    find_system_error,
    find_rewrite_failure,
    find_empty_recall,
    find_poor_retrieval,
    find_over_refusal,
    find_hallucination,
)
"""In the order of blame, except that nothing retrieved is settled before anything is compared."""


LEARNED: tuple[Rule, ...] = (find_system_error, find_empty_recall, find_likeliest)
"""Where a scorer says which failure is likeliest."""
WITHOUT_CONTEXT = (Failure.REWRITE_FAILURE, Failure.EMPTY_RECALL, Failure.POOR_RETRIEVAL)
"""Failures that leave the generator without what it needs."""


def leaks(trace: Trace, scores: Scores, failure: Failure | None = None) -> bool:
    """Whether the answer asserts something that the chunks do not hold (from the model's memory).

    `failure` is the verdict: where it says that the chunks hold no answer, an invented one is a leak.
    """
    if scores.refusal or is_blank(trace.answer) or (trace.generation and trace.generation.error):
        return False
    retrieval = trace.retrieval
    if retrieval is None or retrieval.error:
        return False
    if find_empty_recall(trace, scores) is not None:
        return True
    if not is_invented(scores):
        return False
    lacking = scores.context_sufficiency is not None and scores.context_sufficiency < RELEVANT
    return lacking or failure in WITHOUT_CONTEXT


def quadrant(scores: Scores, failure: Failure | None) -> Quadrant | None:
    """Retrieval × generation, as the verdict has it; null where either side was not measured."""
    match failure:
        case Failure.SYSTEM_ERROR:
            return None
        case Failure.OVER_REFUSAL:
            return Quadrant.OVER_REFUSED
        case Failure.HALLUCINATION:
            return Quadrant.UNFAITHFUL
        case None:
            measured = scores.context_sufficiency is not None and scores.hallucination is not None
            return Quadrant.GOOD if measured and not scores.refusal else None
        case _:
            return Quadrant.HONEST if scores.refusal else Quadrant.LUCKY


def _round(because: dict[str, Any]) -> dict[str, Any]:
    """Four places are more than any of these numbers means."""
    return {name: round(v, 4) if isinstance(v, float) else v for name, v in because.items()}


def _health(scores: Scores) -> float:
    """How sure it is that nothing failed, 0..1; a half where it was not measured."""
    if scores.classes:
        return scores.classes.get(HEALTHY, 0.0)
    return 0.5 if scores.hallucination is None else max(0.5, 1.0 - scores.hallucination)


def _why_healthy(scores: Scores) -> dict[str, Any]:
    because: dict[str, Any] = {"hallucination": scores.hallucination, "coverage": scores.coverage.value}
    return because | ({"probability": scores.classes[HEALTHY]} if scores.classes else {})


def _refusal_bar(scores: Scores) -> float:
    """Sufficiency from which a refusal is one too many.

    A model that declines on grounds of safety does not say that the answer is missing, so less is
    needed to doubt it than to doubt one that looked and found nothing.
    """
    return RELEVANT if scores.signals.get("refusal_style") == "safety" else SUFFICIENT


def _chunks_have_text(trace: Trace) -> bool:
    retrieval = trace.retrieval
    return bool(retrieval and retrieval.chunks and not all(is_blank(c.text) for c in retrieval.chunks))


def _system(stage: Stage, confidence: float, rule: str, **because: Any) -> Finding:
    return Finding(Failure.SYSTEM_ERROR, stage, confidence, rule, because)


def _empty(rule: str, **because: Any) -> Finding:
    return Finding(Failure.EMPTY_RECALL, Stage.RETRIEVAL, 0.98, rule, because)


def _poor(confidence: float, rule: str, because: dict[str, Any]) -> Finding:
    return Finding(Failure.POOR_RETRIEVAL, Stage.RETRIEVAL, max(0.5, min(confidence, 0.99)), rule, because)
