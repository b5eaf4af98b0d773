"""Unanswered questions for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judges.clustering import Gap, Gaps, find_gaps
from schemas.unanswered import Asked, Unanswered, Why

PIECES = 14


def ask(number: int, question: str, language: str = "en", at: float | None = None, **more: Any) -> Unanswered:
    """One question, in a conversation of its own."""
    values: dict[str, Any] = {
        "why": Why.EMPTY_RECALL, "app": "helpdesk", "tenant": "acme", "conversation": f"c{number}"
    }  # fmt: skip
    when = float(number) if at is None else at
    return Unanswered(f"t{number:05d}", when, question, language=language, **(values | more))


def asked(questions: Sequence[Unanswered], traffic: int = 1_400, **more: Any) -> Asked:
    """All of them, in a period of 1,400 seconds with even traffic."""
    return Asked(0.0, 1_400.0, tuple(questions), (traffic // PIECES,) * PIECES, **more)


def many(*texts: str | tuple[str, str]) -> list[Unanswered]:
    """A question a text, in English unless a language is given."""
    pairs = [(text, "en") if isinstance(text, str) else text for text in texts]
    return [ask(number, text, language) for number, (text, language) in enumerate(pairs)]


def gaps_of(*texts: str | tuple[str, str]) -> Gaps:
    """What is found among these texts."""
    return find_gaps(asked(many(*texts)), lambda text: text)


def texts_of(gap: Gap, *texts: str | tuple[str, str]) -> set[str]:
    """Which of the texts are in a gap."""
    by_id = {one.trace_id: one.question for one in many(*texts)}
    return {by_id[trace_id] for trace_id in gap.trace_ids}


__all__ = ["PIECES", "ask", "asked", "gaps_of", "many", "texts_of"]
