"""A scorer is tried before it scores anything that counts: on two small traces, one in each language."""

from __future__ import annotations

import math
from typing import Any, Final

from schemas.scored import Scorer
from schemas.trace import Trace
from stream.pipeline import judge_or_raise

_TRACES: Final[tuple[dict[str, Any], ...]] = (
    {
        "trace_id": "trial-en",
        "question": "How long is the warranty of the pump?",
        "rewritten_query": "warranty period of the pump",
        "retrieval": {"chunks": [{"id": "k1", "text": "The pump comes with a warranty of 24 months."}]},
        "answer": "The pump has a warranty of 24 months. [k1]",
    },
    {
        "trace_id": "trial-zh",
        "question": "水泵的保修期是多久？",
        "retrieval": {"chunks": [{"id": "k1", "text": "水泵的保修期为24个月，自购买之日起计算。"}]},
        "answer": "水泵的保修期是36个月。",
    },
)


def try_out(scorer: Scorer) -> None:
    """Score the two and look at what comes back. Raises whatever the scorer raises, or ValueError."""
    for judged in judge_or_raise([Trace.model_validate(trace) for trace in _TRACES], scorer):
        chance = judged.scores.hallucination
        if chance is None or not math.isfinite(chance) or not 0 <= chance <= 1:
            raise ValueError(f"for {judged.trace.trace_id} it says {chance}, which is no probability")
        if judged.scores.scorer_version != scorer.version:
            raise ValueError(f"its scores name {judged.scores.scorer_version}, not {scorer.version}")


__all__ = ["try_out"]
