"""Judged traces and a reader without a model, for tests of the encoder tier."""

from __future__ import annotations

from collections.abc import Sequence

from judges.encoder.combine import Fitting
from judges.encoder.pairs import Pair
from schemas.scored import Judged, Scores, Verdict
from schemas.trace import Trace


def judged(
    trace_id: str,
    hallucination: float | None = 0.5,
    answer: str = "The shop opens at 9. Dogs must wait outside.",
    chunks: Sequence[str] = ("The shop opens at 9. It sells tea. Dogs must wait outside.",),
    sufficiency: float | None = None,
) -> Judged:
    """A trace with the chance of a hallucination that the cheap scorer sees in it."""
    trace = Trace.model_validate(
        {
            "trace_id": trace_id,
            "question": "When does it open?",
            "answer": answer,
            "retrieval": {"chunks": [{"text": text} for text in chunks]},
        }
    )
    scores = Scores("stub-1", language="en", hallucination=hallucination, context_sufficiency=sufficiency)
    verdict = Verdict(failure=None, confidence=0.0, stage=None, rule="", because={})
    return Judged(trace, scores, verdict)


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class WordReader:
    """Supports a claim whose last word the window holds; each pair takes a set time."""

    def __init__(self, clock: Clock | None = None, seconds_a_pair: float = 0.0) -> None:
        self.fitting = Fitting(version="words-1")
        self.clock, self.seconds = clock, seconds_a_pair
        self.read: list[str] = []

    def supports(self, pairs: Sequence[Pair]) -> list[float]:
        """Plus or minus three."""
        self.read += [pair.claim for pair in pairs]
        if self.clock:
            self.clock.now += self.seconds * len(pairs)
        return [3.0 if p.claim.rstrip(".").split()[-1] in p.window else -3.0 for p in pairs]


class WordAnswers:
    """Says that chunks answer where one of them holds the question's last word; each takes a set time."""

    version = "answers-1"

    def __init__(self, clock: Clock | None = None, seconds: float = 0.0) -> None:
        self.clock, self.seconds = clock, seconds
        self.asked: list[str] = []

    def sufficiency(self, judged: Judged, question: str, language: str | None) -> float | None:
        """0.9 or 0.1; null without chunks."""
        self.asked.append(question)
        if self.clock:
            self.clock.now += self.seconds
        chunks = (judged.trace.retrieval.chunks if judged.trace.retrieval else None) or []
        if not chunks:
            return None
        word = question.rstrip("?").split()[-1]
        return 0.9 if any(word in (c.text or "") for c in chunks) else 0.1
