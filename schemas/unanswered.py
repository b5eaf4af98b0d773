"""Questions that nobody could answer: what gaps in the documents are found from."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Why(StrEnum):
    """Why a question counts as unanswered."""

    EMPTY_RECALL = "empty_recall"
    """The search ran and found nothing; whatever was answered was not from documents."""
    CORRECT_REFUSAL = "correct_refusal"
    """What was found does not hold the answer, and the model said so."""


@dataclass(slots=True, frozen=True)
class Unanswered:
    """One question, as it is stored: not redacted."""

    trace_id: str
    asked_at: float
    """Seconds since 1970."""
    question: str
    """As it went to the search: of a follow-up, its rewriting where there is one."""
    why: Why
    app: str = ""
    tenant: str = ""
    language: str = ""
    """A code such as `zh`; nothing where it was not told."""
    conversation: str = ""


@dataclass(slots=True, frozen=True)
class Asked:
    """What was asked in a period, and went unanswered."""

    since: float
    until: float
    """Seconds since 1970; the end is not part of it."""
    questions: tuple[Unanswered, ...] = ()
    traffic: tuple[int, ...] = field(default=(0,))
    """All traces of the period, answered or not, in pieces of equal length: what trends are held against."""
    left_out: int = 0
    """Unanswered questions beyond the most that are read; the latest are read."""
    without_text: int = 0
    """Unanswered questions whose text is no longer kept (or never was)."""


__all__ = ["Asked", "Unanswered", "Why"]
