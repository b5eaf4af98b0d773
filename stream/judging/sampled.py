"""What lies on `rag.judge`: a trace, what the scorer said of it, and how it came to be chosen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import orjson
from pydantic import ValidationError

from schemas.row import Sampling
from schemas.trace import Trace

NOT_JSON: Final = "not_json"
WRONG_SHAPE: Final = "wrong_shape"
_DETAIL_CHARS: Final = 300


class UnreadableSample(ValueError):
    """A message that holds no sampled trace. `reason` is what the dead letter says."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail[:_DETAIL_CHARS]


@dataclass(slots=True, frozen=True)
class Sampled:
    """One trace for the judges."""

    trace: Trace
    scores: dict[str, Any] | None
    """The line that `ragpulse score` prints of it, or null where nobody scored it."""
    sampling: Sampling
    """Probability and reasons. A probability of 0 means that nobody knows it: no rate is weighted by it."""
    received_at: datetime
    """The broker's time of the trace itself, as in its row of table `traces`."""


def read_sampled(value: bytes, at: datetime) -> Sampled:
    """The sampled trace in a message; `at` is the broker's time of this one. Raises UnreadableSample."""
    try:
        message = orjson.loads(value)
    except orjson.JSONDecodeError as error:
        raise UnreadableSample(NOT_JSON, str(error)) from error
    if not isinstance(message, dict):
        raise UnreadableSample(WRONG_SHAPE, "no JSON object")
    try:
        trace = Trace.model_validate(message.get("trace"))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in ("trace", *first["loc"]))
        raise UnreadableSample(WRONG_SHAPE, f"{where}: {first['msg']}") from error
    scores = message.get("scores")
    return Sampled(
        trace=trace,
        scores=scores if isinstance(scores, dict) else None,
        sampling=_sampling(message.get("sample")),
        received_at=_moment(message.get("received_at")) or at,
    )


def _sampling(said: Any) -> Sampling:
    facts: dict[str, Any] = said if isinstance(said, dict) else {}
    reasons = facts.get("reasons")
    return Sampling(
        selected=True,
        probability=_probability(facts.get("probability")),
        reasons=tuple(str(reason) for reason in reasons) if isinstance(reasons, list) else (),
    )


def _probability(said: Any) -> float:
    if isinstance(said, bool) or not isinstance(said, int | float):
        return 0.0
    return float(said) if 0.0 < said <= 1.0 else 0.0


def _moment(said: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(said)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


__all__ = ["NOT_JSON", "WRONG_SHAPE", "Sampled", "UnreadableSample", "read_sampled"]
