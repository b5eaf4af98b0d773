"""What a span says, once its convention is understood."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from enum import StrEnum
from operator import attrgetter
from typing import Any, Final

from schemas.formats.documents import Document
from schemas.formats.messages import ChatMessage
from schemas.formats.span import Span
from schemas.trace import Gold


class Kind(StrEnum):
    """The role of a step. `plain` spans (web, database, HTTP) say nothing of a question."""

    CHAIN = "chain"
    AGENT = "agent"
    LLM = "llm"
    RETRIEVER = "retriever"
    RERANKER = "reranker"
    EMBEDDING = "embedding"
    TOOL = "tool"
    PROMPT = "prompt"
    JUDGE = "judge"
    PLAIN = "plain"


_NOBODY: Final = Span("", "")
_DATED: Final = re.compile(r"-20\d\d-[01]\d-[0-3]\d$")


@dataclass(slots=True)
class Evaluation:
    """What somebody said of a trace or of one step: a user, an annotator, a metric."""

    name: str
    score: float | bool | None = None
    label: str | None = None
    comment: str | None = None
    source: str | None = None


@dataclass(slots=True)
class Step:
    """A span, read. Every field is null (or empty) where the source does not record it.

    `documents` null means not recorded, an empty list that nothing was found. `context` is what a
    retrieval returned as one text. `messages` are what a model was given, `reply` what it said.
    `as_root` marks a step that its library calls the application's own, though it has a parent.
    """

    kind: Kind = Kind.PLAIN
    input: Any = None
    output: Any = None
    query: str | None = None
    documents: list[Document] | None = None
    context: str | None = None
    top_k: int | None = None
    messages: list[ChatMessage] | None = None
    reply: str | None = None
    request_model: str | None = None
    response_model: str | None = None
    finish_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    ttft_ms: float | None = None
    error: str | None = None
    prompt_version: str | None = None
    gold: Gold | None = None
    tool_name: str | None = None
    tags: list[str] | None = None
    metadata: dict[str, Any] | None = None
    as_root: bool = False
    evaluations: list[Evaluation] = field(default_factory=list)
    span: Span = field(default_factory=lambda: _NOBODY)

    def fill(self, other: Step) -> None:
        """Take over what the other knows and this one does not."""
        for name, theirs in zip(_FILLED, _said(other), strict=True):
            if theirs is not None:
                mine = getattr(self, name)
                if mine is None or mine is False:
                    setattr(self, name, theirs)
        self.evaluations = self.evaluations or other.evaluations

    @property
    def model(self) -> str | None:
        """The model as it was asked for.

        Where only what answered is recorded (`qwen-plus-2026-09-01`), its name without the date: a
        provider answers in the name of the day's snapshot.
        """
        if self.request_model:
            return self.request_model
        return _DATED.sub("", self.response_model) if self.response_model else None

    @property
    def snapshot(self) -> str | None:
        """What answered, by its full name."""
        return self.response_model or self.request_model


_FILLED: Final = tuple(item.name for item in fields(Step) if item.name not in ("kind", "span", "evaluations"))
_said: Final = attrgetter(*_FILLED)
"""All that a step says, in that order."""

__all__ = ["Evaluation", "Kind", "Step"]
