"""A trace and what was said of it, without what would tell who somebody is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from judges.redaction.redact import Redacted, Redactor

_KEPT: Final = frozenset(
    {
        "schema_version", "trace_id", "timestamp", "app", "tenant", "environment", "intent", "language", "release",
        "turn", "model", "finish_reason", "role", "scorer_version", "failure", "first_failed_stage", "coverage",
        "rule", "quadrant", "refusal_kind", "chunk_id", "chunk_ids", "id", "doc_id", "judge", "rubric", "label",
    }
)  # fmt: skip
"""Fields that name parts of the system, and by which rows are joined: they stay as they are."""

Fields = dict[str, Any]


def redact_trace(
    trace: Mapping[str, Any], scores: Mapping[str, Any] | None = None
) -> tuple[Fields, Fields | None, dict[str, int]]:
    """A trace and its scores (as `ragpulse score` prints them) redacted, and how much was taken out, by kind.

    Offsets of the evidence are those in the redacted answer and chunks. What is handed in is not changed.
    """
    redactor = Redactor()
    answer = trace.get("answer")
    redacted_answer = redactor.redact(answer) if isinstance(answer, str) else Redacted("")
    clean = {
        key: redacted_answer.text
        if key == "answer" and isinstance(value, str)
        else _clean(value, key, redactor)
        for key, value in trace.items()
    }
    if scores is None:
        return clean, None, dict(redactor.counts)
    return clean, _clean_scores(scores, trace, redacted_answer, redactor), dict(redactor.counts)


def _clean(value: object, key: str, redactor: Redactor) -> object:
    if key in _KEPT and not isinstance(value, Mapping):
        return value
    if isinstance(value, str):
        return redactor.redact(value).text
    if isinstance(value, Mapping):
        return {
            redactor.redact(str(name)).text: _clean(inner, str(name), redactor)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean(inner, key, redactor) for inner in value]
    return value


def _clean_scores(
    scores: Mapping[str, Any], trace: Mapping[str, Any], answer: Redacted, redactor: Redactor
) -> Fields:
    clean = {key: _clean(value, key, redactor) for key, value in scores.items() if key != "evidence"}
    chunks = [c.get("text") or "" for c in (trace.get("retrieval") or {}).get("chunks") or []]
    if isinstance(scores.get("evidence"), list):
        clean["evidence"] = [_clean_claim(claim, answer, chunks, redactor) for claim in scores["evidence"]]
    return clean


def _clean_claim(claim: Mapping[str, Any], answer: Redacted, chunks: list[str], redactor: Redactor) -> Fields:
    clean: Fields = {key: _clean(value, key, redactor) for key, value in claim.items()}
    start, end = claim.get("start"), claim.get("end")
    if isinstance(start, int) and isinstance(end, int):
        clean["start"], clean["end"] = answer.shift(start), answer.shift(end, end=True)
        clean["text"] = answer.text[clean["start"] : clean["end"]]
    chunk = claim.get("chunk")
    if isinstance(chunk, int) and 0 <= chunk < len(chunks) and isinstance(claim.get("chunk_start"), int):
        redacted = Redactor().redact(chunks[chunk])
        clean["chunk_start"] = redacted.shift(claim["chunk_start"])
        clean["chunk_end"] = redacted.shift(claim["chunk_end"], end=True)
    return clean
