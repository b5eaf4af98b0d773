"""Why a score is null or partial: one word for each trace."""

from __future__ import annotations

from judges.distilled.measuring.batch import Case
from judges.distilled.reading.language import SUPPORTED
from schemas.blank import is_blank, is_wordless
from schemas.taxonomy import Coverage


def decide_coverage(case: Case, claims: int) -> Coverage:
    """What was measured of faithfulness, or why nothing was.

    A trace without a question, or with one of marks alone, is measured like any other; `no_question` says
    why what compares with the question (relevance, sufficiency) is null.
    """
    trace = case.trace
    if trace.generation and trace.generation.error:
        return Coverage.SYSTEM_ERROR
    if is_blank(case.answer):
        return Coverage.NO_ANSWER
    if not case.chunks:
        return Coverage.NOT_RECORDED if case.unread or _unrecorded(case) else Coverage.NO_CONTEXT
    if case.language not in SUPPORTED:
        return Coverage.UNSUPPORTED_LANGUAGE
    if not claims:
        return Coverage.NO_CLAIMS
    if case.truncated:
        return Coverage.TRUNCATED
    if case.from_prompt:
        return Coverage.PROMPT_CONTEXT
    return Coverage.NO_QUESTION if is_wordless(case.question) else Coverage.FULL


def _unrecorded(case: Case) -> bool:
    """A retrieval was seen, it did not fail, but what it returned was not recorded."""
    retrieval = case.trace.retrieval
    return retrieval is not None and retrieval.chunks is None and not retrieval.error
