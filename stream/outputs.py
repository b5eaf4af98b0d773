"""A judged trace as bytes, for `rag.scored` and for `rag.judge`."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

import orjson

from schemas.row import Provenance, Sampling, encode, trace_row
from schemas.scored import Judged
from schemas.tame import tame
from schemas.trace import Trace
from stream.producer import Headers
from stream.topics import HEADER_TABLE

TO_TRACES: Final[Headers] = [(HEADER_TABLE, b"traces")]
TO_FEEDBACK: Final[Headers] = [(HEADER_TABLE, b"feedback")]


class RowError(ValueError):
    """A judged trace that no row can hold, even mended."""


def encode_scored(judged: Judged, provenance: Provenance, sampling: Sampling, scored_at: datetime) -> bytes:
    """One row of table `traces`. Raises TypeError where the trace holds values that no row can."""
    return encode(trace_row(judged, provenance, sampling, scored_at))


def mend_and_encode(
    judged: Judged, provenance: Provenance, sampling: Sampling, scored_at: datetime
) -> tuple[Judged, bytes]:
    """The trace without the values that JSON parsers allow and rows do not, and its row.

    Raises RowError.
    """
    try:
        mended = _mend(judged)
        return mended, encode_scored(mended, provenance, sampling, scored_at)
    except (TypeError, ValueError) as error:
        raise RowError(f"{type(error).__name__}: {error}"[:300]) from error


def encode_for_judges(judged: Judged, sampling: Sampling) -> bytes:
    """What the judges get: the trace, what the cheap scorers said, and how it came to be chosen."""
    sample = {"probability": sampling.probability, "reasons": sampling.reasons}
    return b'{"trace":%b,"scores":%b,"sample":%b}' % (
        judged.trace.model_dump_json().encode(),
        orjson.dumps(judged.line(), option=orjson.OPT_NON_STR_KEYS),
        orjson.dumps(sample),
    )


def _mend(judged: Judged) -> Judged:
    value = tame(judged.trace.model_dump(exclude={"timestamp"}))
    for chunk in (value.get("retrieval") or {}).get("chunks") or []:
        if isinstance(chunk["rank"], str):  # digits beyond 64 bits rank nothing
            chunk["rank"] = None
    trace = Trace.model_validate(value).model_copy(update={"timestamp": judged.trace.timestamp})
    return replace(judged, trace=trace)


__all__ = ["TO_FEEDBACK", "TO_TRACES", "RowError", "encode_for_judges", "encode_scored", "mend_and_encode"]
