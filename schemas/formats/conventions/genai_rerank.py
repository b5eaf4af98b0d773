"""Rerankers in the GenAI conventions' old names, as OpenLLMetry writes Cohere's."""

from __future__ import annotations

import re
from typing import Final

from schemas.formats.documents import Document
from schemas.formats.messages import SYSTEM, USER
from schemas.formats.span import as_number
from schemas.formats.step import Step

_PLACE: Final = re.compile(r"Doc (\d{1,9}), Score: (\S{1,40})")


def read_rerank(step: Step, said: list[str]) -> None:
    """Passages as instructions, the query as the user's; what is said are their places and scores.

    A step that is written otherwise keeps what it has.
    """
    given = step.messages or []
    texts = [message.text for message in given if message.role == SYSTEM]
    places = [match for text in said if (match := _PLACE.fullmatch(text.strip())) is not None]
    if texts and places and step.documents is None:
        ranked = [(int(match[1]), as_number(match[2])) for match in places]
        step.documents = [Document(texts[i], rerank_score=score) for i, score in ranked if i < len(texts)]
        step.query = step.query or next((m.text for m in given if m.role == USER), None)
    step.messages = step.reply = step.input = step.output = None


__all__ = ["read_rerank"]
