"""Verdicts as Langfuse's scores, by its ingestion API: one event a score, many in a request.

Its ids are made of the trace, the name and who said it, so that what is sent twice is one score.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from typing import Any, Final

import orjson

from sinks.evaluations.destination import Reading, Request
from sinks.evaluations.finding import Finding, Score, parsed

PATH: Final = "/api/public/ingestion"
_ENVIRONMENT: Final = re.compile(r"(?!langfuse)[a-z0-9_-]{1,40}")
_LATER: Final = (408, 425, 429)


class Langfuse:
    """One project of a Langfuse, named by its keys."""

    name = "langfuse"

    def __init__(self, public_key: str, secret_key: str) -> None:
        token = base64.b64encode(f"{public_key}:{secret_key}".encode()).decode()
        self.headers = {"Authorization": f"Basic {token}"}

    def takes(self, finding: Finding) -> bool:
        """Any: a score may come before its trace, whatever its id looks like."""
        return True

    def groups(self, findings: Sequence[Finding]) -> list[list[Finding]]:
        """All in one request."""
        return [list(findings)] if findings else []

    def build(self, findings: Sequence[Finding]) -> Request:
        """An ingestion batch of `score-create` events."""
        batch = [_event(finding, score) for finding in findings for score in finding.scores]
        return Request(PATH, "application/json", orjson.dumps({"batch": batch}))

    def read(self, body: bytes, findings: Sequence[Finding]) -> Reading:
        """Its answer lists by event what was not taken, and why (status 207 as a whole)."""
        answer = parsed(body)
        errors = answer.get("errors") if isinstance(answer, dict) else None
        refused: set[int] = set()
        again: set[int] = set()
        details: list[str] = []
        owners = {identity(f, s): i for i, f in enumerate(findings) for s in f.scores}
        for error in errors if isinstance(errors, list) else ():
            if not isinstance(error, dict) or (owner := owners.get(str(error.get("id")))) is None:
                continue
            status = error.get("status")
            later = isinstance(status, int) and (status >= 500 or status in _LATER)
            (again if later else refused).add(owner)
            details.append(str(error.get("message") or error.get("error") or status)[:200])
        return Reading(
            refused=len(refused - again),
            again=tuple(findings[i] for i in sorted(again)),
            detail=details[0] if details else "",
        )


def identity(finding: Finding, score: Score) -> str:
    """The same for the same score of the same trace by the same scorer."""
    whole = "\0".join((finding.trace_id, score.name, finding.version))
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


def _event(finding: Finding, score: Score) -> dict[str, Any]:
    at = finding.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    body: dict[str, Any] = {
        "id": identity(finding, score),
        "traceId": finding.trace_id,
        "name": score.name,
        "metadata": {"by": finding.version},
        **_value(score),
    }
    if finding.span_id:
        body["observationId"] = finding.span_id
    if score.explanation:
        body["comment"] = score.explanation
    if _ENVIRONMENT.fullmatch(finding.environment):
        body["environment"] = finding.environment
    return {"id": body["id"], "type": "score-create", "timestamp": at, "body": body}


def _value(score: Score) -> dict[str, Any]:
    if score.yes_or_no:
        return {"value": int(score.value or 0), "dataType": "BOOLEAN"}
    if score.value is not None:
        return {"value": score.value, "dataType": "NUMERIC"}
    return {"value": score.label, "dataType": "CATEGORICAL"}


__all__ = ["PATH", "Langfuse", "identity"]
