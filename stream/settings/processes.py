"""The worker, its scorers, and the sink."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from stream.settings.section import Section


class WorkerSettings(Section):
    """The loop that scores."""

    batch_size: int = Field(default=256, ge=1)
    batch_wait_s: float = Field(default=0.1, gt=0)
    max_in_flight: int = Field(
        default=20_000, ge=1, description="produced, not yet confirmed; above it, pause"
    )
    max_in_flight_bytes: int = Field(default=256 * 1024 * 1024, ge=1024, description="the same in bytes")
    commit_interval_s: float = Field(default=1.0, gt=0)
    revoke_budget_s: float = Field(default=5.0, gt=0)
    stop_budget_s: float = Field(default=10.0, gt=0)
    max_trace_bytes: int = Field(
        default=32 * 1024 * 1024, ge=1024, description="larger is dead-lettered unread"
    )


class ScorerSettings(Section):
    """Which scorer serves, and which is tried beside it."""

    registry: Path | None = Field(default=None, description="a folder; without one, the shipped scorer")
    poll_s: float = Field(default=5.0, gt=0, description="how often the registry is looked at")
    shadow_rate: float = Field(
        default=0.1, ge=0, le=1, description="share of traces that the candidate scores as well"
    )


class EncoderSettings(Section):
    """The models that look again at uncertain traces. Off while there is neither."""

    model: str | None = Field(default=None, description="reads claims: a folder, or the name of a model")
    embedder: str | None = Field(default=None, description="looks whether the chunks answer: a folder")
    band_low: float = Field(default=0.3, ge=0, le=1)
    band_high: float = Field(default=0.7, ge=0, le=1, description="of `hallucination`: uncertain is between")
    sufficiency_low: float = Field(default=0.2, ge=0, le=1)
    sufficiency_high: float = Field(
        default=0.8, ge=0, le=1, description="of `context_sufficiency`: uncertain is between"
    )
    share: float = Field(default=0.2, ge=0, le=1, description="of all traces, at most")
    budget: float = Field(default=0.25, gt=0, le=1, description="share of the worker's time, at most")

    @model_validator(mode="after")
    def _band(self) -> Self:
        if self.band_low > self.band_high:
            raise ValueError("band_low is above band_high")
        if self.sufficiency_low > self.sufficiency_high:
            raise ValueError("sufficiency_low is above sufficiency_high")
        return self


class SinkSettings(Section):
    """The process that inserts."""

    batch_rows: int = Field(default=10_000, ge=1)
    batch_bytes: int = Field(
        default=64 * 1024 * 1024, ge=1024, description="two such batches are in memory at most"
    )
    batch_wait_s: float = Field(default=0.5, gt=0)
    rollup_interval_s: float = Field(default=5.0, gt=0)
    retry_first_s: float = Field(default=0.2, gt=0)
    retry_max_s: float = Field(default=15.0, gt=0)
    revoke_budget_s: float = Field(default=5.0, gt=0)
    stop_budget_s: float = Field(default=10.0, gt=0)
