"""A judged trace as bytes, for `rag.scored` and for `rag.judge`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import orjson

from schemas.row import (
    Provenance,
    Role,
    Sampling,
    encode,
    evaluation_rows,
    feedback_row,
    score_row,
    trace_row,
)
from schemas.scored import Judged
from schemas.tame import tame
from schemas.trace import LateFeedback, Trace
from stream.kafka.producer import Headers
from stream.topics import HEADER_TABLE

TO_TRACES: Final[Headers] = [(HEADER_TABLE, b"traces")]
TO_FEEDBACK: Final[Headers] = [(HEADER_TABLE, b"feedback")]
TO_EVALUATIONS: Final[Headers] = [(HEADER_TABLE, b"evaluations")]
TO_SCORES: Final[Headers] = [(HEADER_TABLE, b"scores")]
_DETAIL_CHARS: Final = 300


class RowError(ValueError):
    """What no row can hold, even mended."""


@dataclass(slots=True, frozen=True)
class Outgoing:
    """What leaves for one trace."""

    key: bytes
    row: bytes
    """One row of table `traces`."""
    for_judges: bytes | None
    """The message for the LLM judges, where the trace was sampled."""
    mended: bool
    """Whether values that JSON parsers allow and rows do not were taken out."""


def encode_judged(
    judged: Judged, provenance: Provenance, sampling: Sampling, scored_at: datetime
) -> Outgoing:
    """The bytes for one judged trace, mended where they must be. Raises RowError."""
    try:
        return _encode(judged, provenance, sampling, scored_at, mended=False)
    except Exception:
        pass  # an integer beyond 64 bits, half a character: rare, and worth no check on every trace
    try:
        return _encode(_mend(judged), provenance, sampling, scored_at, mended=True)
    except Exception as error:
        raise _as_row_error(error) from error


def encode_score(
    judged: Judged, received_at: datetime, role: Role, scored_at: datetime
) -> tuple[bytes, bytes]:
    """Key and row (of table `scores`) for what another scorer says of a trace.

    Nothing in it needs mending. What still fails is the scorer's fault, and raised as it comes.
    """
    return judged.trace.trace_id.encode(), encode(score_row(judged, received_at, role, scored_at))


def encode_feedback(late: LateFeedback, provenance: Provenance) -> tuple[bytes, bytes]:
    """Key and row (of table `feedback`) for late feedback. Raises RowError."""
    try:
        return late.trace_id.encode(), encode(feedback_row(late, provenance))
    except Exception as error:
        raise _as_row_error(error) from error


def encode_evaluations(late: LateFeedback, provenance: Provenance) -> tuple[bytes, list[bytes]]:
    """Key and rows (of table `evaluations`) for what evaluators said. Raises RowError."""
    try:
        return late.trace_id.encode(), [encode(row) for row in evaluation_rows(late, provenance)]
    except Exception as error:
        raise _as_row_error(error) from error


def _as_row_error(error: Exception) -> RowError:
    return RowError(f"{type(error).__name__}: {error}"[:_DETAIL_CHARS])


def _encode(
    judged: Judged, provenance: Provenance, sampling: Sampling, scored_at: datetime, *, mended: bool
) -> Outgoing:
    return Outgoing(
        key=judged.trace.trace_id.encode(),
        row=encode(trace_row(judged, provenance, sampling, scored_at)),
        for_judges=_encode_for_judges(judged, provenance, sampling) if sampling.selected else None,
        mended=mended,
    )


def _encode_for_judges(judged: Judged, provenance: Provenance, sampling: Sampling) -> bytes:
    message = {
        "trace": judged.trace.model_dump(mode="json"),
        "scores": judged.line(),
        "sample": {"probability": sampling.probability, "reasons": sampling.reasons},
        "received_at": provenance.received_at.isoformat(),
    }
    return orjson.dumps(message, option=orjson.OPT_NON_STR_KEYS)


def _mend(judged: Judged) -> Judged:
    trace = judged.trace
    value = trace.model_dump(exclude={"timestamp"})
    for name, part in value.items():
        is_ours = name in Trace.model_fields and name != "extra"
        value[name] = tame(part, keep_digits=not is_ours)
    return replace(
        judged, trace=Trace.model_validate(value).model_copy(update={"timestamp": trace.timestamp})
    )


__all__ = [
    "TO_EVALUATIONS",
    "TO_FEEDBACK",
    "TO_SCORES",
    "TO_TRACES",
    "Outgoing",
    "RowError",
    "encode_evaluations",
    "encode_feedback",
    "encode_judged",
    "encode_score",
]
