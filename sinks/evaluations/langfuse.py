"""Verdicts as Langfuse's scores: many in a request, with ids made of the trace, the name and who said it.

Langfuse 4.59 and later, and its cloud, take a list of scores; what came before takes them as events of its
ingestion API, which later versions gave up. A score that is sent twice is one, by its id.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from typing import Any, Final, Literal

import orjson

from sinks.evaluations.destination import Reading, Request
from sinks.evaluations.finding import Finding, Score, parsed

Api = Literal["scores", "ingestion"]
PATHS: Final[dict[Api, str]] = {"scores": "/api/public/scores", "ingestion": "/api/public/ingestion"}
_ENVIRONMENT: Final = re.compile(r"(?!langfuse)[a-z0-9_-]{1,40}")
_LATER: Final = (408, 425, 429)


class Langfuse:
    """One project of a Langfuse, named by its keys."""

    name = "langfuse"

    def __init__(self, public_key: str, secret_key: str, api: Api = "scores") -> None:
        self._api: Api = api
        token = base64.b64encode(f"{public_key}:{secret_key}".encode()).decode()
        self.headers = {"Authorization": f"Basic {token}"}

    def takes(self, finding: Finding) -> bool:
        """Any: a score may come before its trace, whatever its id looks like."""
        return True

    def groups(self, findings: Sequence[Finding]) -> list[list[Finding]]:
        """All in one request."""
        return [list(findings)] if findings else []

    def build(self, findings: Sequence[Finding]) -> Request:
        """A list of scores, or an ingestion batch of `score-create` events."""
        scores = [(finding, _body(finding, score)) for finding in findings for score in finding.scores]
        if self._api == "scores":
            return Request(PATHS["scores"], "application/json", orjson.dumps([body for _, body in scores]))
        batch = [
            {"id": body["id"], "type": "score-create", "timestamp": _stamp(finding), "body": body}
            for finding, body in scores
        ]
        return Request(PATHS["ingestion"], "application/json", orjson.dumps({"batch": batch}))

    def read(self, body: bytes, findings: Sequence[Finding]) -> Reading:
        """What was not taken: a count from the one, from the other (both with status 207) each by its id."""
        answer = parsed(body)
        if not isinstance(answer, dict):
            return Reading()
        return _counted(answer, findings) if self._api == "scores" else _by_id(answer, findings)


def _counted(answer: dict[str, Any], findings: Sequence[Finding]) -> Reading:
    rejected = answer.get("rejected")
    count = rejected if isinstance(rejected, int) and rejected > 0 else 0
    details = [_detail(error) for error in _errors(answer)]
    return Reading(refused=min(count, len(findings)), detail=details[0] if details else "")


def _by_id(answer: dict[str, Any], findings: Sequence[Finding]) -> Reading:
    refused: set[int] = set()
    again: set[int] = set()
    details: list[str] = []
    owners = {identity(f, s): i for i, f in enumerate(findings) for s in f.scores}
    for error in _errors(answer):
        owner = owners.get(str(error.get("id")))
        if owner is None:
            continue
        status = error.get("status")
        later = isinstance(status, int) and (status >= 500 or status in _LATER)
        (again if later else refused).add(owner)
        details.append(_detail(error))
    return Reading(
        refused=len(refused - again),
        again=tuple(findings[i] for i in sorted(again)),
        detail=details[0] if details else "",
    )


def _errors(answer: dict[str, Any]) -> list[dict[str, Any]]:
    errors = answer.get("errors")
    return [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []


def _detail(error: dict[str, Any]) -> str:
    return str(error.get("message") or error.get("error") or error.get("status"))[:200]


def identity(finding: Finding, score: Score) -> str:
    """The same for the same score of the same trace by the same scorer."""
    whole = "\0".join((finding.trace_id, score.name, finding.version))
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


def _body(finding: Finding, score: Score) -> dict[str, Any]:
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
    return body


def _stamp(finding: Finding) -> str:
    return finding.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _value(score: Score) -> dict[str, Any]:
    if score.yes_or_no:
        return {"value": int(score.value or 0), "dataType": "BOOLEAN"}
    if score.value is not None:
        return {"value": score.value, "dataType": "NUMERIC"}
    return {"value": score.label, "dataType": "CATEGORICAL"}


__all__ = ["PATHS", "Api", "Langfuse", "identity"]
