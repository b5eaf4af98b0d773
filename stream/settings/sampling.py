"""Which traces the LLM judges see."""

from __future__ import annotations

from pydantic import Field

from stream.settings.section import Section


class SamplingSettings(Section):
    """Which traces the LLM judges see."""

    base_rate: float = Field(default=0.02, ge=0, le=1)
    suspected_rate: float = Field(default=0.2, ge=0, le=1, description="where a failure is suspected")
    salt: str = "ragpulse"
