"""From a chosen trace to a case: everything that a person may see is redacted here, before it is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import orjson

from judges.annotation.filling import MOST_IDS, Chosen
from judges.redaction import redact_trace
from schemas.annotation import AnnotationItem
from schemas.restore import trace_from_row
from schemas.tame import tame
from schemas.taxonomy import HEALTHY

MOST_BYTES: Final = 4 << 20
"""Of a payload. What is larger nobody reads; the trace itself stays where it is."""
_PARSED: Final = ("evidence", "because")
_OF_VERDICTS: Final = (
    "judge", "model", "rubric", "rubric_version", "failure", "failure_confidence", "hallucination",
    "faithfulness", "refusal", "rationale", "root_cause", "suggested_fix", "disagreement",
)  # fmt: skip
SCORE_COLUMNS: Final = (
    "failure", "failure_confidence", "first_failed_stage", "faithfulness", "hallucination",
    "answer_relevance", "context_relevance", "context_sufficiency", "citation_precision", "refusal",
    "refusal_kind", "parametric_leak", "coverage", "evidence", "scorer_version", "quadrant", "rule",
    "because",
)  # fmt: skip
VERDICTS: Final = "verdicts"


class TooLong(ValueError):
    """The case would be larger than anybody reads."""


def payload_of_row(row: Mapping[str, Any], verdicts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Trace, scores and verdicts as they are stored, not redacted yet. Raises TextsGone, ValueError."""
    trace = tame(trace_from_row(row).model_dump(mode="json"))
    scores = {name: _parsed(name, row[name]) for name in SCORE_COLUMNS}
    return {"trace": trace, "scores": {"trace_id": row["trace_id"], **scores}, VERDICTS: list(verdicts)}


def build_item(
    chosen: Chosen, payload: Mapping[str, Any], votes_wanted: int, now: datetime
) -> AnnotationItem:
    """The case as it is stored, redacted. Raises TooLong."""
    clean, counts = redact_payload(payload)
    clean["because"] = {language: chosen.worth.in_words(language) for language in ("en", "zh")}
    if len(orjson.dumps(clean)) > MOST_BYTES:
        raise TooLong(f"trace {chosen.evidence.trace_id!r} is larger than {MOST_BYTES >> 20} MiB")
    evidence, worth = chosen.evidence, chosen.worth
    return AnnotationItem(
        item_id=chosen.item_id,
        trace_id=evidence.trace_id,
        timestamp=evidence.timestamp,
        app=evidence.app,
        tenant=evidence.tenant,
        language=evidence.language,
        intent=evidence.intent,
        failure=evidence.failure,
        first_failed_stage=evidence.stage,
        scorer_version=evidence.scorer_version,
        reason=worth.reason.value,
        reasons=tuple(argument.reason.value for argument in worth.arguments),
        value=round(worth.value, 4),
        because=worth.in_words(),
        control=chosen.is_control,
        probability=evidence.control if evidence.control is not None else 1.0,
        cluster=chosen.cluster,
        duplicates=len(chosen.alike),
        duplicate_ids=tuple(chosen.alike[:MOST_IDS]),
        votes_wanted=votes_wanted,
        payload=clean,
        redactions=counts,
        created_at=now,
    )


def redact_payload(payload: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, int]]:
    """Trace, scores and verdicts without what would tell who somebody is; and how much that was, by kind.

    Verdicts quote the trace: they are redacted together with it, so that a value has one mark in all of it.
    """
    verdicts = [
        {name: said[name] for name in _OF_VERDICTS if said.get(name) is not None}
        for said in payload.get(VERDICTS) or ()
    ]
    whole = {**(payload.get("trace") or {}), VERDICTS: verdicts}
    trace, scores, counts = redact_trace(whole, payload.get("scores"))
    said = trace.pop(VERDICTS)
    return {"trace": trace, "scores": scores or {}, VERDICTS: said}, dict(Counter(counts))


def _parsed(name: str, value: Any) -> Any:
    """As `ragpulse score` prints it, where the table keeps it in another form."""
    if name in _PARSED and isinstance(value, str):
        return orjson.loads(value) if value else ([] if name == "evidence" else {})
    return None if name == "failure" and value == HEALTHY else value


__all__ = ["MOST_BYTES", "SCORE_COLUMNS", "TooLong", "build_item", "payload_of_row", "redact_payload"]
