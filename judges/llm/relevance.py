"""Does the answer answer the question? By the questions it would answer, and by what it leaves unanswered.

After Es et al. 2023 ("RAGAS", section 3): questions are written that the answer would answer, and compared
with the one that was asked, by the cosine of their embeddings where an embedder is at hand, else by the
judge's own marks. The mean is multiplied by the share of the question's parts that the answer deals with, so
that half an answer is at most half relevant. Questions for embeddings are written from the answer's claims
by a judge that does not see the question: claims stand for themselves, so a short answer loses nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from judges.llm.material import Material
from judges.llm.quotes import Passage, words_of
from judges.llm.rubrics.forms import PartEntry, ReverseEntry

MARKS: Final = {"same": 1.0, "part": 0.5, "other": 0.0}
MAX_PARTS: Final = 6
MAX_QUESTIONS: Final = 3


def by_marks(entries: Sequence[ReverseEntry]) -> float | None:
    """How like the reverse questions are to the one that was asked, 0..1, as the judge marked them."""
    marks = [MARKS[entry.asks] for entry in entries[:MAX_QUESTIONS] if entry.question.strip()]
    return sum(marks) / len(marks) if marks else None


def by_vectors(asked: Sequence[float], reverse: Sequence[Sequence[float]]) -> float | None:
    """The same by vectors: the mean cosine, 0..1; null where a vector has no direction."""
    cosines = [_cosine(asked, vector) for vector in reverse]
    known = [max(0.0, min(1.0, cosine)) for cosine in cosines if cosine is not None]
    return sum(known) / len(known) if known else None


def share_answered(parts: Sequence[PartEntry], material: Material) -> float:
    """Share of the question's parts that the answer deals with, 0..1.

    A part counts only where its words do stand in the question, or in what a follow-up question refers to:
    nobody can be blamed for what was not asked. With none left, the question is taken as one answered part.
    """
    said = (material.question, material.rewritten, *(text for _, text in material.history))
    places = [Passage(text) for text in said if text]
    asked: dict[tuple[str, ...], bool] = {}
    for entry in parts:
        words = tuple(words_of(entry.part))
        if words and any(place.has(words) for place in places):
            asked[words] = asked.get(words, False) or entry.answered
    answered = list(asked.values())[:MAX_PARTS]
    return sum(answered) / len(answered) if answered else 1.0


def _cosine(a: Sequence[float], b: Sequence[float]) -> float | None:
    lengths = math.hypot(*a) * math.hypot(*b)
    if len(a) != len(b) or not lengths or not math.isfinite(lengths):
        return None
    return sum(x * y for x, y in zip(a, b, strict=True)) / lengths


__all__ = ["by_marks", "by_vectors", "share_answered"]
