"""What all sections of the settings share: unknown names and numbers that are none are refused."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A part of the settings."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
