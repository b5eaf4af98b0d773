"""What each measure is of each trace, as a number in 0..1 of which more is worse."""

from __future__ import annotations

from typing import Final

import numpy as np

from stream.watch.records import Batch, Floats, Measure

ALERTED: Final = (
    Measure.HALLUCINATION,
    Measure.FAITHFULNESS,
    Measure.REFUSAL,
    Measure.OVER_REFUSAL,
    Measure.SYSTEM_ERROR,
    Measure.REWRITE_FAILURE,
    Measure.EMPTY_RECALL,
    Measure.POOR_RETRIEVAL,
)
"""Bets are made on these. A correct refusal is told as a rate alone: what led to it is watched."""
_HONEST: Final = "honest"


def badness(batch: Batch, measure: Measure) -> Floats:
    """By trace; NaN where it was not measured. Of faithfulness, what is missing to 1."""
    if measure is Measure.HALLUCINATION:
        return batch.hallucination
    if measure is Measure.FAITHFULNESS:
        return np.asarray(1.0 - batch.faithfulness)
    if measure is Measure.REFUSAL:
        return batch.refusal.astype(np.float64)
    if measure is Measure.CORRECT_REFUSAL:
        return np.asarray(batch.refusal & (batch.quadrant == _HONEST), dtype=np.float64)
    return np.asarray(batch.failure == measure.value, dtype=np.float64)


def told(measure: Measure, value: float) -> float:
    """As people are told: faithfulness the right way up, all others as they are."""
    return 1.0 - value if measure is Measure.FAITHFULNESS else value


__all__ = ["ALERTED", "badness", "told"]
