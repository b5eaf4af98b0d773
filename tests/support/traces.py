"""Small traces for tests."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import orjson

from schemas.scored import Scores
from schemas.trace import Trace


def trace_json(trace_id: str, **fields: Any) -> bytes:
    """One healthy trace as bytes; `fields` replace or add to it."""
    trace = {
        "trace_id": trace_id,
        "question": "Which NPU does the RK3588 have?",
        "answer": "The RK3588 has an NPU of 6 TOPS.",
        "retrieval": {"chunks": [{"id": "k1", "text": "The RK3588 integrates an NPU of 6 TOPS."}]},
        **fields,
    }
    return orjson.dumps(trace)


class StubScorer:
    """Gives everybody the same scores; slow, or failing on some trace_ids, where a test wants it."""

    version = "stub-1"

    def __init__(self, *, seconds_a_batch: float = 0.0, fails_on: str = "") -> None:
        self._seconds = seconds_a_batch
        self._fails_on = fails_on
        self.batches: list[int] = []

    def score(self, batch: Sequence[Trace]) -> list[Scores]:
        self.batches.append(len(batch))
        time.sleep(self._seconds)
        if self._fails_on and any(self._fails_on in trace.trace_id for trace in batch):
            raise RuntimeError("no idea what to say of this")
        return [Scores(scorer_version=self.version, language="en") for _ in batch]
