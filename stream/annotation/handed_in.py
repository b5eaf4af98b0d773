"""Cases that come over `rag.annotation`: from the judge lane, or from whoever else finds one worth a look.

`{"trace": …, "scores": …, "sample": …, "reason": "disagreement", "verdicts": […]}`; only the trace must be
there. What is published there is redacted by whoever publishes it, and once more here: that changes nothing,
and guards against whoever forgot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import orjson
from pydantic import ValidationError

from judges.annotation.policy import Evidence
from judges.redaction import redact
from schemas.row import EARLIEST
from schemas.taxonomy import FAILURES, HEALTHY
from schemas.trace import Trace
from stream.annotation.building import VERDICTS, redact_payload
from stream.annotation.reader import said_of

NOT_JSON: Final = "not_json"
NO_CASE: Final = "not_an_annotation_case"
_CLASSES: Final = frozenset((HEALTHY, *(failure.value for failure in FAILURES)))


class UnreadableCase(ValueError):
    """The message is no case. `reason` is for the dead letter."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class HandedIn:
    """One case of the topic."""

    evidence: Evidence
    payload: Mapping[str, Any]
    """Trace, scores and verdicts, as they came."""


def read_case(value: bytes | None, sent_at: datetime) -> HandedIn:
    """Read a message. `sent_at` stands for a trace without a time. Raises UnreadableCase."""
    try:
        case = orjson.loads(value or b"")
    except orjson.JSONDecodeError as error:
        raise UnreadableCase(NOT_JSON, str(error)) from error
    if not isinstance(case, dict) or not isinstance(case.get("trace"), dict):
        raise UnreadableCase(NO_CASE, "an object with a trace is wanted")
    try:
        trace = Trace.model_validate(case["trace"])
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UnreadableCase(NO_CASE, f"trace.{where}: {first['msg']}") from None
    scores = case["scores"] if isinstance(case.get("scores"), dict) else {}
    verdicts = [said for said in _list(case.get(VERDICTS)) if isinstance(said, dict)]
    at = trace.timestamp.astimezone(UTC) if trace.timestamp else sent_at
    evidence = Evidence(
        trace_id=trace.trace_id,
        timestamp=at if at >= EARLIEST else sent_at,
        question=redact(trace.question or "").text,
        app=trace.app or "",
        tenant=trace.tenant or "",
        language=_text(scores.get("language")) or trace.language or "",
        intent=trace.intent or "",
        failure=_class(scores.get("failure")) or HEALTHY,
        stage=_text(scores.get("first_failed_stage")),
        confidence=_share(scores.get("failure_confidence")) or 0.0,
        hallucination=_share(scores.get("hallucination")),
        scorer_version=_text(scores.get("scorer_version")),
        rating=trace.feedback.rating if trace.feedback else None,
        said=said_of(_sound(said) for said in verdicts),
    )
    payload = {"trace": case["trace"], "scores": scores, VERDICTS: verdicts}
    try:
        redact_payload(payload)  # done for good when the case is made; what fails there would fail for ever
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UnreadableCase(NO_CASE, f"not built as ours are ({type(error).__name__})") from error
    return HandedIn(evidence, payload)


def _sound(said: Mapping[str, Any]) -> dict[str, Any]:
    """A verdict's fields, as far as they are what they should be."""
    return {
        "judge": _text(said.get("judge")),
        "failure": _class(said.get("failure")),
        "hallucination": _share(said.get("hallucination")),
        "disagreement": _share(said.get("disagreement")),
    }


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _class(value: Any) -> str | None:
    """A class of ours; whatever else is said says nothing."""
    return value if isinstance(value, str) and value in _CLASSES else None


def _share(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else None


__all__ = ["NOT_JSON", "NO_CASE", "HandedIn", "UnreadableCase", "read_case"]
