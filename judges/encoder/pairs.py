"""What the encoder reads of a trace: pairs of a claim and the sentences of the chunks it is read against."""

from __future__ import annotations

from dataclasses import dataclass

from judges.distilled.measuring.batch import Case
from judges.encoder.windows import Passages, weigh
from schemas.blank import is_blank

MAX_CLAIM_CHARS = 600
SHORT = 40
"""A claim that weighs less is an answer in a few words: it is read together with the question."""
MAX_QUESTION_CHARS = 300


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim, its window of the chunks, and which claim of the answer it is."""

    claim: str
    window: str
    index: int


def list_pairs(case: Case, most: int) -> list[Pair]:
    """At most `most` pairs of a trace, in the order of the answer; none without an answer or chunks.

    Where there are more claims than that, those are kept whose words the chunks hold least. An answer
    without any (it only asks) is read whole, unless it declines.
    """
    texts = [case.answer[c.start : c.end] for c in case.claims]
    if not texts and case.refusal.kind == "none" and not is_blank(case.answer):
        texts = [case.answer]
    if not texts or not case.chunks:
        return []
    passages = Passages(case.chunks)
    order = (
        sorted(range(len(texts)), key=lambda i: (passages.share(texts[i]), i)) if len(texts) > most else None
    )
    chosen = sorted(order[:most]) if order is not None else range(len(texts))
    return [Pair(word_claim(texts[i], case.question), passages.window(texts[i]), i) for i in chosen]


def word_claim(claim: str, question: str) -> str:
    """The claim as the encoder reads it: an answer in a few words stands behind its question.

    >>> word_claim("Canton", "Where is Dunkin based?")
    'Where is Dunkin based? Canton'
    """
    if question and weigh(claim) < SHORT:
        return f"{question[-MAX_QUESTION_CHARS:]} {claim}"
    return claim[:MAX_CLAIM_CHARS]
