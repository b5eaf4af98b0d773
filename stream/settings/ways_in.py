"""How spans become traces in the worker: when a trace is complete, and how much is held meanwhile."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from stream.settings.section import Section


class AssemblySettings(Section):
    """Spans wait for the rest of their trace. Offsets of what waits are not committed."""

    grace_s: float = Field(
        default=5.0, ge=0, description="after the root: what other services still have in their queues"
    )
    quiet_s: float = Field(
        default=30.0, gt=0, description="after the last span, where no root comes; holds offsets back so long"
    )
    longest_s: float = Field(default=600.0, gt=0, description="after the first span, whatever still comes")
    max_spans: int = Field(default=200_000, ge=1, description="open at once, in one worker")
    max_bytes: int = Field(default=512 * 1024 * 1024, ge=1024, description="what they take in memory, about")
    spans_a_trace: int = Field(default=10_000, ge=1, description="further ones are left out and counted")
    remembered: int = Field(
        default=100_000, ge=0, description="traces handed over, a partition: to tell late spans"
    )

    @model_validator(mode="after")
    def _order(self) -> Self:
        if not self.grace_s <= self.quiet_s <= self.longest_s:
            raise ValueError("grace_s, quiet_s and longest_s must not fall")
        return self


__all__ = ["AssemblySettings"]
