"""What is said of one trace, as every receiver gets it: a few named scores. Pure.

No text of the trace is part of it unless it is asked for: names, numbers, classes and rules are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

import orjson

from schemas.bounds import SPAN_KEY
from schemas.taxonomy import HEALTHY

By = Literal["CODE", "LLM"]
"""Who said it: a scorer, or a judge."""
PREFIX: Final = "ragpulse."
NOT_MEASURED: Final = "not_measured"
_MEASURES: Final = (
    "faithfulness", "hallucination", "answer_relevance", "context_relevance", "context_sufficiency",
    "citation_precision",
)  # fmt: skip
_FLAGS: Final = ("refusal", "parametric_leak")
_VERDICT: Final = "verdict"
_CLAIMS: Final = 3
_TEXT_CHARS: Final = 300
_WHOLE_CHARS: Final = 2_000


@dataclass(slots=True, frozen=True)
class Score:
    """One score: a number from 0 to 1, a yes or no (`value` 1 or 0), or a class (`label` alone)."""

    name: str
    value: float | None = None
    label: str | None = None
    explanation: str | None = None
    yes_or_no: bool = False


@dataclass(slots=True, frozen=True)
class Finding:
    """All that one scorer, or one judge, says of one trace.

    `span_id` is null where the trace did not come as OpenTelemetry spans. `version` names who said it.
    """

    trace_id: str
    span_id: str | None
    at: datetime
    by: By
    version: str
    failed: bool
    scores: tuple[Score, ...]
    environment: str = ""

    @property
    def otel_trace_id(self) -> bytes | None:
        """The sixteen bytes of an OpenTelemetry trace id; null for an id of any other kind."""
        return _id_bytes(self.trace_id, 16)

    @property
    def otel_span_id(self) -> bytes | None:
        """The eight bytes of the span's id, where there is one."""
        return _id_bytes(self.span_id, 8) if self.span_id else None


def from_trace_row(row: Mapping[str, Any], *, texts: bool = False) -> Finding | None:
    """The finding in a row of table `traces`; null where the row is none.

    `texts`: explain with the claims that lack support. Otherwise with the rule alone.
    """
    trace_id, failure = row.get("trace_id"), row.get("failure")
    if not isinstance(trace_id, str) or not trace_id or not isinstance(failure, str):
        return None
    measured = list(_measured(row, PREFIX))
    unseen = failure == HEALTHY and not measured
    label = NOT_MEASURED if unseen else failure
    whole = Score(PREFIX + "failure", label=label, explanation=_explain(row, texts))
    return Finding(
        trace_id=trace_id,
        span_id=_span_of(row),
        at=_moment(row.get("scored_at")),
        by="CODE",
        version=str(row.get("scorer_version") or "ragpulse"),
        failed=failure != HEALTHY,
        scores=(whole, *measured, *_flags(row, PREFIX)),
        environment=str(row.get("environment") or ""),
    )


def from_verdict_row(row: Mapping[str, Any], *, texts: bool = False) -> Finding | None:
    """The finding in a row of table `verdicts`, which a judge wrote; null where it says nothing.

    What one member of a panel said on the way to its verdict is not sent: the verdict is.
    `texts`: explain with the judge's own words, which quote the trace.
    """
    trace_id, judge = row.get("trace_id"), row.get("judge")
    if not isinstance(trace_id, str) or not trace_id or not isinstance(judge, str):
        return None
    if row.get("error") or row.get("role", _VERDICT) != _VERDICT:
        return None
    rubric = row.get("rubric")
    prefix = PREFIX + "judge."
    failure = row.get("failure")
    words = row.get("rationale") if texts else None
    said = words[:_WHOLE_CHARS] if isinstance(words, str) and words else None
    whole = (
        (Score(prefix + "failure", label=failure, explanation=said),)
        if isinstance(failure, str) and failure
        else ()
    )
    scores = (*whole, *_measured(row, prefix), *_flags(row, prefix))
    if not scores:
        return None
    return Finding(
        trace_id=trace_id,
        span_id=None,
        at=_moment(row.get("created_at")),
        by="LLM",
        version=f"{judge}:{rubric}" if rubric else judge,
        failed=isinstance(failure, str) and failure not in ("", HEALTHY),
        scores=scores,
    )


def _measured(row: Mapping[str, Any], prefix: str) -> Iterator[Score]:
    for name in _MEASURES:
        value = row.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
            yield Score(prefix + name, float(value))


def _flags(row: Mapping[str, Any], prefix: str) -> Iterator[Score]:
    for name in _FLAGS:
        value = row.get(name)
        if isinstance(value, bool):
            yield Score(prefix + name, float(value), "yes" if value else "no", yes_or_no=True)


def _explain(row: Mapping[str, Any], texts: bool) -> str:
    facts = [f"{name} {row[name]}" for name in ("rule", "first_failed_stage", "coverage") if row.get(name)]
    said = ", ".join(facts)
    if texts:
        said = " | ".join([said, *_doubted(row.get("evidence"))])
    return said[:_WHOLE_CHARS]


def _doubted(evidence: Any) -> Iterator[str]:
    """The claims with the lowest support, in their words."""
    claims = parsed(evidence)
    for claim in claims[:_CLAIMS] if isinstance(claims, list) else ():
        if isinstance(claim, dict) and isinstance(claim.get("text"), str):
            yield f"{claim['text'][:_TEXT_CHARS]} (support {claim.get('support')}, {claim.get('why') or '-'})"


def _span_of(row: Mapping[str, Any]) -> str | None:
    extra = parsed(row.get("extra"))
    held = extra.get(SPAN_KEY) if isinstance(extra, dict) else None
    return held if isinstance(held, str) and _id_bytes(held, 8) else None


def parsed(text: Any) -> Any:
    """JSON inside a text; null where it is none."""
    try:
        return orjson.loads(text) if isinstance(text, str | bytes) and text else None
    except orjson.JSONDecodeError:
        return None


def _id_bytes(text: str, size: int) -> bytes | None:
    try:
        raw = bytes.fromhex(text) if len(text) == 2 * size else b""
    except ValueError:
        return None
    return raw if len(raw) == size and any(raw) else None


def _moment(text: Any) -> datetime:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except (TypeError, ValueError):
        return datetime.fromtimestamp(0, UTC)


__all__ = ["NOT_MEASURED", "PREFIX", "By", "Finding", "Score", "from_trace_row", "from_verdict_row"]
