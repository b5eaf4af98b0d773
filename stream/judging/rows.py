"""An opinion as a row of table `verdicts`, which the sink inserts as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

import orjson

from judges.llm.asking import ClaimVerdict, Opinion, Usage
from schemas.row import encode, event_time, stamp
from schemas.scored import rounded
from schemas.tame import tame
from stream.judging.sampled import Sampled

Role = Literal["verdict", "opinion"]
"""`verdict` is what counts for a trace; `opinion` is what one member of a panel said on the way to it."""

_NAME_CHARS: Final = 200
_DETAIL_CHARS: Final = 1_000


@dataclass(slots=True, frozen=True)
class Identity:
    """Who judges by what: with the trace, the key of a row."""

    judge: str
    model: str
    rubric: str
    rubric_version: str


@dataclass(slots=True, frozen=True)
class Around:
    """What is known of an opinion beside itself."""

    role: Role = "verdict"
    disagreement: float | None = None
    """Among the members of a panel, 0 to 1; null where there is one judge."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Members of the panel that gave no opinion, and the reason of each."""


def verdict_row(sampled: Sampled, opinion: Opinion, around: Around, judged_at: datetime) -> bytes:
    """The row for an opinion on a trace."""
    who = Identity(opinion.judge, opinion.model, opinion.rubric, opinion.rubric_version)
    said = {
        "language": opinion.language,
        "role": around.role,
        "failure": opinion.failure or "",
        "failure_confidence": rounded(opinion.failure_confidence),
        "faithfulness": rounded(opinion.faithfulness),
        "hallucination": rounded(opinion.hallucination),
        "answer_relevance": rounded(opinion.answer_relevance),
        "context_relevance": rounded(opinion.context_relevance),
        "context_sufficiency": rounded(opinion.context_sufficiency),
        "context_precision": rounded(opinion.context_precision),
        "context_recall": rounded(opinion.context_recall),
        "citation_precision": rounded(opinion.citation_precision),
        "refusal": opinion.refusal,
        "refusal_correct": opinion.refusal_correct,
        "parametric_leak": opinion.parametric_leak,
        "ratings": opinion.ratings,
        "rationale": opinion.rationale,
        "root_cause": opinion.root_cause,
        "suggested_fix": opinion.suggested_fix,
        "claims": _json([claim_fields(claim) for claim in opinion.claims]),
        "truncated": opinion.truncated,
        "not_measured": opinion.not_measured,
        "measured_by": opinion.measured_by,
        "disagreement": rounded(around.disagreement),
        "failed": dict(around.failed),
        "served_by": opinion.served_by[:_NAME_CHARS],
        **_spent(opinion.usage),
    }
    return _encode(sampled, who, said, judged_at)


def unjudged_row(sampled: Sampled, who: Identity, reason: str, detail: str, usage: Usage) -> bytes:
    """The row that says why there is no verdict.

    Its time is that of the trace, so that it never takes the place of a verdict, whichever comes first.
    """
    said = {
        "role": "verdict",
        "error": reason,
        "error_detail": detail[:_DETAIL_CHARS],
        **_spent(usage),
    }
    return _encode(sampled, who, said, sampled.received_at)


def claim_fields(claim: ClaimVerdict) -> dict[str, Any]:
    """One entry of `claims`."""
    return {name: getattr(claim, name) for name in ClaimVerdict.__slots__}


def opinion_fields(opinion: Opinion) -> dict[str, Any]:
    """An opinion as `ragpulse score --judge` prints it. Null is not measured."""
    fields = {name: getattr(opinion, name) for name in Opinion.__slots__}
    fields["claims"] = [claim_fields(claim) for claim in opinion.claims]
    fields["usage"] = _spent(opinion.usage)
    named: dict[str, Any] = tame(fields, keep_digits=False)
    return named


def _spent(usage: Usage) -> dict[str, Any]:
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
        "latency_ms": round(usage.latency_ms, 1),
    }


def _encode(sampled: Sampled, who: Identity, said: dict[str, Any], at: datetime) -> bytes:
    trace, sampling = sampled.trace, sampled.sampling
    row = {
        "trace_id": trace.trace_id,
        "timestamp": stamp(event_time(trace, sampled.received_at)[0]),
        "app": trace.app or "",
        "tenant": trace.tenant or "",
        "judge": who.judge,
        "model": who.model,
        "rubric": who.rubric,
        "rubric_version": who.rubric_version,
        "sample_probability": sampling.probability,
        "sample_reasons": list(sampling.reasons),
        **said,
        "created_at": stamp(at),
    }
    return encode(tame(row, keep_digits=False))  # a model may write what no table holds


def _json(value: object) -> str:
    return orjson.dumps(tame(value, keep_digits=False)).decode()


__all__ = ["Around", "Identity", "Role", "claim_fields", "opinion_fields", "unjudged_row", "verdict_row"]
