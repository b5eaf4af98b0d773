"""What traces are made of: a question with the passages that answer it, and a pool of everything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Turn = tuple[str, str]
"""What the user said, and what the assistant said."""


@dataclass(frozen=True, slots=True)
class Material:
    """A healthy trace, bare: `chunks` hold the answer and `answer` says nothing else.

    With a `history`, `question` may be a follow-up; `rewrite` is then a good query on its own.
    """

    language: str
    """`zh` or `en`."""
    question: str
    chunks: tuple[str, ...]
    answer: str
    history: tuple[Turn, ...] = ()
    rewrite: str | None = None

    def __post_init__(self) -> None:
        if self.language not in ("en", "zh"):
            raise ValueError(f"language is `en` or `zh`, not {self.language!r}")
        if not self.question.strip() or not self.answer.strip() or not any(c.strip() for c in self.chunks):
            raise ValueError("a question, an answer and at least one chunk are needed, none of them blank")

    @property
    def is_follow_up(self) -> bool:
        """Whether the question leans on the history."""
        return bool(self.history and self.rewrite)

    @property
    def intent(self) -> str:
        """The question as it stands on its own."""
        return self.rewrite or self.question


@dataclass(frozen=True, slots=True)
class Pool:
    """Passages and questions of the same language about something else (other documents, other groups).

    None of the passages may answer the material's question: whoever fills the pool sees to that.
    """

    passages: Sequence[str] = field(default_factory=tuple)
    questions: Sequence[str] = field(default_factory=tuple)
