"""A conversation that was written as one text, its turns marked by their roles at the beginnings of lines."""

from __future__ import annotations

import re
from typing import Final

from schemas.formats.messages import ROLES, ChatMessage

_TURN: Final = re.compile(r"^(system|developer|user|human|assistant|ai|tool): (?:text: )?", re.M)
"""OpenLIT's; the parts of a content in a list have their type ahead."""


def read_transcript(text: str) -> list[ChatMessage] | None:
    """The turns; null where the text does not begin with one."""
    if _TURN.match(text) is None:
        return None
    turns = list(_TURN.finditer(text))
    ends = [turn.start() for turn in turns[1:]] + [len(text)]
    return [
        ChatMessage(ROLES[turn[1]], text[turn.end() : end].removesuffix("\n"))
        for turn, end in zip(turns, ends, strict=True)
    ]


__all__ = ["read_transcript"]
