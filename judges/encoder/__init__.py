"""The encoder judge: a transformer that reads each claim beside the sentences it should follow from.

Costly beside the cheap scorers (some 30 ms a claim), so it reads uncertain traces only, and is off by
default. Needs the extra `ragpulse[encoder]` and a model: see docs/ENCODER.md.
"""

from judges.encoder.combine import EncoderUnusable
from judges.encoder.model import EncoderMissing
from judges.encoder.tier import EncoderScore, EncoderTier, TierOptions, TierSettings

__all__ = ["EncoderMissing", "EncoderScore", "EncoderTier", "EncoderUnusable", "TierOptions", "TierSettings"]
