"""What scoring says of a trace: the contract of `ragpulse score`, and of the scorer's protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from schemas.taxonomy import Coverage, Failure, Quadrant, Stage
from schemas.trace import Trace

Signals = dict[str, float | str | bool | None]
"""Named measures beside the scores."""


@dataclass(slots=True)
class Claim:
    """One claim of the answer and how well the best chunk supports it.

    `start` and `end` are character offsets in the answer; `support` is in 0..1; `chunk` is the index
    of the best chunk (null without one) and `chunk_start`/`chunk_end` the span of it that was used.
    """

    text: str
    start: int
    end: int
    support: float
    chunk: int | None = None
    chunk_id: str | None = None
    chunk_start: int | None = None
    chunk_end: int | None = None
    why: str = ""


@dataclass(slots=True)
class Scores:
    """What the scorer measured on one trace. Null always means *not measured*, never a score."""

    scorer_version: str
    language: str | None = None
    coverage: Coverage = Coverage.FULL
    faithfulness: float | None = None
    hallucination: float | None = None
    answer_relevance: float | None = None
    context_relevance: float | None = None
    context_sufficiency: float | None = None
    citation_precision: float | None = None
    refusal: bool = False
    refusal_kind: str = "none"
    classes: dict[str, float] | None = None
    """Probabilities of what failed first, or `healthy`, that sum to 1; null from a scorer that learned none,
    and where too little was measured. Errors and empty retrievals are not among them: a trace shows those."""
    evidence: list[Claim] = field(default_factory=list)
    signals: Signals = field(default_factory=dict)
    """Everything else that triage may look at: garbled text, follow-up, rewrite, gold metrics …"""


@dataclass(slots=True)
class Verdict:
    """The failure class of one trace, with the rule and the numbers that decided it."""

    failure: Failure | None
    confidence: float
    stage: Stage | None
    rule: str
    because: dict[str, Any]
    parametric_leak: bool = False
    quadrant: Quadrant | None = None


class Scorer(Protocol):
    """A versioned, replaceable part: a batch of traces in, one `Scores` each out, in order."""

    @property
    def version(self) -> str: ...

    def score(self, batch: Sequence[Trace]) -> list[Scores]: ...


@dataclass(slots=True)
class Judged:
    """One trace with everything ragpulse has to say about it."""

    trace: Trace
    scores: Scores
    verdict: Verdict

    def line(self) -> dict[str, Any]:
        """The contract of `ragpulse score`: these names, at the top level."""
        s, v = self.scores, self.verdict
        return {
            "trace_id": self.trace.trace_id,
            "failure": v.failure.value if v.failure else None,
            "failure_confidence": round(v.confidence, 4),
            "first_failed_stage": v.stage.value if v.stage else None,
            "faithfulness": rounded(s.faithfulness),
            "hallucination": rounded(s.hallucination),
            "answer_relevance": rounded(s.answer_relevance),
            "context_relevance": rounded(s.context_relevance),
            "context_sufficiency": rounded(s.context_sufficiency),
            "citation_precision": rounded(s.citation_precision),
            "refusal": s.refusal,
            "parametric_leak": v.parametric_leak,
            "coverage": s.coverage.value,
            "evidence": [claim_fields(c) for c in s.evidence],
            "scorer_version": s.scorer_version,
            "language": s.language,
            "refusal_kind": s.refusal_kind,
            "quadrant": v.quadrant.value if v.quadrant else None,
            "rule": v.rule,
            "because": v.because,
        }


def rounded(value: float | None) -> float | None:
    """Four places are more than any score means; null stays null."""
    return None if value is None else round(value, 4)


def claim_fields(claim: Claim) -> dict[str, Any]:
    """One entry of `evidence`."""
    return {
        "text": claim.text,
        "start": claim.start,
        "end": claim.end,
        "support": round(claim.support, 4),
        "chunk": claim.chunk,
        "chunk_id": claim.chunk_id,
        "chunk_start": claim.chunk_start,
        "chunk_end": claim.chunk_end,
        "why": claim.why,
    }
