"""A filled-in form of scores, taken over into an opinion: only what could be known from what was shown.

Where a part of the trace was cut or never recorded, a score that its missing part could change stays null,
with the reason: not measured is not a score.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from judges.llm.asking import Opinion
from judges.llm.claims import INVENTED, Documents
from judges.llm.material import Material
from judges.llm.quotes import words_of
from judges.llm.relevance import by_marks, share_answered
from judges.llm.rubrics.forms import ScoresForm

SUFFICIENCY: Final = {"yes": 1.0, "partly": 0.5, "no": 0.0}
MAX_TEXT: Final = 1_000
MAX_STATEMENTS: Final = 12
RATINGS: Final = ("accuracy", "faithfulness", "safety")
SCORED: Final = (
    "answer_relevance",
    "context_relevance",
    "context_sufficiency",
    "context_precision",
    "context_recall",
    "refusal",
    "refusal_correct",
    "parametric_leak",
    "failure",
    *(f"rating_{name}" for name in RATINGS),
)
"""What the form of scores measures."""


def take_over(form: ScoresForm, opinion: Opinion, material: Material, documents: Documents) -> None:
    """Fill in everything but triage and what the claims measure."""
    opinion.refusal = form.refusal
    opinion.rationale = "\n".join(_reasons(form))[: 2 * MAX_TEXT]
    opinion.root_cause = form.root_cause.strip()[:MAX_TEXT]
    opinion.suggested_fix = form.suggested_fix.strip()[:MAX_TEXT]
    _take_context(form, opinion, material)
    _take_recall(form, opinion, material, documents)
    _take_relevance(form, opinion, material)
    _take_refusal(form, opinion, material)
    _take_leak(form, opinion, material)
    _take_ratings(form, opinion, material)


def _reasons(form: ScoresForm) -> Iterable[str]:
    said = (
        form.situation, form.triage_reasoning, form.accuracy_reasoning, form.faithfulness_reasoning,
        form.safety_reasoning, form.leak_reasoning,
    )  # fmt: skip
    return (text.strip() for text in said if text.strip())


def _take_context(form: ScoresForm, opinion: Opinion, material: Material) -> None:
    why = no_documents(material) or ("" if material.question else "no_question")
    if why:
        for name in ("context_sufficiency", "context_relevance", "context_precision"):
            opinion.not_measured[name] = why
        return
    if material.unseen and form.sufficiency != "yes":
        opinion.not_measured["context_sufficiency"] = material.unseen
    else:
        opinion.context_sufficiency = SUFFICIENCY[form.sufficiency]
    useful = [n in form.useful_documents for n in material.numbered]
    hidden = [shown.cut for shown in material.numbered.values()]
    missed = any(cut and not is_useful for cut, is_useful in zip(hidden, useful, strict=True))
    why = "prompt_context" if material.from_prompt else material.unseen
    if material.from_prompt or missed or (material.unseen and not any(hidden)):
        opinion.not_measured["context_relevance"] = opinion.not_measured["context_precision"] = why
        return
    opinion.context_relevance = sum(useful) / len(useful)
    opinion.context_precision = average_precision(useful)


def average_precision(useful: list[bool]) -> float:
    """Mean of precision@k over the ranks k that hold something useful; 0 without any.

    Average precision, after Manning et al. 2008, "Introduction to Information Retrieval", section 8.4, over
    what was retrieved: what was not is no business of the ranking.
    """
    precisions = [sum(useful[: k + 1]) / (k + 1) for k, is_useful in enumerate(useful) if is_useful]
    return sum(precisions) / len(precisions) if precisions else 0.0


def _take_recall(form: ScoresForm, opinion: Opinion, material: Material, documents: Documents) -> None:
    """Share of the reference answer's statements that a document says: its quote has to occur there."""
    statements = [s for s in form.reference_statements[:MAX_STATEMENTS] if words_of(s.statement)]
    found = [documents.find(s.quote) is not None for s in statements]
    quoted = [bool(words_of(s.quote)) for s in statements]
    why = "" if material.reference else "no_gold_answer"
    why = why or no_documents(material) or ("" if statements else "no_statements")
    if not why and material.was_cut("gold answer"):
        why = "truncated"
    if not why and not all(found):
        invented = any(q and not f for q, f in zip(quoted, found, strict=True))
        why = material.unseen or (INVENTED if invented else "")
    if why:
        opinion.not_measured["context_recall"] = why
    else:
        opinion.context_recall = sum(found) / len(found)


def _take_relevance(form: ScoresForm, opinion: Opinion, material: Material) -> None:
    why = "" if material.question else "no_question"
    why = why or ("refusal" if form.refusal else "")
    if material.was_cut("answer") or material.was_cut("question"):
        why = why or "truncated"
    alike = by_marks(form.reverse_questions)
    if why or alike is None:
        opinion.not_measured["answer_relevance"] = why or "no_reverse_questions"
        return
    opinion.answer_relevance = alike * share_answered(form.parts, material)
    opinion.measured_by["answer_relevance"] = "marks"


def _take_refusal(form: ScoresForm, opinion: Opinion, material: Material) -> None:
    """A refusal is correct where the documents do not hold the answer, or the truth says it should be one."""
    gold = material.trace.gold
    should = gold.should_refuse if gold else None
    if should is not None and (should or form.refusal):
        opinion.refusal_correct = form.refusal == should
    elif not form.refusal:
        opinion.not_measured["refusal_correct"] = "no_refusal"
    elif not material.documents and no_documents(material) == "no_context":
        opinion.refusal_correct = True
    elif opinion.context_sufficiency is None:
        opinion.not_measured["refusal_correct"] = opinion.not_measured["context_sufficiency"]
    else:
        opinion.refusal_correct = opinion.context_sufficiency < 1.0


def _take_leak(form: ScoresForm, opinion: Opinion, material: Material) -> None:
    why = no_documents(material)
    if form.refusal:
        opinion.parametric_leak = False
    elif why == "no_context":
        opinion.parametric_leak = form.parametric_leak
    elif why or (form.parametric_leak and material.unseen):
        opinion.not_measured["parametric_leak"] = why or material.unseen
    else:
        opinion.parametric_leak = form.parametric_leak


def _take_ratings(form: ScoresForm, opinion: Opinion, material: Material) -> None:
    given = {"accuracy": form.accuracy, "faithfulness": form.faithfulness, "safety": form.safety}
    refused = "refusal" if form.refusal else ""
    partly = material.unseen
    bare = no_documents(material)
    cut = "truncated" if material.was_cut("answer") else ""
    why = {
        "accuracy": refused or cut or ("" if material.reference else bare or partly),
        "faithfulness": refused or cut or bare or (partly if opinion.faithfulness is None else ""),
        "safety": cut,
    }
    for name in RATINGS:
        if why[name]:
            opinion.not_measured[f"rating_{name}"] = why[name]
        else:
            opinion.ratings[name] = given[name]


def no_documents(material: Material) -> str:
    """Why there is nothing to compare an answer with; empty where there is."""
    retrieval = material.trace.retrieval
    if material.documents:
        return ""
    if retrieval is None:
        return "no_retrieval"
    if retrieval.chunks is None or any(chunk.text is None for chunk in retrieval.chunks):
        return "not_recorded" if not retrieval.error else "no_context"
    return "no_context"


__all__ = ["RATINGS", "SCORED", "average_precision", "no_documents", "take_over"]
