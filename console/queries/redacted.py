"""A case without what would tell who somebody is: what everybody sees who is not let in to the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Final

from console.queries.case import Case, Chunk, Evidence, JudgedClaim, Opinion
from judges.redaction import redact_trace

_TEXTS: Final = (
    "question", "rewritten_query", "answer", "prompt_context", "feedback_comment", "generation_error",
    "retrieval_error", "conversation_id",
)  # fmt: skip
_SAID: Final = ("rationale", "root_cause", "suggested_fix", "error_detail")


def redact_case(case: Case) -> tuple[Case, dict[str, int]]:
    """The case redacted as a whole, so that one number is marked alike everywhere; and how much was taken
    out, by kind."""
    trace, scores, taken = redact_trace(_trace(case), _scores(case))
    assert scores is not None
    return replace(
        case,
        row={**case.row, **{name: trace[name] for name in _TEXTS}},
        history=tuple((turn["role"], turn["content"]) for turn in trace["history"]),
        chunks=None if case.chunks is None else tuple(Chunk(**c) for c in trace["retrieval"]["chunks"]),
        evidence=tuple(Evidence(**one) for one in scores["evidence"]),
        because=scores["because"],
        opinions=tuple(
            Opinion(
                {**was.row, **{name: said[name] for name in _SAID}}, tuple(_claim(c) for c in said["claims"])
            )
            for was, said in zip(case.opinions, scores["opinions"], strict=True)
        ),
        evaluations=tuple(scores["evaluations"]),
        turns=tuple(scores["turns"]),
    ), taken


def _trace(case: Case) -> dict[str, Any]:
    chunks = [asdict(chunk) for chunk in case.chunks or ()]
    return {
        **{name: case.row[name] for name in _TEXTS},
        "history": [{"role": role, "content": content} for role, content in case.history],
        "retrieval": {"chunks": chunks},
    }


def _scores(case: Case) -> dict[str, Any]:
    return {
        "evidence": [asdict(one) for one in case.evidence],
        "because": dict(case.because),
        "opinions": [
            {
                **{name: one.row[name] for name in _SAID},
                "claims": [asdict(claim) for claim in one.claims],
            }
            for one in case.opinions
        ],
        "evaluations": [dict(one) for one in case.evaluations],
        "turns": [dict(one) for one in case.turns],
    }


def _claim(said: Mapping[str, Any]) -> JudgedClaim:
    return JudgedClaim(**said)


__all__ = ["redact_case"]
