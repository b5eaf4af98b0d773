"""Prompts that frameworks fill in by templates of their own, known by the sentence ahead of the passages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_RULE: Final = r"-{5,60}[ \t]*\n"
_BEGINNINGS: Final = (
    r"^Answer using the following information:[ \t]*\n",  # LangChain4j
    r"^Use the following information to complete your task:[ \t]*\n",  # Genkit
    r"^Please use this information to answer the question:[ \t]*\n",  # Semantic Kernel
    r"^Context information is below(?:\.|, surrounded by -{5,60})[ \t]*\n\s{0,4}" + _RULE,  # Spring AI
    r"^Using the provided context, answer the user's question[^\n]*\n" + _RULE,  # Flowise
    r"^Facts:[ \t]*\n",  # Kernel Memory
    r"Use the following pieces of (?:retrieved )?context to answer[^\n]*\n"  # LangChain
    rf"(?:(?!\w{{1,20}}:)[^\n]{{1,400}}\n){{0,3}}?(?:{_RULE}|[ \t]*\n)",
    r"^请?(?:使用|根据|基于|参考)以下(?:信息|内容|资料|知识)来?(?:回答|作答|完成)"
    r"[^\n]{0,20}[:\uff1a][ \t]*\n",
)
_BEGINNING: Final = re.compile("|".join(_BEGINNINGS), re.M)
_LAST_RULE: Final = re.compile(r"(-{5,60})[ \t]*\n$")
_END: Final = re.compile(r"\n(?:={4,60}[ \t]*(?:\n|$)|Include citations to )")
_SIGNS: Final = ("information", "context to answer", "provided context", "Facts:", "以下")
_QUESTION_TAG: Final = re.compile(r"<((?:user[_-]?)?(?:question|query|input)|用户问题|问题)>", re.I)
_TASK: Final = ("Current Task:", "\n\nThis is the expect")
"""CrewAI's: what stands ahead of a task, and behind it."""
_PERSONA: Final = re.compile(r"\s*(?:you are|you're|act as|answer|你是|您是|请)", re.I)


@dataclass(slots=True, frozen=True)
class Filled:
    """What stands ahead of the passages, and the passages with what follows them."""

    before: str
    rest: str


def find_filled(text: str) -> Filled | None:
    """A template that was filled; null where the text is none of those known."""
    if "\n" not in text or not any(sign in text for sign in _SIGNS):
        return None
    found = _BEGINNING.search(text)
    if found is None:
        return None
    rest = text[found.end() :]
    if rule := _LAST_RULE.search(found.group()):
        rest = rest.rpartition(f"\n{rule.group(1)}")[0] or rest
    end = _END.search(rest)
    if end is None and found.group().startswith("Facts:"):
        return None  # anybody's word, without the line below
    rest = rest[: end.start()] if end else rest
    return Filled(text[: found.start()].strip(), rest)


def tagged_question(text: str) -> str | None:
    """What stands between tags that are named for it."""
    opening = _QUESTION_TAG.search(text) if "<" in text else None
    if opening is None:
        return None
    end = text.find(f"</{opening.group(1)}>", opening.end())
    return text[opening.end() : end].strip() or None if end >= 0 else None


def task_in(text: str) -> str | None:
    """The task of an agent, without what is expected of its answer; null where none is marked."""
    beginning, ending = _TASK
    _, _, rest = text.partition(beginning) if text.lstrip().startswith(beginning) else ("", "", "")
    task, _, told = rest.partition(ending)
    return task.strip() or None if told else None


def question_ahead(filled: Filled) -> str | None:
    """The question ahead of the passages; null where instructions stand with it."""
    several_lines = "\n" in filled.before
    return None if not filled.before or (several_lines and _PERSONA.match(filled.before)) else filled.before


__all__ = ["Filled", "find_filled", "question_ahead", "tagged_question", "task_in"]
