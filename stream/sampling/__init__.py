"""Which traces the LLM judges see: by a hash of the trace_id, so that the choice can be undone.

Every trace has one number in 0..1 that never changes, and is chosen where the number lies below its
probability. The probability depends on what the worker knew *before* it looked at the number: the rate of the
trace's segment, what speaks for a closer look, how much was chosen lately. It is recorded with the trace, so
that rates over judged traces are weighted back (each by 1 / probability) without bias: Poisson sampling,
Särndal, Swensson and Wretman, "Model Assisted Survey Sampling" (1992), section 3.5.
"""

from stream.sampling.boosts import Other
from stream.sampling.choose import Choose, sampler
from stream.sampling.draw import draw
from stream.sampling.reasons import (
    BOOSTS,
    CAPPED,
    CONTROL,
    DISAGREEMENT,
    EXCLUDED,
    NEW_RELEASE,
    NO_ANSWER,
    RARE_SEGMENT,
    SUSPECTED,
    THUMBS_DOWN,
    UNCERTAIN,
)

__all__ = [
    "BOOSTS",
    "CAPPED",
    "CONTROL",
    "DISAGREEMENT",
    "EXCLUDED",
    "NEW_RELEASE",
    "NO_ANSWER",
    "RARE_SEGMENT",
    "SUSPECTED",
    "THUMBS_DOWN",
    "UNCERTAIN",
    "Choose",
    "Other",
    "draw",
    "sampler",
]
