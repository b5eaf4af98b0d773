"""The encoder tier: a transformer that reads each claim beside the sentences it should follow from, and an
embedding model that looks whether the chunks answer the question.

Costly beside the cheap scorers (some 30 ms a claim), so they read uncertain traces only, and are off by
default. They need the extra `ragpulse[encoder]` and a model: see docs/ENCODER.md.
"""

from judges.encoder.combine import EncoderUnusable
from judges.encoder.loading import EncoderMissing
from judges.encoder.tier import ClaimScore, EncoderScore, EncoderTier, TierOptions, TierSettings

__all__ = [
    "ClaimScore",
    "EncoderMissing",
    "EncoderScore",
    "EncoderTier",
    "EncoderUnusable",
    "TierOptions",
    "TierSettings",
]
