"""How the simulated users and models word things: refusals of many kinds, politeness, small talk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from stream.demo.knowledge import read_data


@dataclass(frozen=True, slots=True)
class Phrases:
    """Wordings of one language. `{topic}`, `{text}`, `{q}` and `{lower}` are filled in."""

    refusals: dict[str, list[str]]
    openers: list[str]
    closers: list[str]
    copying: list[str]
    invented: list[str]
    busy: list[str]
    small_talk: list[list[str]]
    comments: dict[str, list[str]]
    question_forms: list[str]
    loops: list[str]


@cache
def load_phrases(language: str) -> Phrases:
    """The wordings of one language (`en` or `zh`)."""
    return Phrases(**read_data(f"phrases_{language}.json"))


__all__ = ["Phrases", "load_phrases"]
