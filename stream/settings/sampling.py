"""Which traces the LLM judges see."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from stream.settings.section import Section


class SamplingRule(Section):
    """The rate of one segment. A trace is in it where everything that is named here is the same."""

    app: str | None = None
    tenant: str | None = None
    environment: str | None = None
    language: str | None = None
    intent: str | None = None
    release_app: str | None = None
    release_prompt: str | None = None
    release_index: str | None = None
    release_embedding_model: str | None = None
    release_reranker: str | None = None
    release_generator: str | None = None
    rate: float = Field(ge=0, le=1, description="in place of base_rate")
    excluded: bool = Field(default=False, description="never chosen: for texts that must stay")
    per_minute: float | None = Field(default=None, gt=0, description="a limit of its own, within that of all")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.excluded and self.rate > 0:
            raise ValueError("excluded, and yet a rate above 0")
        return self

    def named(self) -> dict[str, str]:
        """What a trace must have, by column name."""
        return {
            name: value
            for name, value in self.model_dump(exclude={"rate", "excluded", "per_minute"}).items()
            if value is not None
        }


class SamplingSettings(Section):
    """Which traces the LLM judges see."""

    base_rate: float = Field(default=0.02, ge=0, le=1, description="of a segment that no rule names")
    rules: list[SamplingRule] = Field(default=[], description="the first that fits a trace counts")
    floor_rate: float = Field(
        default=0.002, ge=0, le=1, description="of all that is not excluded, whatever rules and limits say"
    )
    suspected_rate: float = Field(default=0.2, ge=0, le=1, description="where a failure is suspected")
    uncertain_rate: float = Field(default=0.1, ge=0, le=1, description="where the scorer is unsure")
    uncertain_low: float = Field(default=0.35, ge=0, le=1)
    uncertain_high: float = Field(
        default=0.65, ge=0, le=1, description="of `hallucination`; unsure is between"
    )
    thumbs_down_rate: float = Field(default=0.5, ge=0, le=1, description="where the trace came with one")
    new_release_rate: float = Field(default=0.1, ge=0, le=1)
    new_release_s: float = Field(default=3600.0, gt=0, description="for so long a release is new")
    rare_segment_rate: float = Field(default=0.1, ge=0, le=1)
    rare_segment_per_hour: float = Field(
        default=60.0, ge=0, description="traces at a worker; with fewer an app, tenant and language is rare"
    )
    disagreement_rate: float = Field(
        default=0.3, ge=0, le=1, description="where candidate or encoder name another failure"
    )
    per_minute: float = Field(
        default=600.0, ge=0, description="of each worker; above it, rates fall; 0 is no limit"
    )
    salt: str = "ragpulse"

    @model_validator(mode="after")
    def _band(self) -> Self:
        if self.uncertain_low > self.uncertain_high:
            raise ValueError("uncertain_low is above uncertain_high")
        return self
